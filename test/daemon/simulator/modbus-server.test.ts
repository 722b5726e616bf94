import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { startModbusServer } from '../../../daemon/simulator/modbus-server.ts';
import type { ModbusServer, PlantMemory } from '../../../daemon/simulator/modbus-server.ts';
import {
  connectDriver,
  createChannel,
  createRegisterChannels,
  noDeadline,
} from '../../support/modbus-driver-under-test.ts';
import { writeValues } from '../../support/write-values.ts';

/** A plant of one unit, 1, with 200 entries in each table; discrete input 7 is defective. */
function createMemory(): PlantMemory {
  const tables = new Map<string, number[]>();
  const entriesOf = (table: string): number[] => {
    const entries = tables.get(table) ?? Array.from({ length: 200 }, (_, offset) => offset % 2);
    tables.set(table, entries);
    return entries;
  };
  return {
    read(unitId, table, offset) {
      if (table === 'DISCRETE_INPUTS' && offset === 7) throw new Error('broken');
      return unitId === 1 ? entriesOf(table)[offset] : undefined;
    },
    write(unitId, table, offset, value) {
      if (unitId !== 1 || offset >= 200) return false;
      entriesOf(table)[offset] = value;
      return true;
    },
  };
}

async function withServer(use: (server: ModbusServer) => Promise<void>): Promise<void> {
  const server = await startModbusServer({ host: '127.0.0.1', port: 0, memory: createMemory() });
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

async function readOne(port: number): Promise<unknown> {
  await using underTest = await connectDriver(port);
  const readings = await underTest.driver.prepareRead([createChannel({ offset: 3 })]).read(noDeadline());
  return readings[0]?.value;
}

test('the driver reads back the values that it wrote to the simulated plant', async () => {
  await withServer(async ({ port }) => {
    await using underTest = await connectDriver(port);
    const channels = [createChannel({ table: 'COILS', offset: 4 }), ...createRegisterChannels(10, 3)];
    const values = [true, 7, 8, 9];
    await writeValues(
      underTest.driver,
      channels.map((channel, index) => ({ channel, value: values[index] ?? 0 })),
      noDeadline(),
    );
    const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
    assert.deepEqual(
      readings.map(({ value }) => value),
      values,
    );
  });
});

test('a missing entry is exception 02, a defective one exception 04', async () => {
  await withServer(async ({ port }) => {
    await using underTest = await connectDriver(port);
    const channels = [
      createChannel({ offset: 200 }),
      createChannel({ unitId: 2 }),
      createChannel({ table: 'DISCRETE_INPUTS', offset: 7 }),
    ];
    const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
    assert.deepEqual(
      readings.map(({ failure }) => failure?.code),
      ['MODBUS_ILLEGAL_DATA_ADDRESS', 'MODBUS_ILLEGAL_DATA_ADDRESS', 'MODBUS_SERVER_DEVICE_FAILURE'],
    );
  });
});

test('a write that goes past the end changes nothing', async () => {
  await withServer(async ({ port }) => {
    const socket = await open(port);
    socket.write(Buffer.from('00010000000b011000c70002040009000a', 'hex'));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    assert.equal(answer.toString('hex'), '000100000003019002');
    socket.destroy();
    await using underTest = await connectDriver(port);
    const readings = await underTest.driver.prepareRead([createChannel({ offset: 199 })]).read(noDeadline());
    assert.equal(readings[0]?.value, 1);
  });
});

const BAD_INPUT: Readonly<Record<string, string>> = {
  garbage: 'ff'.repeat(4096),
  'length 0': '000100000000',
  'a read of 65535 registers': '00010000000601030000ffff',
  'a read of 65535 coils': '00010000000601010000ffff',
  'a read of nothing': '000100000006010300000000',
  'a read beyond the address space': '0001000000060103ffff007d',
  'a write without values': '00010000000701100000000000',
  'a write with too few values': '000100000009011000000002040001',
  'an unknown function': '0001000000020163',
  'half a device identification': '000100000003012b0e',
};

for (const [name, hex] of Object.entries(BAD_INPUT)) {
  test(`the server continues after ${name}`, async () => {
    await withServer(async ({ port }) => {
      const socket = await open(port);
      socket.write(Buffer.from(hex, 'hex'));
      assert.equal(await readOne(port), 1);
      socket.destroy();
    });
  });
}

test('the server continues after clients that reset their connections during an answer', async () => {
  await withServer(async ({ port }) => {
    for (let turn = 0; turn < 20; turn += 1) {
      const socket = await open(port);
      socket.write(Buffer.from('00010000000601030000007d'.repeat(20), 'hex'));
      socket.resetAndDestroy();
    }
    assert.equal(await readOne(port), 1);
  });
});

test('a port in use rejects the start', async () => {
  await withServer(async ({ port }) => {
    await assert.rejects(startModbusServer({ host: '127.0.0.1', port, memory: createMemory() }), {
      code: 'EADDRINUSE',
    });
  });
});

test('close ends the connections and frees the port', async () => {
  const server = await startModbusServer({ host: '127.0.0.1', port: 0, memory: createMemory() });
  const socket = await open(server.port);
  const closed = once(socket, 'close');
  await server.close();
  await closed;
  const again = await startModbusServer({ host: '127.0.0.1', port: server.port, memory: createMemory() });
  await again.close();
});
