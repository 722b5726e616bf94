import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import type { Asset } from '../../../daemon/plant/asset/asset.ts';
import type { ChannelRecord } from '../../../daemon/channel/channel-record.ts';
import type { ChannelValue, ValueType } from '../../../daemon/channel/value-type.ts';
import { appendCrc } from '../../../drivers/modbus/pdu/crc.ts';
import { createFrame, startFaultServer } from '../../support/modbus-fault-server.ts';
import { openPlant } from '../../support/plant-under-test.ts';

const LARGEST = 60;

/** A device that holds no number above the largest; it confirms what it took, and has coils that stay off. */
function answer(registers: Map<number, number>, pdu: Buffer): Buffer {
  const [functionCode = 0] = pdu;
  const offset = pdu.readUInt16BE(1);
  const take = (word: number): number => {
    const taken = Math.min(word, LARGEST);
    registers.set(offset, taken);
    return taken;
  };
  if (functionCode === 5) return Buffer.from([5, ...pdu.subarray(1, 3), 0, 0]);
  if (functionCode === 6) {
    const reply = Buffer.from(pdu);
    reply.writeUInt16BE(take(pdu.readUInt16BE(3)), 3);
    return reply;
  }
  if (functionCode === 16) {
    take(pdu.readUInt16BE(6));
    return pdu.subarray(0, 5);
  }
  if (functionCode === 1) return Buffer.from([1, 1, 0]);
  const reply = Buffer.from([functionCode, 2, 0, 0]);
  reply.writeUInt16BE(registers.get(offset) ?? 10, 2);
  return reply;
}

async function startTcp(t: TestContext): Promise<{ readonly port: number; readonly links: () => number }> {
  const registers = new Map<number, number>();
  const server = await startFaultServer((request, connection) =>
    connection.send(createFrame({ ...request, pdu: answer(registers, request.pdu) })),
  );
  t.after(() => server.close());
  return { port: server.port, links: () => server.connectionCount() };
}

/** The same device with the frames of a serial line. */
async function startRtu(t: TestContext): Promise<number> {
  const registers = new Map<number, number>();
  const server = createServer((socket) => {
    t.after(() => socket.destroy());
    socket.on('data', (frame) => {
      socket.write(appendCrc(frame[0] ?? 0, answer(registers, frame.subarray(1, -2))));
    });
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const register = (name: string, more: object = {}): object => ({
  name,
  type: 'READ_WRITE',
  valueType: 'DOUBLE',
  valueScale: 0.5,
  address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 10, dataType: 'INT16' },
  ...more,
});
const several = {
  unitId: 1,
  table: 'HOLDING_REGISTERS',
  offset: 11,
  dataType: 'INT16',
  writeFunction: 'MULTIPLE',
};
const VERIFIED = { write: { verify: { withinMs: 0 } } };

async function open(t: TestContext, port: number, settings: object = {}): Promise<Asset> {
  const registry = await openPlant(t, {
    drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port, ...settings }],
    assets: [
      {
        pid: 'pump',
        driver: 'line',
        channels: [
          register('plain'),
          register('verified', VERIFIED),
          register('several', { ...VERIFIED, address: several }),
          {
            name: 'coil',
            type: 'READ_WRITE',
            valueType: 'BOOLEAN',
            address: { unitId: 1, table: 'COILS', offset: 3 },
          },
        ],
      },
    ],
  });
  return registry.get('pump');
}

async function write(asset: Asset, name: string, value: ChannelValue): Promise<readonly unknown[]> {
  const valueType: ValueType = typeof value === 'boolean' ? 'BOOLEAN' : 'DOUBLE';
  const [record] = await asset.write([{ name, valueType, value }]);
  return summarize(record);
}

function summarize(record: ChannelRecord | undefined): readonly unknown[] {
  const { outcome, failure, asked, readBack } = record ?? {};
  return [outcome, failure?.code, asked?.value, readBack].filter((part) => part !== undefined);
}

test('a device that limits a value and says so has refused it: the record shows both values', async (t) => {
  const { port, links } = await startTcp(t);
  const asset = await open(t, port);
  assert.deepEqual(await write(asset, 'verified', 49.5), ['REFUSED', 'WRITE_READ_BACK_DIFFERS', 49.5, 30]);
  assert.deepEqual(await write(asset, 'plain', 49.5), ['REFUSED', 'MODBUS_OTHER_VALUE_CONFIRMED', 49.5, 30]);
  assert.deepEqual(await write(asset, 'coil', true), [
    'REFUSED',
    'MODBUS_OTHER_VALUE_CONFIRMED',
    true,
    false,
  ]);
  assert.deepEqual(await write(asset, 'plain', 12), ['ACKNOWLEDGED']);
  assert.equal(links(), 1, 'such an answer is no reason to give the link up');
});

test('a device that limits a value and confirms without one is found out by reading back', async (t) => {
  const { port } = await startTcp(t);
  const asset = await open(t, port);
  assert.deepEqual(await write(asset, 'several', 49.5), ['REFUSED', 'WRITE_READ_BACK_DIFFERS', 49.5, 30]);
});

test('what is written after a value that the device limited is sent', async (t) => {
  const { port } = await startTcp(t);
  const asset = await open(t, port);
  const writes = [49.5, 20].map((value) => ({ name: 'plain', valueType: 'DOUBLE' as const, value }));
  const records = await asset.write(writes);
  assert.deepEqual(
    records.map(({ outcome }) => outcome),
    ['REFUSED', 'ACKNOWLEDGED'],
  );
});

test('on a serial line another value may be the answer to another request: only reading back decides', async (t) => {
  const asset = await open(t, await startRtu(t), { transport: 'rtu-over-tcp', responseTimeoutMs: 300 });
  assert.deepEqual(await write(asset, 'plain', 49.5), ['UNKNOWN', 'MODBUS_WRITE_OUTCOME_UNKNOWN', 49.5]);
  assert.deepEqual(await write(asset, 'verified', 49.5), ['REFUSED', 'WRITE_READ_BACK_DIFFERS', 49.5, 30]);
});
