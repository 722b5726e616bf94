import assert from 'node:assert/strict';

import type { ChannelRecord } from '../../../daemon/channel/channel-record.ts';
import { rawNumberOf } from '../../../drivers/opcua/check-channel.ts';
import { addressSchema } from '../../../drivers/opcua/opcua-address.ts';
import { startAsyncuaServer } from '../../support/asyncua-server.ts';
import type { AsyncuaServer } from '../../support/asyncua-server.ts';
import { openPlant } from '../../support/plant-under-test.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const { test, before, after } = testsThatNeed('asyncua');
let server: AsyncuaServer;
before(async () => {
  server = await startAsyncuaServer({ many: 1 });
});
after(() => server[Symbol.asyncDispose]());

const node = (name: string, valueType: string, notAvailable: readonly unknown[], dataType?: string) => ({
  name,
  type: 'READ_WRITE',
  valueType,
  notAvailable,
  address: { nodeId: `nsu=urn:penstock:test;s=${name}`, ...(dataType === undefined ? {} : { dataType }) },
});

const summarize = (records: readonly ChannelRecord[]): readonly unknown[] =>
  records.map(({ name, value, failure }) => [name, failure?.code ?? value]);

test('values of asyncua that are not available are failures, null in arrays, and not written', async (t) => {
  const registry = await openPlant(t, {
    drivers: [
      {
        pid: 'line',
        type: 'opcua',
        endpointUrl: `opc.tcp://127.0.0.1:${server.port}`,
        securityMode: 'NONE',
      },
    ],
    assets: [
      {
        pid: 'tank',
        driver: 'line',
        channels: [
          node('level', 'INTEGER', [0], 'Int32'),
          node('trend', 'INTEGER', ['0x80000000', '-5--1']),
          node('ints', 'STRING', ['0x7FFFFFFF'], 'Int32'),
          node('unsigned', 'STRING', ['SUNSPEC'], 'UInt64'),
          node('doubles', 'STRING', ['NaN'], 'Double'),
          node('matrix', 'STRING', ['2-3', 6], 'Int16'),
          node('texts', 'STRING', [1]),
        ],
      },
    ],
  });
  const asset = registry.get('tank');
  assert.deepEqual(summarize((await asset.readAll()).records), [
    ['level', 'VALUE_NOT_AVAILABLE'],
    ['trend', 0],
    ['ints', '[1,-2,null]'],
    ['unsigned', 'VALUE_NOT_AVAILABLE'],
    ['doubles', '[0.1,null,"Infinity"]'],
    ['matrix', '[[1,null,null],[4,5,null]]'],
    ['texts', '["a,b","say \\"]\\"",""]'],
  ]);
  const write = async (name: string, valueType: 'INTEGER' | 'STRING', value: number | string) => {
    const [record] = await asset.write([{ name, valueType, value }]);
    return [record?.outcome, record?.failure?.code];
  };
  assert.deepEqual(await write('level', 'INTEGER', 0), ['NOT_SENT', 'VALUE_NOT_AVAILABLE']);
  assert.deepEqual(await write('trend', 'INTEGER', -3), ['NOT_SENT', 'VALUE_NOT_AVAILABLE']);
  assert.deepEqual(await write('ints', 'STRING', '[5,2147483647]'), ['NOT_SENT', 'VALUE_NOT_AVAILABLE']);
  assert.deepEqual(await write('level', 'INTEGER', 1), ['ACKNOWLEDGED', undefined]);
});

test('the raw number of a node follows from its data type, if that is configured', () => {
  const of = (more: object): unknown => rawNumberOf(addressSchema.parse({ nodeId: 'ns=2;s=a', ...more }));
  assert.equal(of({}), undefined);
  assert.deepEqual(of({ dataType: 'SByte' }), { kind: 'SIGNED', bits: 8 });
  assert.deepEqual(of({ dataType: 'UInt64' }), { kind: 'UNSIGNED', bits: 64 });
  assert.deepEqual(of({ dataType: 'Float' }), { kind: 'FLOAT', bits: 32 });
  assert.equal(of({ dataType: 'String' }), 'NONE');
  assert.equal(of({ method: 'ns=2;s=m' }), 'NONE');
});
