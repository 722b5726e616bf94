import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatPath } from '../../../../daemon/base/schema.ts';
import { checkPlant } from '../../../../daemon/plant/asset/plant-config.ts';
import { finish } from '../../../../daemon/base/slices.ts';
import { createDriverFactories } from '../../../../drivers/index.ts';

const register = (offset: number, more: object = {}): object => ({
  table: 'HOLDING_REGISTERS',
  offset,
  dataType: 'INT16',
  ...more,
});

/** Returns a channel at a register of its own. */
function channel(name: string, offset: number, more: object = {}): object {
  return { name, type: 'READ', valueType: 'DOUBLE', address: register(offset), ...more };
}

function check(channels: readonly object[]) {
  return finish(
    checkPlant(createDriverFactories(), {
      drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1' }],
      assets: [{ pid: 'meter', driver: 'line', channels }],
    }),
  );
}

const from = (name: string): object => ({ scaleFrom: { channel: name } });
const WRONG: readonly (readonly [name: string, channels: readonly object[], fault: string])[] = [
  [
    'an unknown channel',
    [channel('power', 0, from('powerScal')), channel('powerScale', 1)],
    'assets[0].channels[0].scaleFrom.channel: unknown channel "powerScal"; did you mean "powerScale"?',
  ],
  [
    'the channel itself',
    [channel('power', 0, from('power'))],
    'assets[0].channels[0].scaleFrom.channel: the scales form a cycle: power > power',
  ],
  [
    'a cycle',
    [channel('a', 0, from('b')), channel('b', 1, from('c')), channel('c', 2, from('a'))],
    'assets[0].channels[0].scaleFrom.channel: the scales form a cycle: a > b > c > a',
  ],
  [
    'a scale of a scale',
    [channel('a', 0, from('b')), channel('b', 1, from('c')), channel('c', 2)],
    'assets[0].channels[0].scaleFrom.channel: "b" has a scaleFrom itself; expected a channel without',
  ],
  [
    'a text as scale',
    [
      channel('a', 0, from('b')),
      channel('b', 1, { valueType: 'STRING', address: register(1, { dataType: 'STRING', length: 2 }) }),
    ],
    'assets[0].channels[0].scaleFrom.channel: "b" is a STRING; expected a number',
  ],
  [
    'a scale that can only be written',
    [channel('a', 0, from('b')), channel('b', 1, { type: 'WRITE' })],
    'assets[0].channels[0].scaleFrom.channel: channel "b" can only be written',
  ],
  [
    'a text that is scaled',
    [
      channel('a', 0, {
        ...from('b'),
        valueType: 'STRING',
        address: register(0, { dataType: 'STRING', length: 2 }),
      }),
      channel('b', 1),
    ],
    'assets[0].channels[0].scaleFrom: a STRING cannot be scaled; expected a numeric valueType',
  ],
  [
    'channel and address',
    [channel('a', 0, { scaleFrom: { channel: 'b', address: register(1) } }), channel('b', 1)],
    'assets[0].channels[0].scaleFrom: expected either channel or address',
  ],
  [
    'neither channel nor address',
    [channel('a', 0, { scaleFrom: { kind: 'FACTOR' } })],
    'assets[0].channels[0].scaleFrom: expected either channel or address',
  ],
  [
    'the address of a text',
    [channel('a', 0, { scaleFrom: { address: register(1, { dataType: 'STRING', length: 2 }) } })],
    'assets[0].channels[0].scaleFrom.address: STRING cannot be DOUBLE; expected STRING',
  ],
  [
    'an address that the driver refuses',
    [channel('a', 0, { scaleFrom: { address: register(1, { bit: 0 }) } })],
    'assets[0].channels[0].scaleFrom.address.bit: only BOOLEAN has a bit, not INT16',
  ],
];

for (const [name, channels, expected] of WRONG) {
  test(`a configuration error names the channel: ${name}`, () => {
    const faults = (check(channels).faults ?? []).map(
      ({ path, message }) => `${formatPath(path)}: ${message}`,
    );
    assert.ok(
      faults.some((fault) => fault.startsWith(expected)),
      faults.join('\n'),
    );
  });
}

test('channels with equal scale addresses share one scale channel', () => {
  const scaleFrom = { address: register(9) };
  const { value } = check([
    channel('a', 0, { scaleFrom }),
    channel('b', 1, { scaleFrom }),
    channel('c', 2, { scaleFrom: { address: register(8) } }),
  ]);
  const [a, b, c] = value?.assets[0]?.channels ?? [];
  assert.ok(a?.scaleChannel !== undefined && c?.scaleChannel !== undefined);
  assert.equal(a.scaleChannel, b?.scaleChannel);
  assert.notEqual(a.scaleChannel, c.scaleChannel);
});
