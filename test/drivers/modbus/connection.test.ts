import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { isAdvising } from '../../../daemon/channel/advising-driver.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { createDriverFactories } from '../../../drivers/index.ts';
import { configSchema } from '../../../drivers/modbus/modbus-config.ts';
import { createModbusDriverFactory } from '../../../drivers/modbus/modbus-driver.ts';
import { createDriverContext } from '../../support/driver-context.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { connectDriver, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import { answerFrame, startFaultServer } from '../../support/modbus-fault-server.ts';

/** A port without a listener. */
async function findClosedPort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

test('a refused connection is a ConnectionError that names the endpoint and the reason', async () => {
  const port = await findClosedPort();
  await assert.rejects(connectDriver(port), (error) => {
    assert.ok(error instanceof ConnectionError);
    const reason = 'connection refused; check the port and the service there (ECONNREFUSED)';
    assert.equal(error.detail, `no connection to 127.0.0.1:${port}: ${reason}`);
    return true;
  });
});

for (const [transport, advice] of [
  ['tcp', ['if the device supports Modbus over UDP, set transport: udp']],
  ['rtu-over-tcp', []],
] as const) {
  test(`a refused connection with transport ${transport} gives advice until it opens`, async (t) => {
    const port = await findClosedPort();
    const config = configSchema.parse({ transport, host: '127.0.0.1', port });
    const driver = createModbusDriverFactory().create(config, createDriverContext());
    t.after(() => driver.disconnect());
    assert.ok(isAdvising(driver));
    await assert.rejects(driver.connect(noDeadline(), () => undefined));
    assert.deepEqual(driver.listAdvice(), advice);
    const server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    await driver.connect(noDeadline(), () => undefined);
    assert.deepEqual(driver.listAdvice(), []);
  });
}

test('a link that the device closes while idle is reported once', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port);
  await underTest.driver.prepareRead([createChannel()]).read(noDeadline());
  server.forEachConnection((connection) => connection.end());
  while (underTest.losses.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await underTest.driver.disconnect();
  assert.deepEqual(
    underTest.losses.map((error) => error instanceof ConnectionError && error.code),
    ['MODBUS_LINK_LOST'],
  );
});

test('a link that is lost while idle is opened again by connect', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port);
  const prepared = underTest.driver.prepareRead([createChannel({ offset: 3 })]);
  // The driver may know of the connection before the server does.
  while (server.openConnectionCount() === 0) await new Promise((resolve) => setImmediate(resolve));
  server.forEachConnection((connection) => connection.reset());
  while (underTest.losses.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await assert.rejects(prepared.read(noDeadline()), ConnectionError);
  await underTest.driver.connect(noDeadline(), () => undefined);
  assert.equal((await prepared.read(noDeadline()))[0]?.value, 3);
});

test('garbage on an idle link drops it', async () => {
  await using server = await startFaultServer((request, connection) => connection.send(answerFrame(request)));
  await using underTest = await connectDriver(server.port);
  await underTest.driver.prepareRead([createChannel()]).read(noDeadline());
  server.forEachConnection((connection) => connection.send(Buffer.alloc(64, 0xff)));
  while (underTest.losses.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.match(underTest.losses[0]?.message ?? '', /not Modbus TCP/);
});

test('when the device goes away under a call, the call fails with ConnectionError and all after it at once', async () => {
  const clock = new ManualClock();
  const server = await startFaultServer((_, connection) => {
    void server.close();
    connection.reset();
  });
  await using underTest = await connectDriver(server.port, { clock });
  const prepared = underTest.driver.prepareRead([createChannel()]);
  await assert.rejects(prepared.read(noDeadline()), { code: 'CONNECT_FAILED' });
  await assert.rejects(prepared.read(noDeadline()), { code: 'CONNECT_FAILED' });
  await server.close();
});

test('a call whose link is gone for good keeps the values that it has', async () => {
  const server = await startFaultServer((request, connection) => {
    if (request.index === 0) return connection.send(answerFrame(request));
    void server.close();
    connection.reset();
  });
  await using underTest = await connectDriver(server.port, { clock: new ManualClock() });
  const channels = [createChannel({ offset: 3 }), createChannel({ offset: 300 })];
  const readings = await underTest.driver.prepareRead(channels).read(noDeadline());
  assert.equal(readings[0]?.value, 3);
  assert.equal(readings[1]?.failure?.code, 'CONNECT_FAILED');
  await server.close();
});

test('the factory of the driver is listed under its type and describes its endpoint', () => {
  const factory = createDriverFactories().find(({ type }) => type === 'modbus');
  assert.equal(factory?.describe(factory.configSchema.parse({ host: '192.0.2.7' })), '192.0.2.7:502');
});
