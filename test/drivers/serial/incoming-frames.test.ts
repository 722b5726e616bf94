import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Framing } from '../../../drivers/serial/framing.ts';
import { IncomingFrames } from '../../../drivers/serial/incoming-frames.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const LINES: Framing = { type: 'delimiter', delimiter: '\\r\\n' };
const GAPS: Framing = { type: 'idleGap', gapMs: 30 };
// Longer than a frame pauses, and shorter than a late rest.
const PAUSE_MS = 50;
const TIMEOUT_MS = 1000;

function createLine(framing = LINES, baudRate = 9600) {
  const clock = new ManualClock();
  const frames: string[] = [];
  const incoming = new IncomingFrames({
    config: { framing, maximumFrameBytes: 100, responseTimeoutMs: TIMEOUT_MS, baudRate, dataBits: 8 },
    clock,
    onFrame: (frame) => void frames.push(frame.toString('latin1')),
    onDamage: assert.fail,
    onFault: (fault) => void frames.push(`fault: ${fault}`),
  });
  incoming.recordOpened();
  return {
    clock,
    frames,
    incoming,
    /** Bytes come in after a pause. */
    come: (text: string, pauseMs = 0): void => {
      clock.advance(pauseMs);
      incoming.push(Buffer.from(text, 'latin1'));
    },
    /** Makes ready for an answer; tells when that is done. */
    settle: () => {
      const state = { isDone: false };
      void incoming.settle(new AbortController().signal).then(() => (state.isDone = true));
      return state;
    },
  };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

for (const [name, framing, end] of [
  ['delimiter', LINES, '\r\n'],
  ['idleGap', GAPS, ''],
] as const) {
  test(`what comes as soon as a line is open is the rest of a frame (${name})`, () => {
    const { come, frames, clock } = createLine(framing);
    come(`2.5${end}`, 1);
    come(`12.5${end}`, PAUSE_MS);
    clock.advance(PAUSE_MS);
    assert.deepEqual(frames, ['12.5']);
  });

  test(`what comes after a silence begins a frame (${name})`, () => {
    const { come, frames, clock } = createLine(framing);
    come(`12.5${end}`, PAUSE_MS);
    clock.advance(PAUSE_MS);
    assert.deepEqual(frames, ['12.5']);
  });
}

test('a slow line has longer pauses within a frame', () => {
  const { come, frames } = createLine(LINES, 300);
  come('2.5\r\n', 100);
  come('12.5\r\n', 100);
  assert.deepEqual(frames, ['12.5']);
});

test('a frame that is coming in is waited for, and stays whole', async () => {
  const { come, frames, settle, clock } = createLine();
  come('12', PAUSE_MS);
  const state = settle();
  come('.', 10);
  await turns();
  assert.equal(state.isDone, false);
  come('5\r\n', 10);
  clock.advance(PAUSE_MS);
  await turns();
  assert.equal(state.isDone, true);
  assert.deepEqual(frames, ['12.5']);
});

test('what noise has left is forgotten once the line is silent', async () => {
  const { come, frames, settle, clock } = createLine();
  come('\xff', PAUSE_MS);
  const state = settle();
  clock.advance(PAUSE_MS);
  await turns();
  assert.equal(state.isDone, true);
  come('7\r\n');
  assert.deepEqual(frames, ['7']);
});

test('on a line that never rests, a frame that has begun meanwhile stays whole', async () => {
  const { come, frames, settle, clock } = createLine();
  come('12', PAUSE_MS);
  const state = settle();
  come('.5\r\n13', 10);
  clock.advance(15);
  await turns();
  assert.equal(state.isDone, true);
  come('.5\r\n');
  assert.deepEqual(frames, ['12.5', '13.5']);
});

test('a frame without end is waited for as long as for an answer, and what comes of it later is none', async () => {
  const { come, frames, settle } = createLine();
  come('1', PAUSE_MS);
  const state = settle();
  for (let passedMs = 0; passedMs <= TIMEOUT_MS; passedMs += 10) {
    come('2', 10);
    await turns();
  }
  assert.equal(state.isDone, true);
  come('.5\r\n7\r\n');
  assert.deepEqual(frames.at(-1), '7');
  assert.ok(!frames.some((frame) => frame.endsWith('.5')));
});

test('what comes long after the beginning of a frame is not its rest, and no frame', () => {
  const { come, frames } = createLine();
  come('1', PAUSE_MS);
  come('2.5\r\n', TIMEOUT_MS + 1);
  come('13.5\r\n');
  assert.deepEqual(frames, ['13.5']);
});

test('a wait for silence ends with its signal', async () => {
  const { come, incoming } = createLine();
  come('12', PAUSE_MS);
  const reason = new Error('the gateway stops');
  const stopping = new AbortController();
  const settled = incoming.settle(stopping.signal);
  stopping.abort(reason);
  await assert.rejects(settled, reason);
});
