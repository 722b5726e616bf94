import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatPath } from '../../../../daemon/base/schema.ts';
import { listIncluded, parseTemplate } from '../../../../daemon/plant/template/template.ts';
import { makeTemplate, METER } from './template-fixture.ts';

function listFaults(value: unknown): readonly string[] {
  const { faults = [] } = parseTemplate(value);
  return faults.map(({ path, message }) => `${formatPath(path)}: ${message}`);
}

test('parseTemplate gives the head, the parameters and the channels of a template', () => {
  const { items, ...head } = makeTemplate({});
  const { channels, ...expected } = METER;
  assert.deepEqual(head, expected);
  assert.deepEqual(items, [{ kind: 'CHANNEL', channel: channels[0] }]);
});

test('parseTemplate names a key that is meant by one that is not known', () => {
  const [fault = ''] = listFaults({ ...METER, maker: 'x', manufaturer: 'y' });
  assert.match(fault, /^maker: is not a known key/);
  assert.match(listFaults({ ...METER, manufaturer: 'y' })[0] ?? '', /did you mean "manufacturer"/);
});

test('parseTemplate asks for document and revision', () => {
  const { source: _source, ...other } = METER;
  assert.match(listFaults(other)[0] ?? '', /^source: is missing/);
});

test('parseTemplate refuses a name that leads out of a directory', () => {
  for (const name of ['../x', 'a/b', 'A', '', '.hidden', 'x'.repeat(64)]) {
    assert.match(listFaults({ ...METER, name })[0] ?? '', /^name: /, name);
  }
});

test('parseTemplate finds the faults of groups and of other templates at their places', () => {
  const channels = [
    { repeat: { index: 'n', to: 3, step: 2 }, channels: [{ name: 'a' }, 5, { label: 'b' }] },
    { repeat: { each: [] }, channels: [{ name: 'a' }] },
    { template: 'Other', parameters: {} },
    { repeat: { index: '1n', to: 2 }, channels: [] },
  ];
  assert.deepEqual(
    listFaults({ ...METER, channels }).map((fault) => fault.split(': ', 1)[0]),
    [
      'channels[0].repeat.step',
      'channels[0].channels[1]',
      'channels[0].channels[2].name',
      'channels[1].repeat.each',
      'channels[2].template',
      'channels[3].channels',
    ],
  );
});

test('parseTemplate refuses groups that lie deeper than anybody writes', () => {
  let channels: readonly unknown[] = [{ name: 'a' }];
  for (let depth = 0; depth < 9; depth += 1) {
    channels = [{ repeat: { index: `n${depth}`, to: 1 }, channels }];
  }
  assert.match(listFaults({ ...METER, channels })[0] ?? '', /at most 8 nested groups/);
});

test('parseTemplate refuses a channel with more values than any has', () => {
  const channels = [{ name: 'a', address: { list: Array.from({ length: 600 }, () => 1) } }];
  assert.deepEqual(listFaults({ ...METER, channels }), ['channels[0]: expected at most 500 values']);
});

test('parseTemplate refuses parameters that contradict themselves', () => {
  const parameters = {
    a: { type: 'integer', default: 'x', description: 'd' },
    b: { type: 'string', minimum: 1, description: 'd' },
    c: { type: 'number', minimum: 2, maximum: 1, description: 'd' },
    d: { type: 'integer', default: 9, maximum: 8, description: 'd' },
    e: { type: 'integer', default: 1.5, description: 'd' },
  };
  assert.deepEqual(
    listFaults({ ...METER, parameters }).map((fault) => fault.split(': ', 1)[0]),
    [
      'parameters.a.default',
      'parameters.b',
      'parameters.c.minimum',
      'parameters.d.default',
      'parameters.e.default',
    ],
  );
});

test('listIncluded finds other templates in groups as well', () => {
  const { items } = makeTemplate({
    channels: [
      { template: 'first' },
      { repeat: { index: 'n', to: 2 }, channels: [{ name: 'a$n' }, { template: 'second' }] },
    ],
  });
  assert.deepEqual(listIncluded(items), ['first', 'second']);
});
