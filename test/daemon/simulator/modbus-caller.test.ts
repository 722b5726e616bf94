import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { startModbusCaller } from '../../../daemon/simulator/modbus-caller.ts';
import { PLANT_UNIT_IDS } from '../../../daemon/simulator/plant-channels.ts';
import { SimulatedPlant } from '../../../daemon/simulator/plant-memory.ts';
import { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import { createModbusDriverFactory } from '../../../drivers/modbus/modbus-driver.ts';
import { createDriverContext } from '../../support/driver-context.ts';
import { findFreePort } from '../../support/free-ports.ts';
import { createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';

type CallerOptions = Parameters<typeof startModbusCaller>[0];

/** Starts the plant that calls a port; the test context ends it. */
function call(t: TestContext, port: number, options: Partial<CallerOptions> = {}): void {
  const close = startModbusCaller({
    host: '127.0.0.1',
    port,
    framing: 'RTU',
    memory: new SimulatedPlant(),
    unitIds: PLANT_UNIT_IDS,
    pauseMs: 1,
    onState: () => undefined,
    ...options,
  });
  t.after(close);
}

for (const framing of ['RTU', 'MBAP'] as const) {
  test(`the driver reads a plant that calls it, with ${framing} framing`, async (t) => {
    const listenPort = await findFreePort();
    const identify = { registration: 'hex:00 50' };
    const config = configSchema.parse({ transport: 'tcp-listen', listenPort, identify, framing });
    const driver = createModbusDriverFactory().create(config, createDriverContext());
    t.after(async () => {
      await driver.disconnect();
      driver.close?.();
    });
    call(t, listenPort, { framing, registration: Buffer.from([0, 0x50]) });
    await driver.connect(noDeadline(), () => undefined);
    const channels = [createChannel(), createChannel({ unitId: 1, table: 'INPUT_REGISTERS', offset: 0 })];
    const readings = await driver.prepareRead(channels).read(noDeadline());
    assert.deepEqual(
      readings.map(({ value }) => value),
      [600, 550],
    );
  });
}

test('the plant calls again when its connection ends, and reports each state once', async (t) => {
  const states: string[] = [];
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  call(t, port, { registration: Buffer.from('DTU01'), onState: (text) => states.push(text) });
  for (let count = 0; count < 3; count += 1) {
    const [socket] = (await once(server, 'connection')) as [Socket];
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    assert.equal(bytes.toString(), 'DTU01');
    socket.destroy();
  }
  assert.deepEqual(states, [`connected to 127.0.0.1:${port}`, `127.0.0.1:${port} closed the connection`]);
});

test('the plant ends a connection with bytes that are no frame of Modbus TCP', async (t) => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  call(t, (server.address() as AddressInfo).port, { framing: 'MBAP', pauseMs: 600_000 });
  const [socket] = (await once(server, 'connection')) as [Socket];
  socket.resume().write('GET / HTTP/1.1\r\n\r\n');
  await once(socket, 'close');
});
