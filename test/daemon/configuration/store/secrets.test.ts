import assert from 'node:assert/strict';
import { test } from 'node:test';

import { finish } from '../../../../daemon/base/slices.ts';
import { describeDocument } from '../../../../daemon/configuration/document-schema.ts';
import type { JsonSchema } from '../../../../daemon/configuration/document-schema.ts';
import {
  hideSecrets,
  isSecretName,
  keepSecrets,
  SECRET_MARKER,
} from '../../../../daemon/configuration/store/secrets.ts';
import { createDriverFactories } from '../../../../drivers/index.ts';
import { FACTORIES } from '../plant-fixture.ts';

const SCHEMA = describeDocument(FACTORIES);
const LINE_1 = { pid: 'line1', type: 'bench', host: 'a', password: 'first' };
const LINE_2 = { pid: 'line2', type: 'bench', host: 'b', password: 'second' };
const STORED = { drivers: [LINE_1, LINE_2] };
const HIDDEN_1 = { ...LINE_1, password: SECRET_MARKER };
const HIDDEN_2 = { ...LINE_2, password: SECRET_MARKER };

test('hideSecrets shows that a secret is set, and leaves everything else unchanged', () => {
  assert.deepEqual(hideSecrets(SCHEMA, STORED), { drivers: [HIDDEN_1, HIDDEN_2] });
  assert.deepEqual(hideSecrets(SCHEMA, { drivers: [{ pid: 'line1', type: 'bench', host: 'a' }] }), {
    drivers: [{ pid: 'line1', type: 'bench', host: 'a' }],
  });
});

test('hideSecrets hides fields with the name of a secret that no schema knows', () => {
  const left = { pid: 'old', type: 'gone', password: 'x', options: { apiKey: 'y', rate: 1 } };
  assert.deepEqual(hideSecrets(SCHEMA, { drivers: [left] }), {
    drivers: [{ ...left, password: SECRET_MARKER, options: { apiKey: SECRET_MARKER, rate: 1 } }],
  });
});

test('keepSecrets finds the stored secret by pid, at any position of the item', () => {
  const { document, faults } = finish(keepSecrets(SCHEMA, { drivers: [HIDDEN_2, HIDDEN_1] }, STORED));
  assert.deepEqual(document, { drivers: [LINE_2, LINE_1] });
  assert.deepEqual(faults, []);
});

test('keepSecrets takes a new secret, even an empty one', () => {
  for (const password of ['third', '', '(set)', '{"isSet":true}']) {
    const wanted = { drivers: [{ ...LINE_1, password }] };
    assert.deepEqual(finish(keepSecrets(SCHEMA, wanted, STORED)), { document: wanted, faults: [], kept: [] });
  }
});

test('keepSecrets reports an error for a marker without a stored secret', () => {
  const renamed = { ...HIDDEN_1, pid: 'line3' };
  const { faults } = finish(keepSecrets(SCHEMA, { drivers: [HIDDEN_2, renamed] }, STORED));
  assert.deepEqual(
    faults.map(({ path }) => path),
    [['drivers', 1, 'password']],
  );
});

test('every field with the name of a secret is marked as one', () => {
  const fields = listTextFields(describeDocument(createDriverFactories()));
  assert.ok(fields.length > 20);
  const unmarked = fields.filter(({ name, schema }) => isSecretName(name) && schema['writeOnly'] !== true);
  assert.deepEqual(
    unmarked.map(({ name }) => name),
    [],
  );
});

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
}

/** Lists the text fields of a schema, at all depths. */
function listTextFields(part: unknown): readonly Field[] {
  if (typeof part !== 'object' || part === null) return [];
  const { properties } = part as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  const own = Object.entries(properties ?? {}).map(([name, schema]) => ({ name, schema }));
  const texts = own.filter(({ schema }) => JSON.stringify(schema['type'] ?? schema).includes('string'));
  return [...texts, ...Object.values(part).flatMap(listTextFields)];
}

test('secrets are kept item by item, so that others have their turn in between', () => {
  const drivers = Array.from({ length: 1000 }, (_, index) => ({ ...LINE_1, pid: `line${index}` }));
  const wanted = { drivers: drivers.map((driver) => ({ ...driver, password: SECRET_MARKER })) };
  const work = keepSecrets(SCHEMA, wanted, { drivers });
  let turns = 0;
  let step = work.next();
  for (; step.done !== true; step = work.next()) turns += 1;
  assert.equal(turns, 1000);
  assert.deepEqual(step.value.document, { drivers });
  assert.equal(step.value.kept.length, 1000);
});

test('a list that no schema describes is kept as a secret as a whole if its name is that of one', () => {
  const stored = { passwords: 'abc' };
  const { document } = finish(keepSecrets(SCHEMA, { passwords: ['x'], others: [SECRET_MARKER] }, stored));
  assert.deepEqual(document, { passwords: ['x'], others: [SECRET_MARKER] });
});
