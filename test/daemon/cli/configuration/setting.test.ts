import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { findSetting, listSettings } from '../../../../daemon/cli/configuration/setting.ts';
import { applySettings, unsetSetting } from '../../../../daemon/cli/configuration/setting-edit.ts';
import type { SettingOption } from '../../../../daemon/cli/command-line.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

const SCHEMA = {
  properties: {
    pid: { type: 'string' },
    password: { type: 'string', writeOnly: true },
    ports: { type: 'array', items: { type: 'integer' }, default: [] },
    limit: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    line: {
      oneOf: [
        {
          properties: {
            type: { const: 'tcp', type: 'string' },
            host: { type: 'string' },
            unitId: { type: 'integer' },
          },
          required: ['type', 'host'],
        },
        {
          properties: {
            type: { const: 'rtu', type: 'string' },
            echo: { type: 'boolean', description: 'Hears itself' },
          },
          required: ['type'],
        },
      ],
    },
    back: { properties: { unitId: { type: 'integer' } } },
  },
  required: ['pid'],
} as const;
const KNOWN = listSettings(SCHEMA);

const terminal = {
  print: () => undefined,
  note: () => undefined,
  stopSignal: new AbortController().signal,
};

function apply(...options: readonly SettingOption[]) {
  return applySettings({ pid: 'x' }, options, { known: KNOWN, terminal });
}

test('listSettings joins alternatives, and needs only what all of them need', () => {
  assert.deepEqual(
    KNOWN.map(({ path: each, isRequired }) => (isRequired ? `${each}!` : each)),
    [
      'pid!',
      'password',
      'ports',
      'limit',
      'line.type!',
      'line.host',
      'line.unitId',
      'line.echo',
      'back.unitId',
    ],
  );
  const type = KNOWN.find(({ path: each }) => each === 'line.type');
  assert.deepEqual(type?.choices, ['tcp', 'rtu']);
});

test('a setting is found by its path, by the end of its path, and with dashes', () => {
  assert.equal(findSetting('line.unitId', KNOWN).path, 'line.unitId');
  assert.equal(findSetting('echo', KNOWN).path, 'line.echo');
  assert.equal(findSetting('line.unit-id', KNOWN).path, 'line.unitId');
});

test('a short name that several settings have is refused, and an unknown one gets a hint', () => {
  assert.throws(() => findSetting('unitId', KNOWN), {
    detail: '--unitId may be --line.unitId or --back.unitId',
  });
  assert.throws(() => findSetting('ecko', KNOWN), {
    detail: 'unknown option --ecko; did you mean "--echo"?',
  });
});

test('values are read by their types', async () => {
  const item = await apply(
    { name: 'host', text: '502' },
    { name: 'line.unitId', text: '7' },
    { name: 'echo', text: undefined },
    { name: 'line.type', text: 'RTU' },
    { name: 'ports', text: '443,4443' },
    { name: 'limit', text: 'null' },
  );
  assert.deepEqual(item, {
    pid: 'x',
    line: { host: '502', unitId: 7, echo: true, type: 'rtu' },
    ports: [443, 4443],
    limit: null,
  });
});

test('a whole number may be hexadecimal, as in manuals', async () => {
  assert.deepEqual(await apply({ name: 'line.unitId', text: '0x8005' }), {
    pid: 'x',
    line: { unitId: 0x8005 },
  });
  assert.deepEqual(await apply({ name: 'host', text: '0x8005' }), { pid: 'x', line: { host: '0x8005' } });
});

for (const [name, text, detail] of [
  ['line.unitId', 'seven', '--line.unitId "seven": expected a whole number'],
  ['echo', 'yes', '--echo "yes": expected true or false'],
  ['line.type', 'rtv', '--line.type "rtv"; did you mean "rtu"?'],
  ['ports', '[443', /^--ports "\[443": line 1/],
  ['host', undefined, '--host: a text is missing'],
] as const) {
  test(`--${name} ${text ?? ''} is wrong usage`, async () => {
    await assert.rejects(apply({ name, text }), { name: 'UsageError', detail });
  });
}

test('a secret comes from a file, never from the command line', async (t) => {
  await assert.rejects(apply({ name: 'password', text: 'geheim' }), (error: Error) => {
    assert.match(error.message, /not accepted on the command line/);
    assert.doesNotMatch(error.message, /geheim/);
    return true;
  });
  const file = path.join(createTemporaryDirectory(t), 'secret');
  writeFileSync(file, 'geheim\n');
  assert.deepEqual(await apply({ name: 'password', text: `@${file}` }), { pid: 'x', password: 'geheim' });
});

test('unsetSetting removes a setting, and what becomes empty around it', () => {
  const item = { pid: 'x', line: { echo: true }, limit: 3 };
  assert.deepEqual(unsetSetting(item, 'echo', KNOWN), { pid: 'x', limit: 3 });
});
