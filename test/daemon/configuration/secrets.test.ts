import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeDocument } from '../../../daemon/configuration/document-schema.ts';
import type { JsonSchema } from '../../../daemon/configuration/document-schema.ts';
import {
  hideSecrets,
  isSecretName,
  keepSecrets,
  SECRET_MARKER,
} from '../../../daemon/configuration/secrets.ts';
import { createDriverFactories } from '../../../drivers/index.ts';
import { FACTORIES } from './plant-fixture.ts';

const SCHEMA = describeDocument(FACTORIES);
const LINE_1 = { pid: 'line1', type: 'bench', host: 'a', password: 'first' };
const LINE_2 = { pid: 'line2', type: 'bench', host: 'b', password: 'second' };
const FORMER = { drivers: [LINE_1, LINE_2] };
const HIDDEN_1 = { ...LINE_1, password: SECRET_MARKER };
const HIDDEN_2 = { ...LINE_2, password: SECRET_MARKER };

test('hideSecrets shows that a secret is set, and leaves everything else', () => {
  assert.deepEqual(hideSecrets(SCHEMA, FORMER), { drivers: [HIDDEN_1, HIDDEN_2] });
  assert.deepEqual(hideSecrets(SCHEMA, { drivers: [{ pid: 'line1', type: 'bench', host: 'a' }] }), {
    drivers: [{ pid: 'line1', type: 'bench', host: 'a' }],
  });
});

test('hideSecrets hides what is named like a secret where no schema knows it', () => {
  const left = { pid: 'old', type: 'gone', password: 'x', options: { apiKey: 'y', rate: 1 } };
  assert.deepEqual(hideSecrets(SCHEMA, { drivers: [left] }), {
    drivers: [{ ...left, password: SECRET_MARKER, options: { apiKey: SECRET_MARKER, rate: 1 } }],
  });
});

test('keepSecrets finds the former secret by pid, wherever the item stands', () => {
  const { document, faults } = keepSecrets(SCHEMA, { drivers: [HIDDEN_2, HIDDEN_1] }, FORMER);
  assert.deepEqual(document, { drivers: [LINE_2, LINE_1] });
  assert.deepEqual(faults, []);
});

test('keepSecrets takes a new secret, even one that looks like nothing', () => {
  for (const password of ['third', '', '(set)', '{"isSet":true}']) {
    const wanted = { drivers: [{ ...LINE_1, password }] };
    assert.deepEqual(keepSecrets(SCHEMA, wanted, FORMER), { document: wanted, faults: [] });
  }
});

test('keepSecrets finds fault with a marker where no secret was', () => {
  const renamed = { ...HIDDEN_1, pid: 'line3' };
  const { faults } = keepSecrets(SCHEMA, { drivers: [HIDDEN_2, renamed] }, FORMER);
  assert.deepEqual(
    faults.map(({ path }) => path),
    [['drivers', 1, 'password']],
  );
});

test('every field that is named like a secret is marked as one', () => {
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

/** Lists the fields of a schema whose content is a text, at all depths. */
function listTextFields(part: unknown): readonly Field[] {
  if (typeof part !== 'object' || part === null) return [];
  const { properties } = part as { readonly properties?: Readonly<Record<string, JsonSchema>> };
  const own = Object.entries(properties ?? {}).map(([name, schema]) => ({ name, schema }));
  const texts = own.filter(({ schema }) => JSON.stringify(schema['type'] ?? schema).includes('string'));
  return [...texts, ...Object.values(part).flatMap(listTextFields)];
}
