import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import type { AssetRegistry } from '../../../daemon/plant/asset/asset-registry.ts';
import type { ChannelWrite } from '../../../daemon/plant/asset/write/prepared-write.ts';
import type { ChannelRecord } from '../../../daemon/channel/channel-record.ts';
import { createRecordRenderer } from '../../../daemon/server/rest/plant/record-json.ts';
import { startAsyncuaServer } from '../../support/asyncua-server.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import { openPlant } from '../../support/plant-under-test.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { needs } from '../../support/tests-that-need.ts';

/** Two forms of the same value, the second as reads show it, and a text that is another value. */
type Forms = readonly [node: string, given: string, shown: string, other: string];

const SCALARS: readonly Forms[] = [
  ['writable.dateTime', '2024-03-01T12:00:00Z', '2024-03-01T12:00:00.000Z', '2024-03-01T12:00:01Z'],
  ['writable.dateTime', '2024-03-01T14:00:00+02:00', '2024-03-01T12:00:00.000Z', '2024-03-01T14:00:00Z'],
  [
    'writable.guid',
    '72962b91-fa75-4ae6-8d28-b404dc7daf00',
    '72962B91-FA75-4AE6-8D28-B404DC7DAF00',
    '72962b91-fa75-4ae6-8d28-b404dc7daf01',
  ],
  ['writable.localizedText', 'Rücklauf', 'Rücklauf', 'Ru\u0308cklauf'],
  ['writable.string', '[1.0]', '[1.0]', '[1]'],
  ['writable.array', '[ 4, -5 , 6 ]', '[4,-5,6]', '[4,-5]'],
  ['writable.matrix', '[[1, 2, 3],\n [4, 5, 7]]', '[[1,2,3],[4,5,7]]', '[[1,2],[3,4],[5,7]]'],
];

const ARRAYS: readonly Forms[] = [
  ['texts', '["\\u00e4", "1"]', '["ä","1"]', '["ä","1.0"]'],
  ['times', '["2024-03-01T13:00:00+01:00"]', '["2024-03-01T12:00:00.000Z"]', '["2024-03-01T13:00:00Z"]'],
  [
    'guids',
    '["72962b91-fa75-4ae6-8d28-b404dc7daf00"]',
    '["72962B91-FA75-4AE6-8D28-B404DC7DAF00"]',
    '["72962b91-fa75-4ae6-8d28-b404dc7daf01"]',
  ],
  ['blobs', '["AQ" , ""]', '["AQ==",""]', '["AQ==","AQ=="]'],
  ['names', '[ "R\\u00fccklauf" ]', '["Rücklauf"]', '["Vorlauf"]'],
  ['flags', '["TRUE",false]', '[true,false]', '[true,true]'],
  ['longs', '["9007199254740993", 1]', '[9007199254740993,1]', '[9007199254740992,1]'],
  ['floats', '[0.10, "NaN"]', '[0.1,"NaN"]', '[0.1,"Infinity"]'],
  ['doubles', '[1e3,"1.5"]', '[1000,1.5]', '[1000,1.25]'],
  ['matrix', '[ [7,8,9], [1,2,3] ]', '[[7,8,9],[1,2,3]]', '[[7,8,9],[1,2,4]]'],
];

const summarize = (records: readonly ChannelRecord[]): unknown =>
  records.map(({ outcome, failure }) => failure?.code ?? outcome ?? 'SENT').join();

const channelsOf = (rows: readonly Forms[]): readonly object[] =>
  rows.flatMap(([node, given, , other], index) => {
    const channel = {
      type: 'READ_WRITE',
      valueType: 'STRING',
      address: { nodeId: `nsu=urn:penstock:test;s=${node}` },
    };
    const gate = (operator: string, value: string): object => ({
      ...channel,
      write: { onlyIf: [{ channel: `read.${index}`, operator, value }] },
    });
    return [
      { ...channel, name: `read.${index}`, type: 'READ' },
      { ...channel, name: `plain.${index}` },
      { ...channel, name: `verified.${index}`, write: { verify: { withinMs: 0 } } },
      { ...gate('EQUALS', given), name: `gated.${index}` },
      { ...gate('NOT_EQUALS', given), name: `gatedNot.${index}` },
      { ...gate('EQUALS', other), name: `gatedOther.${index}` },
    ];
  });

function testForms(rows: readonly Forms[], open: () => AssetRegistry): void {
  for (const [index, [node, given, shown, other]] of rows.entries()) {
    const write = (kind: string, more: Partial<ChannelWrite> = {}, isDryRun = false) =>
      open()
        .get('held')
        .write([{ name: `${kind}.${index}`, valueType: 'STRING', value: given, ...more }], '', { isDryRun })
        .then(summarize);

    test(`${JSON.stringify(given)} of ${node} is verified, compared and a condition in the type of the node`, async () => {
      assert.equal(await write('verified'), 'VERIFIED');
      const { records } = await open()
        .get('held')
        .read([`read.${index}`]);
      assert.equal(records[0]?.value, shown);
      assert.equal(await write('plain', { ifValue: given }, true), 'SENT');
      assert.equal(await write('plain', { ifValue: other }, true), 'WRITE_VALUE_CHANGED');
      assert.equal(await write('plain', { ifValue: given }), 'ACKNOWLEDGED');
      assert.equal(await write('plain', { ifValue: other }), 'WRITE_VALUE_CHANGED');
      assert.equal(await write('gated', {}, true), 'SENT');
      assert.equal(await write('gated'), 'ACKNOWLEDGED');
      assert.equal(await write('gatedNot'), 'WRITE_CONDITION_FALSE');
      assert.equal(await write('gatedOther'), 'WRITE_CONDITION_FALSE');
      assert.equal(await write('plain', { value: other }), 'ACKNOWLEDGED');
      assert.equal(await write('plain', { ifValue: given }), 'WRITE_VALUE_CHANGED');
      assert.equal(await write('gated'), 'WRITE_CONDITION_FALSE');
    });
  }
}

