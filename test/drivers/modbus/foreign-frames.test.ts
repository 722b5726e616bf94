import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { systemClock } from '../../../daemon/base/clock.ts';
import { appendCrc } from '../../../drivers/modbus/pdu/crc.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { connectDriverTo, createChannel, noDeadline } from '../../support/modbus-driver-under-test.ts';
import { answerFrameOf, startSerialSlave } from '../../support/modbus-serial-slave.ts';
import { needs } from '../../support/tests-that-need.ts';

const STEP_MS = 10;

/** What others send on the line. */
interface Chatter {
  readonly frames: readonly Buffer[];
  readonly everyMs: number;
  /** What they send right behind each answer. */
  readonly behind?: readonly Buffer[];
  /** Milliseconds after which unit 1 answers. */
  readonly responseMs?: number;
}

/** A frame of a function that nobody asks for, as a meter sends it of its own accord. */
const UNASKED = appendCrc(1, Buffer.from('2002014411aa', 'hex'));
/** Another master reads ten registers of unit 1, and has its answer. */
const OTHER_MASTER = [
  appendCrc(1, Buffer.from('030010000a', 'hex')),
  appendCrc(1, Buffer.concat([Buffer.from([3, 20]), Buffer.alloc(20, 9)])),
];

/** A device server on whose line others talk as well. */
async function startLine(t: TestContext, { frames, everyMs, behind = [], responseMs = 40 }: Chatter) {
  const clock = new ManualClock();
  const sockets = new Set<Socket>();
  let silences = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      if (silences > 0) {
        silences -= 1;
        return;
      }
      const answer = appendCrc(bytes[0] ?? 0, Buffer.from([3, 2, 0, 7]));
      clock.schedule(responseMs, () => void socket.write(Buffer.concat([answer, ...behind])));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const talk = (): void => {
    for (const socket of sockets) socket.write(Buffer.concat(frames));
    clock.schedule(everyMs, talk);
  };
  clock.schedule(everyMs, talk);
  const { port } = server.address() as AddressInfo;
  const { driver } = await connectDriverTo({ transport: 'rtu-over-tcp', host: '127.0.0.1', port }, { clock });
  t.after(() => driver.disconnect());
  const pass = async (ms: number): Promise<void> => {
    const endMs = clock.monotonicMs() + ms;
    while (clock.monotonicMs() < endMs) {
      for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      clock.advance(STEP_MS);
    }
  };
  /** Reads once; returns the value and the milliseconds that it took. */
  const read = async () => {
    const startMs = clock.monotonicMs();
    const ended = new AbortController();
    const reading = driver
      .prepareRead([createChannel()])
      .read(noDeadline())
      .finally(() => ended.abort());
    while (!ended.signal.aborted) await pass(STEP_MS);
    const [first] = await reading;
    return { value: first?.value, failure: first?.failure, tookMs: clock.monotonicMs() - startMs };
  };
  const beSilent = (count: number): void => {
    silences = count;
  };
  return { driver, pass, read, beSilent };
}

for (const [name, chatter] of [
  ['a unit that sends unasked', { frames: [UNASKED], everyMs: 300 }],
  ['another master', { frames: OTHER_MASTER, everyMs: 300 }],
] as const) {
  test(`frames of ${name} neither fail nor delay the reads of the same unit`, async (t) => {
    const line = await startLine(t, chatter);
    for (let turn = 0; turn < 20; turn += 1) {
      await line.pass(730);
      const { value, failure, tookMs } = await line.read();
      assert.equal(value, 7, failure?.message);
      assert.ok(tookMs <= 200, `${tookMs} ms`);
    }
    assert.ok((line.driver.counters()['foreignFrames'] ?? 0) >= 20);
  });

  test(`a time-out on the line of ${name} holds the unit back no longer than on a quiet line`, async (t) => {
    const line = await startLine(t, chatter);
    await line.read();
    line.beSilent(1);
    assert.notEqual((await line.read()).failure, undefined);
    const { value, tookMs } = await line.read();
    assert.equal(value, 7);
    assert.ok(tookMs <= 1400, `${tookMs} ms`);
  });
}

