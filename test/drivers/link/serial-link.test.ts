import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { systemClock } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import type { ByteLinkEvents } from '../../../drivers/link/byte-link.ts';
import type { FlowControl } from '../../../drivers/link/line-control.ts';
import { rs485Schema } from '../../../drivers/link/rs485.ts';
import { SerialLink } from '../../../drivers/link/serial-link.ts';
import type { SerialLinkOptions } from '../../../drivers/link/serial-link.ts';
import { explainMissing, explainOpenFailure } from '../../../drivers/link/serial-open-failure.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { needs } from '../../support/tests-that-need.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { makeWaitingPipe } from '../../support/waiting-pipe.ts';

const UNEXPECTED: ByteLinkEvents = {
  onChunk: (bytes) => assert.fail(`${bytes.length} bytes came in`),
  onClose: (cause) => assert.fail(cause),
};

function createLink(
  device: string,
  clock: Clock = systemClock,
  control: Pick<SerialLinkOptions, 'flowControl' | 'rs485'> = {},
): SerialLink {
  const characters = { baudRate: 9600, dataBits: 8, stopBits: 1, parity: 'none' } as const;
  return new SerialLink({ device, ...characters, ...control, clock });
}

/** Opens a link and keeps the received bytes. */
async function openRecorder(
  device: string,
  flowControl: FlowControl = 'none',
): Promise<{
  readonly link: SerialLink;
  receive(count: number): Promise<Buffer>;
  /** Number of bytes that came and were not taken. */
  received(): number;
  readonly closed: Promise<Error>;
}> {
  const link = createLink(device, systemClock, { flowControl });
  const chunks: Buffer[] = [];
  const { promise: closed, resolve: onClose } = Promise.withResolvers<Error>();
  let onProgress = (): void => undefined;
  await link.open(new AbortController().signal, {
    onChunk(bytes) {
      chunks.push(Buffer.from(bytes));
      onProgress();
    },
    onClose,
  });
  return {
    link,
    closed,
    received: () => Buffer.concat(chunks).length,
    receive: (count) =>
      new Promise((resolve) => {
        onProgress = () => {
          const received = Buffer.concat(chunks);
          if (received.length < count) return;
          chunks.splice(0, chunks.length, received.subarray(count));
          onProgress = () => undefined;
          resolve(received.subarray(0, count));
        };
        onProgress();
      }),
  };
}

test('bytes go both ways, each without waiting for the next', needs('socat'), async () => {
  await using pair = await openSerialPair();
  const near = await openRecorder(pair.gateway);
  const far = await openRecorder(pair.instrument);
  // Nothing else wakes the process here: a byte that got stuck would never arrive.
  for (let value = 0; value < 256; value += 1) {
    near.link.send(Buffer.of(value));
    assert.deepEqual(await far.receive(1), Buffer.of(value));
    far.link.send(Buffer.of(255 - value));
    assert.deepEqual(await near.receive(1), Buffer.of(255 - value));
  }
  near.link.close();
  far.link.close();
});

test('a megabyte arrives whole and in order', needs('socat'), async () => {
  await using pair = await openSerialPair();
  const near = await openRecorder(pair.gateway);
  const far = await openRecorder(pair.instrument);
  const sent = Buffer.from(Array.from({ length: 1 << 20 }, (_, index) => (index * 31) >> 5));
  // Given in pieces: each waits for the one before.
  for (let at = 0; at < sent.length; at += 65_536) far.link.send(sent.subarray(at, at + 65_536));
  assert.ok(sent.equals(await near.receive(sent.length)));
  near.link.close();
  far.link.close();
});

test(
  'a line that is pulled is reported by onClose, also right after it was opened',
  needs('socat'),
  async () => {
    await using pair = await openSerialPair();
    for (let round = 0; round < 10; round += 1) {
      const { closed, link } = await openRecorder(pair.gateway);
      if (round % 2 === 1) await new Promise((resolve) => setImmediate(resolve));
      await pair.unplug();
      await closed;
      link.send(Buffer.from('nobody gets this'));
      await pair.replug();
    }
    const near = await openRecorder(pair.gateway);
    const far = await openRecorder(pair.instrument);
    far.link.send(Buffer.from('fresh'));
    assert.equal(String(await near.receive(5)), 'fresh');
    near.link.close();
    far.link.close();
  },
);

