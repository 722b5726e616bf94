import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { parseYaml } from '../../../daemon/settings/yaml-document.ts';
import { validateElsewhere } from '../../support/json-schema.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';
import { METER } from '../plant/template/template-fixture.ts';
import { runCommand } from './command.ts';

function write(t: TestContext, files: Readonly<Record<string, unknown>>): readonly string[] {
  const directory = createTemporaryDirectory(t);
  return Object.entries(files).map(([name, content]) => {
    const file = path.join(directory, name);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 1));
    return file;
  });
}

test('template check accepts a good file without a gateway and counts its channels', async (t) => {
  const files = write(t, { 'example-meter.yaml': METER });
  const { status, output, errors } = await runCommand(t, ['template', 'check', ...files]);
  assert.deepEqual([status, errors], [0, '']);
  assert.match(output, /example-meter\.yaml: 1 channels with the default parameters\n$/);
});

test('template check names the line of a fault in the file, and the place of one in the channels', async (t) => {
  const [channel] = METER.channels;
  const wrong = { ...channel, address: { ...channel.address, offset: 70_000 } };
  const files = write(t, {
    'example-meter.yaml': { ...METER, channels: [wrong] },
    'typo.yaml': 'name: typo\ntitel: x\n',
  });
  const { status, output, errors } = await runCommand(t, ['template', 'check', ...files]);
  assert.equal(status, 1);
  assert.match(output, /channels\[0\]\.address\.offset/);
  assert.match(output, /typo\.yaml: line 2: titel: .*did you mean "title"/);
  assert.match(errors, /2 of 2 files cannot be used/);
});

test('template check says when only some of the files can be used', async (t) => {
  const files = write(t, { 'example-meter.yaml': METER, 'empty.yaml': '' });
  assert.equal((await runCommand(t, ['template', 'check', ...files])).status, 5);
});

test('template check includes templates of the same directory, and refuses a cycle', async (t) => {
  const outer = { ...METER, name: 'outer', channels: [{ template: 'example-meter' }] };
  const [file = ''] = write(t, { 'outer.yaml': outer, 'example-meter.yaml': METER });
  assert.equal((await runCommand(t, ['template', 'check', file])).status, 0);
  const [circle = ''] = write(t, { 'outer.yaml': { ...outer, channels: [{ template: 'outer' }] } });
  assert.match((await runCommand(t, ['template', 'check', circle])).output, /includes itself: outer > outer/);
});

test('template check includes built-in templates', async (t) => {
  const channels = [{ template: 'sunspec-inverter-113' }];
  const files = write(t, { 'example-meter.yaml': { ...METER, channels } });
  const { status, output } = await runCommand(t, ['template', 'check', ...files]);
  assert.deepEqual([status, /: 15 channels/.test(output)], [0, true], output);
});

test('template check refuses what is no file', async (t) => {
  const directory = createTemporaryDirectory(t);
  for (const file of [directory, path.join(directory, 'missing.yaml')]) {
    const { status, output } = await runCommand(t, ['template', 'check', file]);
    assert.equal(status, 1);
    assert.match(output, /cannot be read/);
  }
});

test('a validator of another make draws the same line with the schema', needs('jsonschema'), async (t) => {
  const { status, output } = await runCommand(t, ['template', 'schema']);
  assert.equal(status, 0);
  const [channel] = METER.channels;
  const group = { repeat: { index: 'n', to: '$unitId' }, channels: [{ ...channel, name: 'c$n' }] };
  const documents = [
    METER,
    { ...METER, channels: [group, { template: 'other', parameters: { unitId: '$unitId' } }] },
    { ...METER, channels: [{ ...channel, valueScale: '=0.1 * $unitId' }] },
    { ...METER, titel: 'x' },
    { ...METER, name: 'Upper' },
    { ...METER, channels: [{ ...channel, valueType: 'WEIGHT' }] },
    { ...METER, channels: [{ ...group, repeat: { index: 'n' } }] },
    { ...METER, channels: [] },
  ];
  const schema = parseYaml(Buffer.from(output)).value as Readonly<Record<string, unknown>>;
  assert.deepEqual(validateElsewhere(schema, documents), [
    true,
    true,
    true,
    ...documents.slice(3).map(() => false),
  ]);
});
