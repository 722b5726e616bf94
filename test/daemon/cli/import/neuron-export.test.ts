import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CommandError } from '../../../../daemon/cli/command-error.ts';
import { convertNeuronExport } from '../../../../daemon/cli/import/neuron-export.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Writes an export of the whole configuration, in the form and with the names of
 * tests/ft/http/test_global_config.py of emqx/neuron.
 */
function writeConfiguration(tags: readonly Json[], params: Json = {}, plugin = 'Modbus TCP'): string {
  return JSON.stringify({
    nodes: [
      { plugin: 'MQTT', name: 'mqtt' },
      { plugin, name: 'modbus' },
    ],
    groups: [{ driver: 'modbus', group: 'group', tag_count: tags.length, interval: 100 }],
    tags: [{ tags, driver: 'modbus', group: 'group' }],
    subscriptions: [{ groups: [{ driver: 'modbus', group: 'group' }], app: 'mqtt' }],
    settings: [
      { node: 'mqtt', params: { host: 'broker.emqx.io', port: 1883, password: 'SECRET-OF-MQTT' } },
      {
        node: 'modbus',
        params: {
          connection_mode: 0,
          transport_mode: 0,
          interval: 0,
          host: '127.0.0.1',
          port: 502,
          timeout: 3000,
          max_retries: 2,
          ...params,
        },
      },
    ],
  });
}

const tag = (name: string, type: number, address: string, more: Json = {}): Json => ({
  type,
  name,
  attribute: 1,
  precision: 0,
  decimal: 0,
  address,
  description: '',
  ...more,
});

const addressesOf = (text: string): readonly unknown[] =>
  convertNeuronExport(text).assets.flatMap(({ channels }) =>
    channels.map(({ channel }) => channel['address']),
  );

test('convertNeuronExport takes over the nodes, groups and tags of a whole configuration', () => {
  const { drivers, assets, untaken, remarks } = convertNeuronExport(
    writeConfiguration([
      tag('hold_int16', 3, '1!400001', { attribute: 3, decimal: 0.1, bias: 1, unit: 'degC' }),
      tag('coil', 11, '2!000005', { attribute: 2 }),
    ]),
  );
  assert.deepEqual(
    drivers.map(({ driver }) => driver),
    [
      {
        pid: 'modbus',
        type: 'modbus',
        host: '127.0.0.1',
        port: 502,
        responseTimeoutMs: 3000,
        delayBetweenRequestsMs: 0,
        retries: 2,
      },
    ],
  );
  assert.deepEqual(assets[0]?.asset, { pid: 'modbus.group', driver: 'modbus' });
  assert.deepEqual(
    assets[0].channels.map(({ channel }) => channel),
    [
      {
        name: 'hold_int16',
        type: 'READ_WRITE',
        valueType: 'DOUBLE',
        valueScale: 0.1,
        valueOffset: 1,
        unit: 'degC',
        address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'INT16' },
      },
      {
        name: 'coil',
        type: 'WRITE',
        valueType: 'BOOLEAN',
        address: { unitId: 2, table: 'COILS', offset: 4 },
      },
    ],
  );
  assert.deepEqual(untaken, []);
  assert.deepEqual(
    remarks.map(({ place }) => place),
    ['mqtt', 'modbus/group'],
  );
  assert.ok(!JSON.stringify(remarks).includes('SECRET'));
});

// plugins/modbus/modbus_req.c and src/adapter/driver/driver.c of emqx/neuron: registers are big-endian, and the letters
// tell what is turned around then; modbus-rtu.json lists the orders of the settings.
test('convertNeuronExport takes over byte orders of tags and nodes', () => {
  const swapped = { byteOrder: 'LITTLE_ENDIAN' };
  const lowFirst = { wordOrder: 'LITTLE_ENDIAN' };
  const orders = (tags: readonly Json[], params?: Json): readonly unknown[] =>
    addressesOf(writeConfiguration(tags, params)).map((address) => {
      const { unitId: _unitId, table: _table, offset: _offset, dataType: _type, ...order } = address as Json;
      return order;
    });
  const tags = ['', '#LL', '#LB', '#BL', '#BB'].map((suffix, index) =>
    tag(`t${index}`, 9, `1!400001${suffix}`),
  );
  assert.deepEqual(orders(tags), [{}, {}, swapped, lowFirst, { ...swapped, ...lowFirst }]);
  assert.deepEqual(orders(tags, { endianess: 4 })[0], lowFirst);
  assert.deepEqual(orders([tag('a', 3, '1!400001#B'), tag('b', 10, '1!400001#B')]), [
    swapped,
    { ...swapped, ...lowFirst },
  ]);
});

test('convertNeuronExport takes over addresses from 0, bits, texts and bytes', () => {
  const tags = [
    tag('bit', 11, '1!300004.15'),
    tag('text', 13, '1!400010.20L'),
    tag('wide', 13, '1!400040.10D'),
    tag('high', 13, '1!400050.10E'),
    tag('bytes', 14, '1!400030.8'),
    tag('short', 4, '1!40001'),
  ];
  const at = (table: string, offset: number, more: object) => ({ unitId: 1, table, offset, ...more });
  assert.deepEqual(addressesOf(writeConfiguration(tags, { address_base: 0 })), [
    at('INPUT_REGISTERS', 4, { dataType: 'BOOLEAN', bit: 15 }),
    at('HOLDING_REGISTERS', 10, { dataType: 'STRING', length: 20, byteOrder: 'LITTLE_ENDIAN' }),
    at('HOLDING_REGISTERS', 40, { dataType: 'STRING_REGISTERS', length: 10 }),
    at('HOLDING_REGISTERS', 50, { dataType: 'STRING_REGISTERS', length: 10 }),
    at('HOLDING_REGISTERS', 30, { dataType: 'BYTES', length: 8 }),
    at('HOLDING_REGISTERS', 1, { dataType: 'UINT16' }),
  ]);
});

