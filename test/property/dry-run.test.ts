import assert from 'node:assert/strict';
import { after } from 'node:test';

import * as fc from 'fast-check';

import type { Asset } from '../../daemon/plant/asset/asset.ts';
import type { ChannelWrite } from '../../daemon/plant/asset/write/prepared-write.ts';
import type { ChannelValue } from '../../daemon/channel/value-type.ts';
import { answerFrame, createFrame, startFaultServer } from '../support/modbus-fault-server.ts';
import type { FaultServer } from '../support/modbus-fault-server.ts';
import { openPlant } from '../support/plant-under-test.ts';
import { propertyTest } from './property-test.ts';

const channel = (name: string, valueType: string, address: object, more: object = {}): object => ({
  name,
  type: 'READ_WRITE',
  valueType,
  address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 10, ...address },
  ...more,
});

const CHANNELS: readonly object[] = [
  channel('int16', 'INTEGER', { dataType: 'INT16' }),
  channel('scaled', 'DOUBLE', { dataType: 'UINT16' }, { scaleOffsetType: 'DOUBLE', valueScale: 0.1 }),
  channel('limited', 'INTEGER', { dataType: 'INT32' }, { write: { minimum: -100, maximum: 70_000 } }),
  channel('stepped', 'INTEGER', { dataType: 'UINT16' }, { write: { maximumStep: 500 } }),
  channel('float', 'FLOAT', { dataType: 'FLOAT32' }),
  channel('bcd', 'INTEGER', { dataType: 'BCD16' }),
  channel('text', 'STRING', { dataType: 'STRING', length: 6 }),
  channel('bit', 'BOOLEAN', { unitId: 2, dataType: 'BOOLEAN', bit: 3 }),
  channel('long', 'STRING', { unitId: 2, dataType: 'STRING', length: 12 }),
];

const number = fc.oneof(
  fc.integer({ min: -70_000, max: 70_000 }),
  fc.double(),
  fc.constantFrom(0, -1, 9999, 10_000, 32_767, 32_768, 65_535, 65_536),
);
const wholeNumber = fc.oneof(
  fc.integer({ min: -2_147_483_648, max: 2_147_483_647 }),
  fc.integer({ min: -700, max: 70_000 }),
);
const VALUES: Readonly<Record<string, fc.Arbitrary<ChannelValue>>> = {
  INTEGER: wholeNumber,
  DOUBLE: number,
  FLOAT: number.map(Math.fround),
  STRING: fc.oneof(fc.string({ maxLength: 14 }), fc.string({ unit: 'binary', maxLength: 7 })),
  BOOLEAN: fc.boolean(),
};

let opened: Promise<{ readonly asset: Asset; readonly server: FaultServer }> | undefined;

async function open(): Promise<{ readonly asset: Asset; readonly server: FaultServer }> {
  const server = await startFaultServer((request, connection) => {
    const { pdu } = request;
    const [functionCode = 0] = pdu;
    if (functionCode !== 3) return connection.send(answerFrame(request));
    const quantity = pdu.readUInt16BE(3);
    const head = Buffer.from([functionCode, 2 * quantity]);
    connection.send(createFrame({ ...request, pdu: Buffer.concat([head, Buffer.alloc(2 * quantity)]) }));
  });
  after(() => server.close());
  const units = [{ unitId: 2, bitWrite: 'REFUSE', maximumRegistersPerWrite: 5 }];
  const registry = await openPlant(
    { after },
    {
      drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: server.port, units }],
      assets: [{ pid: 'pump', driver: 'line', channels: CHANNELS }],
    },
  );
  return { asset: registry.get('pump'), server };
}

const write = fc.constantFrom(...CHANNELS).chain((described) => {
  const { name, valueType } = described as Pick<ChannelWrite, 'name' | 'valueType'>;
  const value = VALUES[valueType] ?? fc.constant(0);
  return value.map((drawn): ChannelWrite => ({ name, valueType, value: drawn }));
});

propertyTest(
  'a trial refuses what the write would not send, in the same words, and nothing else',
  fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 4 }), async (writes) => {
    const { asset, server } = await (opened ??= open());
    const isWriting = (): number => server.requests.filter(({ pdu }) => pdu[0] !== 3).length;
    const before = isWriting();
    const tried = await asset.write(writes, '', { isDryRun: true });
    assert.equal(isWriting(), before);
    const written = await asset.write(writes);
    const unsent = written.map(({ outcome, failure }) => (outcome === 'NOT_SENT' ? failure : undefined));
    assert.deepEqual(
      tried.map(({ failure }) => failure),
      unsent,
    );
  }),
);