suite('with the server of node-opcua', () => {
  const closing = closeLast();
  let registry: AssetRegistry;
  before(async () => {
    const server = await startOpcuaServer({ directory: createTemporaryDirectory(closing) });
    closing.after(() => server[Symbol.asyncDispose]());
    registry = await openPlant(closing, plantAt(server.endpointUrl, [...channelsOf(SCALARS), ...NUMBERS]));
  });
  testForms(SCALARS, () => registry);

  test('a negative zero of a Double and a Float is read and written as one, that of an Int16 is 0', async () => {
    const asset = registry.get('held');
    for (const [name, shown] of [
      ['double', '"value":-0,'],
      ['float', '"value":-0,'],
      ['int16', '"value":0,'],
    ] as const) {
      const [written] = await asset.write([{ name, valueType: 'DOUBLE', value: -0 }]);
      assert.equal(written?.outcome, 'VERIFIED', written?.failure?.message);
      const { records } = await asset.read([name]);
      for (const each of [[written], records]) {
        const text = renderRecords(each).toString();
        assert.ok(text.includes(shown), text);
      }
    }
  });
});

suite('with asyncua', needs('asyncua'), () => {
  const closing = closeLast();
  let registry: AssetRegistry;
  before(async () => {
    const server = await startAsyncuaServer({ policies: ['NoSecurity'] });
    closing.after(() => server[Symbol.asyncDispose]());
    registry = await openPlant(
      closing,
      plantAt(`opc.tcp://127.0.0.1:${server.port}`, [...channelsOf(ARRAYS), ...CONDITIONS]),
    );
  });
  testForms(ARRAYS, () => registry);

  test('a condition on what can only be read is compared in its type: a NodeId, a structure', async () => {
    const { records } = await registry.get('held').read(READ_ONLY.map(([name]) => name));
    assert.deepEqual(
      records.map(({ failure }) => failure),
      READ_ONLY.map(() => undefined),
    );
    for (const [name] of READ_ONLY) {
      for (const [gate, expected] of [
        ['if', 'ACKNOWLEDGED'],
        ['unless', 'WRITE_CONDITION_FALSE'],
      ] as const) {
        const [record] = await registry
          .get('held')
          .write([{ name: `${gate}.${name}`, valueType: 'INTEGER', value: 1 }]);
        assert.equal(
          record?.failure?.code ?? record?.outcome,
          expected,
          `${gate} ${name}: ${record?.failure?.message}`,
        );
      }
    }
  });
});

const renderRecords = createRecordRenderer();

const NUMBERS: readonly object[] = ['double', 'float', 'int16'].map((name) => ({
  name,
  type: 'READ_WRITE',
  valueType: 'DOUBLE',
  address: { nodeId: `nsu=urn:penstock:test;s=writable.${name}` },
  write: { verify: {} },
}));

/** Channels that can only be read, with another text for the value that each holds. */
const READ_ONLY: readonly (readonly [name: string, address: object, value: string])[] = [
  ['range', { nodeId: 'nsu=urn:penstock:test;s=range' }, '{ "High": 20.0, "Low": -15e-1 }'],
  ['levelType', { nodeId: 'nsu=urn:penstock:test;s=level', attribute: 'DataType' }, 'i=6'],
  [
    'motorPath',
    { nodeId: 'nsu=urn:penstock:test;s=motor', field: 'path' },
    '[{"y":2.0,"x":1},\n{"x":3,"y":4}]',
  ],
  [
    'motorStarted',
    { nodeId: 'nsu=urn:penstock:test;s=motor', field: 'started' },
    '2023-11-14T23:13:20.123+01:00',
  ],
];

const CONDITIONS: readonly object[] = READ_ONLY.flatMap(([name, address, value]) => {
  const level = {
    type: 'READ_WRITE',
    valueType: 'INTEGER',
    address: { nodeId: 'nsu=urn:penstock:test;s=level' },
  };
  const terms = (operator: string): object => ({ onlyIf: [{ channel: name, operator, value }] });
  return [
    { name, type: 'READ', valueType: 'STRING', address },
    { ...level, name: `if.${name}`, write: terms('EQUALS') },
    { ...level, name: `unless.${name}`, write: terms('NOT_EQUALS') },
  ];
});

function plantAt(endpointUrl: string, channels: readonly object[]) {
  return {
    drivers: [{ pid: 'line', type: 'opcua', endpointUrl, securityMode: 'NONE' }],
    assets: [{ pid: 'held', driver: 'line', channels }],
  };
}

/** Ends what a suite opened before its tests when they are over, the newest first. */
function closeLast(): { after(close: () => unknown): void } {
  const closers: (() => unknown)[] = [];
  after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  return { after: (close) => void closers.push(close) };
}