test('short answers to another master neither fail nor shorten the reads of the same unit', async (t) => {
  const frames = [
    appendCrc(1, Buffer.from('030000000a', 'hex')),
    appendCrc(1, Buffer.concat([Buffer.from([3, 20]), Buffer.alloc(20, 9)])),
    appendCrc(1, Buffer.from('0100000001', 'hex')),
    appendCrc(1, Buffer.from([3, 0])),
  ];
  // The pause in which a frame ends is over before the answer comes.
  const line = await startLine(t, { frames, everyMs: 230, responseMs: 170 });
  for (let turn = 0; turn < 20; turn += 1) {
    await line.pass(330);
    const { value, failure } = await line.read();
    assert.equal(value, 7, failure?.message);
  }
  assert.equal(line.driver.unitStatus()[0]?.requestLimits, undefined);
});

test('frames of a unit that sends unasked right behind each answer do not delay the next read', async (t) => {
  const line = await startLine(t, { frames: [], everyMs: 60_000, behind: [UNASKED] });
  for (let turn = 0; turn < 5; turn += 1) {
    const { value, failure, tookMs } = await line.read();
    assert.equal(value, 7, failure?.message);
    assert.ok(tookMs <= 200, `${tookMs} ms`);
  }
});

test('a unit that only sends unasked is reported with what came', async (t) => {
  const line = await startLine(t, { frames: [UNASKED], everyMs: 300 });
  line.beSilent(10);
  assert.equal(
    (await line.read()).failure?.message,
    'unit 1 did not respond within 1000 ms: received function code 32, but no response',
  );
});

test('late answers are no foreign frames', async (t) => {
  const line = await startLine(t, { frames: [], everyMs: 60_000 });
  await line.read();
  assert.equal(line.driver.counters()['foreignFrames'], 0);
});

/** A serial line, as an adapter gives it, on which others talk every 100 ms; unit 1 answers after 40 ms. */
async function startSerialLine(t: TestContext, frames: readonly Buffer[]) {
  const line = { silences: 0, chats: 0 };
  const slave = await startSerialSlave((request, send) => {
    if (line.silences > 0) line.silences -= 1;
    else systemClock.schedule(40, () => send(answerFrameOf(request)));
  });
  let cancel = (): void => undefined;
  const talk = (): void => {
    line.chats += 1;
    slave.send(Buffer.concat(frames));
    cancel = systemClock.schedule(100, talk);
  };
  talk();
  const place = { device: slave.device, baudRate: 115_200, parity: 'none', responseTimeoutMs: 600 } as const;
  const { driver } = await connectDriverTo({ transport: 'rtu', ...place });
  t.after(async () => {
    cancel();
    await driver.disconnect();
    await slave[Symbol.asyncDispose]();
  });
  const prepared = driver.prepareRead([createChannel({ unitId: 1, offset: 7 })]);
  const read = async () => (await prepared.read(noDeadline()))[0];
  return { driver, line, read };
}

for (const [name, frames] of [
  ['a unit that sends unasked', [UNASKED]],
  ['another master', OTHER_MASTER],
] as const) {
  test(`on a serial line frames of ${name} fail no read of the same unit`, needs('socat'), async (t) => {
    const { driver, line, read } = await startSerialLine(t, frames);
    for (let turn = 0; turn < 40; turn += 1) {
      const reading = await read();
      assert.equal(reading?.value, 7, reading?.failure?.message);
    }
    assert.ok(line.chats >= 10);
    assert.ok((driver.counters()['foreignFrames'] ?? 0) >= 5);
    assert.equal(driver.unitStatus()[0]?.state, 'ANSWERING');
  });

  test(
    `a time-out on a serial line of ${name} holds the unit back no longer than on a quiet one`,
    needs('socat'),
    async (t) => {
      const { line, read } = await startSerialLine(t, frames);
      assert.equal((await read())?.value, 7);
      line.silences = 1;
      assert.notEqual((await read())?.failure, undefined);
      const chats = line.chats;
      assert.equal((await read())?.value, 7);
      // Five time-outs are 30 of them.
      assert.ok(line.chats - chats <= 15, `${line.chats - chats}`);
    },
  );
}
