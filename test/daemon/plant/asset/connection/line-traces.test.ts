import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { TracedFrame, TracingDriver } from '../../../../../daemon/channel/trace/tracing-driver.ts';
import { LineTraces } from '../../../../../daemon/plant/asset/connection/line-traces.ts';
import { systemRandom } from '../../../../../daemon/base/random.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

/** A driver that only shows bytes. */
class ShowingDriver implements Pick<TracingDriver, 'trace'> {
  listener: ((frame: TracedFrame) => void) | undefined;

  trace(onFrame: ((frame: TracedFrame) => void) | undefined): void {
    this.listener = onFrame;
  }

  send(text: string): void {
    this.listener?.({ direction: 'SENT', bytes: Buffer.from(text), meaning: text, reasons: [] });
  }
}

test('a trace begins with its first request, and later ones return what is newer', () => {
  const traces = new LineTraces(new ManualClock(1000), systemRandom);
  const driver = new ShowingDriver();
  driver.send('before');
  assert.deepEqual(traces.read('line', driver, 0).frames, []);
  driver.send('a');
  driver.send('b');
  const [first, second] = traces.read('line', driver, 0).frames;
  assert.deepEqual([first?.id, first?.meaning, first?.timeMs, second?.id], [1, 'a', 1000, 2]);
  assert.deepEqual(
    traces.read('line', driver, 1).frames.map(({ meaning }) => meaning),
    ['b'],
  );
});

test('the newest 200 frames are kept', () => {
  const traces = new LineTraces(new ManualClock(0), systemRandom);
  const driver = new ShowingDriver();
  traces.read('line', driver, 0);
  for (let index = 0; index < 300; index += 1) driver.send('x');
  const { frames } = traces.read('line', driver, 0);
  assert.deepEqual([frames.length, frames[0]?.id, frames.at(-1)?.id], [200, 101, 300]);
});

test('a trace that is not read for a minute ends, and so does that of a former driver', () => {
  const clock = new ManualClock(0);
  const traces = new LineTraces(clock, systemRandom);
  const driver = new ShowingDriver();
  traces.read('line', driver, 0);
  clock.advance(59_000);
  const first = traces.read('line', driver, 0);
  clock.advance(59_000);
  assert.ok(driver.listener !== undefined);
  const next = new ShowingDriver();
  const begun = traces.read('line', next, 5);
  assert.notEqual(begun.run, first.run);
  assert.equal(driver.listener, undefined);
  next.send('a');
  // The id of the page is that of the former trace.
  const { run, frames } = traces.read('line', next, 5);
  assert.deepEqual([run, frames.length], [begun.run, 1]);
  clock.advance(60_000);
  assert.equal(next.listener, undefined);
});