// The form of /api/v2/global/drivers (src/parser/neu_json_global_config.c), the numbers of plugins/modbus/modbus-rtu.json,
// and the address of "OPC UA" in the documentation of Neuron.
test('convertNeuronExport takes over exports of drivers, serial lines and OPC UA', () => {
  const { drivers, assets, untaken } = convertNeuronExport(
    JSON.stringify({
      nodes: [
        {
          name: 'bus',
          plugin: 'Modbus RTU',
          params: { link: 0, device: '/dev/ttyS0', baud: 3, parity: 2, stop: 1, data: 3, timeout: 3000 },
          groups: [{ driver: 'bus', group: 'g', interval: 1000, tags: [tag('a', 4, '7!300001')] }],
        },
        {
          name: 'remote',
          plugin: 'Modbus RTU',
          params: { link: 1, host: '192.0.2.1', port: 4001, connection_mode: 0 },
          groups: [],
        },
        {
          name: 'server',
          plugin: 'OPC UA',
          params: { url: 'opc.tcp://192.0.2.2:4840/', username: '', password: '', cert: '', key: '' },
          groups: [{ group: 'g', tags: [tag('time', 6, '0!2258'), tag('tag', 1, '2!Device1.Module1.Tag1')] }],
        },
      ],
    }),
  );
  assert.deepEqual(untaken, []);
  assert.deepEqual(
    drivers.map(({ driver }) => driver),
    [
      {
        pid: 'bus',
        type: 'modbus',
        transport: 'rtu',
        device: '/dev/ttyS0',
        baudRate: 19_200,
        parity: 'even',
        stopBits: 2,
        responseTimeoutMs: 3000,
      },
      { pid: 'remote', type: 'modbus', transport: 'rtu-over-tcp', host: '192.0.2.1', port: 4001 },
      { pid: 'server', type: 'opcua', endpointUrl: 'opc.tcp://192.0.2.2:4840/', securityMode: 'NONE' },
    ],
  );
  assert.deepEqual(
    assets.at(-1)?.channels.map(({ channel }) => channel['address']),
    [
      { nodeId: 'ns=0;i=2258', dataType: 'UInt32' },
      { nodeId: 'ns=2;s=Device1.Module1.Tag1', dataType: 'SByte' },
    ],
  );
});

test('convertNeuronExport converts a node that uses UDP, and names the settings for a device that connects', () => {
  const good = tag('good', 3, '1!400001');
  const { drivers, untaken } = convertNeuronExport(writeConfiguration([good], { transport_mode: 1 }));
  assert.deepEqual([drivers[0]?.driver['transport'], untaken], ['udp', []]);
  const [listening] = convertNeuronExport(writeConfiguration([good], { connection_mode: 1 })).untaken;
  assert.match(listening?.reason ?? '', /transport: tcp-listen, listenPort: \d+ and identify$/);
});

test('convertNeuronExport lists every node and tag that it does not take over', () => {
  const placesOf = (text: string): readonly string[] =>
    convertNeuronExport(text).untaken.map(({ place }) => place);
  const good = tag('good', 3, '1!400001');
  assert.deepEqual(placesOf(writeConfiguration([good], {}, 'Siemens S7 ISOTCP')), [
    'modbus',
    'modbus/group/good',
  ]);
  for (const params of [{ connection_mode: 1 }, { host: '' }]) {
    assert.deepEqual(placesOf(writeConfiguration([good], params)), ['modbus', 'modbus/group/good']);
  }
  const bad = [
    tag('static', 3, '', { attribute: 9, value: 1 }),
    tag('kind', 22, '1!400001'),
    tag('form', 3, 'DB1.DBW0'),
    tag('order', 10, '1!400001#WS'),
    tag('good', 3, '1!400002'),
    tag('long', 13, '1!400002.126D'),
    tag('bytes', 14, '1!400002.4D'),
  ];
  assert.deepEqual(
    placesOf(writeConfiguration([good, ...bad])),
    bad.map(({ name }) => `modbus/group/${String(name)}`),
  );
});

test('convertNeuronExport refuses what is no export, with the place', () => {
  for (const [text, detail] of [
    ['[', /JSON/],
    ['[]', /document: expected an object/],
    ['{}', /nodes is missing/],
    ['{"nodes":{}}', /nodes: expected a list/],
    ['{"nodes":[{"name":"a"}]}', /nodes\[0\]: plugin is missing/],
    ['{"nodes":[{"name":"a","plugin":"Modbus TCP","groups":[{"group":"g","tags":[1]}]}]}', /tags of g\[0\]/],
  ] as const) {
    assert.throws(
      () => convertNeuronExport(text),
      (error) =>
        error instanceof CommandError && error.code === 'IMPORT_UNREADABLE' && detail.test(error.detail),
    );
  }
});
