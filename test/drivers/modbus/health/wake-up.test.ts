import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { isLocking } from '../../../../daemon/channel/locking-driver.ts';
import { appendCrc } from '../../../../drivers/modbus/pdu/crc.ts';
import type { ModbusAddress } from '../../../../drivers/modbus/modbus-address.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { connectDriverTo, createChannel, noDeadline } from '../../../support/modbus-driver-under-test.ts';
import { createFrame } from '../../../support/modbus-fault-server.ts';
import { runPrepared, writeValues } from '../../../support/write-values.ts';

const STEP_MS = 10;
const AWAKE_MS = 3000;

/** A device that loses the first request after it was not asked for a while. */
async function startSleeper(t: TestContext, transport: 'tcp' | 'rtu-over-tcp', settings: object = {}) {
  const clock = new ManualClock();
  const sockets = new Set<Socket>();
  const received: Buffer[] = [];
  let isDead = false;
  let askedMs = Number.NEGATIVE_INFINITY;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      const isAwake = clock.monotonicMs() - askedMs < AWAKE_MS;
      askedMs = clock.monotonicMs();
      const pdu = transport === 'tcp' ? bytes.subarray(7) : bytes.subarray(1, -2);
      received.push(Buffer.from(pdu));
      if (!isAwake || isDead) return;
      const answer = pdu[0] === 3 ? Buffer.from([3, 2, 0, 7]) : Buffer.from(pdu);
      const frame =
        transport === 'tcp'
          ? createFrame({ transactionId: bytes.readUInt16BE(0), unitId: bytes[6] ?? 0, pdu: answer })
          : appendCrc(bytes[0] ?? 0, answer);
      clock.schedule(20, () => void socket.write(frame));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const { driver } = await connectDriverTo(
    { transport, host: '127.0.0.1', port, retries: 0, ...settings },
    { clock },
  );
  t.after(() => driver.disconnect());
  const pass = async (ms: number): Promise<void> => {
    const endMs = clock.monotonicMs() + ms;
    while (clock.monotonicMs() < endMs) {
      for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(STEP_MS);
    }
  };
  const settle = async <T>(result: Promise<T>): Promise<T> => {
    const ended = new AbortController();
    const settled = result.finally(() => ended.abort());
    while (!ended.signal.aborted) await pass(STEP_MS);
    return settled;
  };
  return {
    driver,
    received,
    pass,
    settle,
    setDead: (dead: boolean): void => {
      isDead = dead;
    },
    read: async () => (await settle(driver.prepareRead([createChannel()]).read(noDeadline())))[0],
    write: async (address: Partial<ModbusAddress> = {}) =>
      (await settle(writeValues(driver, [{ channel: createChannel(address), value: 5 }], noDeadline())))[0],
    stateOf: () => driver.unitStatus()[0]?.state,
  };
}

for (const transport of ['tcp', 'rtu-over-tcp'] as const) {
  test(`over ${transport} every read after a pause has a value with wakeUp`, async (t) => {
    const sleeper = await startSleeper(t, transport, { wakeUp: true });
    for (let turn = 0; turn < 5; turn += 1) {
      const reading = await sleeper.read();
      assert.equal(reading?.value, 7, reading?.failure?.message);
      await sleeper.pass(5000);
    }
    assert.equal(sleeper.driver.unitStatus()[0]?.silentAddresses, undefined);
  });

  test(`over ${transport} a write after a pause is sent once, behind a read that wakes the unit`, async (t) => {
    const sleeper = await startSleeper(t, transport, { wakeUp: true });
    for (let turn = 1; turn <= 4; turn += 1) {
      assert.equal((await sleeper.write())?.failure, undefined);
      assert.equal(sleeper.received.filter((pdu) => pdu[0] === 6).length, turn);
      assert.equal(sleeper.received.at(-1)?.[0], 6);
      await sleeper.pass(5000);
    }
  });

  test(`over ${transport} a unit that was dead and sleeps is back by its probes with wakeUp`, async (t) => {
    const sleeper = await startSleeper(t, transport, { wakeUp: true });
    await sleeper.read();
    sleeper.setDead(true);
    for (let turn = 0; turn < 2; turn += 1) {
      await sleeper.read();
      await sleeper.pass(2500);
    }
    assert.equal(sleeper.stateOf(), 'SUSPENDED');
    sleeper.setDead(false);
    await sleeper.pass(10_000);
    assert.equal(sleeper.stateOf(), 'ANSWERING');
  });
}

test('a conditional write after a pause reads its conditions and is sent once', async (t) => {
  const sleeper = await startSleeper(t, 'tcp', { wakeUp: true });
  const { driver } = sleeper;
  assert.ok(isLocking(driver));
  const request = { channel: createChannel(), value: 5 };
  const prepared = await driver.prepareWrite([request], noDeadline());
  const writing = driver.runExclusive(request.channel, noDeadline(), async (turn) => {
    await turn.prepareRead([createChannel()]).read(noDeadline());
    const steps = prepared.steps.map((step) => turn.take(step));
    return runPrepared({ ...prepared, steps }, [request], noDeadline());
  });
  const [outcome] = await sleeper.settle(writing);
  assert.equal(outcome?.failure, undefined);
  assert.equal(sleeper.received.filter((pdu) => pdu[0] === 6).length, 1);
});

test('without wakeUp the first request after a pause is lost, and nothing is sent to wake a unit', async (t) => {
  const sleeper = await startSleeper(t, 'tcp');
  assert.equal((await sleeper.read())?.failure?.code, 'MODBUS_NO_RESPONSE');
  await sleeper.pass(5000);
  assert.equal((await sleeper.write())?.failure?.code, 'MODBUS_WRITE_OUTCOME_UNKNOWN');
  assert.deepEqual(
    sleeper.received.map((pdu) => pdu[0]),
    [3, 6],
  );
});