test(
  'bytes that a device sends right before it is pulled arrive, and the line ends after them',
  needs('socat'),
  async () => {
    await using pair = await openSerialPair();
    const near = await openRecorder(pair.gateway);
    const far = await openRecorder(pair.instrument);
    far.link.send(Buffer.from('last words'));
    await near.receive(10);
    await pair.unplug();
    await Promise.all([near.closed, far.closed]);
  },
);

test(
  'a closed link reports nothing, sends nothing, and its line can be opened at once',
  needs('socat'),
  async () => {
    await using pair = await openSerialPair();
    const far = await openRecorder(pair.instrument);
    const link = createLink(pair.gateway);
    await link.open(new AbortController().signal, UNEXPECTED);
    link.close();
    link.close();
    link.send(Buffer.from('late'));
    const next = await openRecorder(pair.gateway);
    next.link.send(Buffer.from('next'));
    assert.equal(String(await far.receive(4)), 'next');
    next.link.close();
    far.link.close();
  },
);

test('a line that is about to be given back is opened once it is free', needs('socat'), async () => {
  await using pair = await openSerialPair();
  const { link: former } = await openRecorder(pair.gateway);
  const { promise: isBusy, resolve: onPause } = Promise.withResolvers<undefined>();
  let pauses = 0;
  const clock: Clock = {
    ...systemClock,
    schedule(delayMs, action) {
      pauses += 1;
      // The first is the time limit of the attempt.
      if (pauses === 2) onPause(undefined);
      return systemClock.schedule(delayMs, action);
    },
  };
  const next = createLink(pair.gateway, clock);
  const opening = next.open(new AbortController().signal, UNEXPECTED);
  await Promise.race([isBusy, opening]);
  former.close();
  await opening;
  next.close();
});

test(
  'a link that is closed while it writes more than the line takes ends without a report',
  needs('socat'),
  async () => {
    await using pair = await openSerialPair();
    const link = createLink(pair.gateway);
    await link.open(new AbortController().signal, UNEXPECTED);
    link.send(Buffer.alloc(1 << 20));
    link.close();
    await new Promise((resolve) => setImmediate(resolve));
  },
);

test('open fails with a code and names the remedy', async (t) => {
  const open = (device: string): Promise<void> =>
    createLink(device).open(new AbortController().signal, UNEXPECTED);
  await t.test('SERIAL_NOT_FOUND for a device that is not there', async () => {
    await assert.rejects(open('/dev/serial/by-id/none'), {
      code: 'SERIAL_NOT_FOUND',
      message: /^cannot open serial line none: .*plugged in/,
    });
  });
  await t.test('SERIAL_NOT_A_LINE for something else', async () => {
    await assert.rejects(open('/dev/null'), { code: 'SERIAL_NOT_A_LINE' });
    await assert.rejects(open('/dev'), { code: 'SERIAL_NOT_A_LINE' });
  });
  await t.test('SERIAL_NOT_A_LINE for a pipe, which is not opened', async () => {
    const pipe = await makeWaitingPipe(t, createTemporaryDirectory(t));
    await assert.rejects(open(pipe.file), { code: 'SERIAL_NOT_A_LINE' });
    assert.equal(await pipe.takeText(), 'text');
  });
  await t.test('SERIAL_BUSY for a line that is open already', needs('socat'), async () => {
    await using pair = await openSerialPair();
    const { link } = await openRecorder(pair.gateway);
    await assert.rejects(open(pair.gateway), { code: 'SERIAL_BUSY' });
    link.close();
  });
  await t.test('SERIAL_NOT_PERMITTED names the group', () => {
    const failure = explainOpenFailure('Error: Permission denied, cannot open /dev/ttyUSB0');
    assert.equal(failure.code, 'SERIAL_NOT_PERMITTED');
    assert.match(failure.reason.message, /dialout/);
  });
  await t.test('SERIAL_OPEN_FAILED with the words of the system for everything else', () => {
    const { code, reason } = explainOpenFailure('Input/output error');
    assert.deepEqual([code, reason.message], ['SERIAL_OPEN_FAILED', 'Input/output error']);
  });
});

test('an attempt that was aborted or timed out leaves the line free', needs('socat'), async () => {
  await using pair = await openSerialPair();
  const abort = new AbortController();
  const aborted = createLink(pair.gateway).open(abort.signal, UNEXPECTED);
  abort.abort(new Error('enough'));
  await assert.rejects(aborted, { code: 'CONNECT_ABORTED' });
  const clock = new ManualClock();
  const late = createLink(pair.instrument, clock).open(new AbortController().signal, UNEXPECTED);
  clock.advance(5000);
  await assert.rejects(late, { code: 'CONNECT_TIMEOUT' });
  const closedEarly = createLink(pair.instrument);
  const opening = closedEarly.open(new AbortController().signal, UNEXPECTED);
  closedEarly.close();
  await assert.rejects(opening, { code: 'CONNECT_ABORTED' });
  for (const device of [pair.gateway, pair.instrument]) {
    // Each attempt that was given up closes its line as soon as the system has opened it.
    const { link } = await openRecorder(device);
    link.close();
  }
});

test('explainMissing names the adapters that are plugged in, and says when none is', () => {
  assert.match(explainMissing([]).message, /\? no adapter is plugged in$/);
  assert.match(explainMissing(['usb-a', 'usb-b']).message, /\? plugged in: usb-a, usb-b$/);
  const many = Array.from({ length: 10 }, (_, index) => `usb-${index}`);
  assert.match(explainMissing(many).message, /usb-7 and 2 more$/);
});

test(
  'flow control is set on the line as asked, and nothing stays of the one before',
  needs('socat'),
  async () => {
    await using pair = await openSerialPair();
    const set = async (flowControl: FlowControl): Promise<readonly string[]> => {
      const { link } = await openRecorder(pair.gateway, flowControl);
      const words = execFileSync('stty', ['-F', pair.gateway, '-a'], { encoding: 'utf8' }).split(/[\s;]+/);
      link.close();
      return words.filter((word) => /^-?(?:crtscts|ixon|ixoff|ixany)$/.test(word)).sort();
    };
    assert.deepEqual(await set('rtsCts'), ['-ixany', '-ixoff', '-ixon', 'crtscts']);
    assert.deepEqual(await set('xonXoff'), ['-crtscts', '-ixany', 'ixoff', 'ixon']);
    assert.deepEqual(await set('none'), ['-crtscts', '-ixany', '-ixoff', '-ixon']);
  },
);

test(
  'XOFF holds back what is sent, XON lets it through, and neither is received',
  needs('socat'),
  async () => {
    const [xon, xoff] = [Buffer.of(0x11), Buffer.of(0x13)];
    await using pair = await openSerialPair();
    const near = await openRecorder(pair.gateway, 'xonXoff');
    const far = await openRecorder(pair.instrument);
    far.link.send(Buffer.concat([xoff, Buffer.from('stop')]));
    // With the text, the character before it has arrived.
    assert.equal((await near.receive(4)).toString(), 'stop');
    near.link.send(Buffer.from('held'));
    far.link.send(Buffer.from('!'));
    assert.equal((await near.receive(1)).toString(), '!');
    assert.equal(far.received(), 0);
    far.link.send(xon);
    assert.equal((await far.receive(4)).toString(), 'held');
    near.link.close();
    far.link.close();
  },
);

test('without flow control XON and XOFF are bytes like others', needs('socat'), async () => {
  await using pair = await openSerialPair();
  const near = await openRecorder(pair.gateway);
  const far = await openRecorder(pair.instrument);
  far.link.send(Buffer.of(0x13, 0x11));
  assert.deepEqual(await near.receive(2), Buffer.of(0x13, 0x11));
  near.link.close();
  far.link.close();
});

test(
  'a line that is paused closes at once and is free again, and what it held is not sent',
  needs('socat'),
  async () => {
    await using pair = await openSerialPair();
    const far = await openRecorder(pair.instrument);
    const paused = await openRecorder(pair.gateway, 'xonXoff');
    far.link.send(Buffer.from('\x13!'));
    await paused.receive(1);
    paused.link.send(Buffer.from('old'));
    paused.link.close();
    const next = await openRecorder(pair.gateway, 'xonXoff');
    far.link.send(Buffer.from('\x11!'));
    await next.receive(1);
    next.link.send(Buffer.from('new'));
    assert.equal((await far.receive(3)).toString(), 'new');
    next.link.close();
    far.link.close();
  },
);

test(
  'a line without RS-485 mode does not open where the settings ask for it, and stays free',
  needs('socat'),
  async () => {
    await using pair = await openSerialPair();
    const open = (rs485: SerialLinkOptions['rs485']) =>
      createLink(pair.gateway, systemClock, { rs485 }).open(new AbortController().signal, UNEXPECTED);
    await assert.rejects(open(rs485Schema.parse({})), {
      code: 'SERIAL_NO_RS485',
      message: /has no RS-485 mode; .* without rs485$/,
    });
    const { link } = await openRecorder(pair.gateway);
    link.close();
  },
);
