import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { createRandom } from '../../support/random.ts';
import {
  advanceUntil,
  connectDriver,
  countTo,
  createChannel,
  noDeadline,
} from '../../support/serial-instrument-driver.ts';
import { openScriptedInstrument } from '../../support/serial-instrument.ts';
import { openSerialPair } from '../../support/serial-pair.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';
import { runPrepared, writeValues } from '../../support/write-values.ts';

const { test } = testsThatNeed('socat');

const ANY_NUMBER = { pattern: '^([0-9.]+)$' };
const FIRST = createChannel({ request: 'A\\r\\n', response: ANY_NUMBER });
const SECOND = createChannel({ request: 'B\\r\\n', response: ANY_NUMBER });
const UNASKED = createChannel({ response: ANY_NUMBER });
const SECOND_UNASKED = createChannel({ response: { pattern: '^X([0-9.]+)$' } });
const CONFIRMED = createChannel({ write: 'C{value}\\r\\n', acknowledge: '^OK$' });

// Longer than that between the bytes of a frame.
const PAUSE_MS = 25;

test('a late answer is thrown away and never taken for that of the next request', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock });
  const first = line.read(FIRST);
  await instrument.expect('A\r\n');
  const [silent] = await advanceUntil(clock, first);
  assert.equal(silent?.failure?.code, 'SERIAL_NO_RESPONSE');
  const second = line.read(SECOND);
  instrument.send('1\r\n');
  await countTo(line, 'strayFrames', 1);
  await advanceUntil(clock, countTo(line, 'requests', 2));
  await instrument.expect('B\r\n');
  instrument.send('2\r\n');
  assert.equal((await second)[0]?.value, 2);
});

test('an answer that comes late, after the line was pulled and plugged in again, is not taken for that of the next request', async () => {
  await using pair = await openSerialPair();
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock });
  const first = assert.rejects(line.read(FIRST), { code: 'SERIAL_LINK_LOST' });
  await countTo(line, 'requests', 1);
  await pair.unplug();
  await first;
  await pair.replug();
  using instrument = await openScriptedInstrument(pair.instrument);
  await line.connect();
  const second = line.read(SECOND);
  instrument.send('1\r\n');
  await countTo(line, 'frames', 1);
  await advanceUntil(clock, countTo(line, 'requests', 2));
  await instrument.expect('B\r\n');
  instrument.send('2\r\n');
  assert.equal((await second)[0]?.value, 2);
});

test('a frame that comes unasked and does not match is passed over, and the one after it counts', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock });
  const readings = line.read(UNASKED, SECOND_UNASKED);
  instrument.send('ALARM 3\r\n12.5\r\n\xff\xfe\r\nALARM 4\r\n');
  await countTo(line, 'frames', 4);
  instrument.send('X13.5\r\n');
  assert.deepEqual(
    (await readings).map(({ value }) => value),
    [12.5, 13.5],
  );
  const late = line.read(SECOND_UNASKED);
  instrument.send('ALARM 5\r\n');
  await countTo(line, 'frames', 6);
  const [passed] = await advanceUntil(clock, late);
  assert.equal(passed?.failure?.code, 'SERIAL_INVALID_RESPONSE');
});

test('bytes from before a request never count as its answer', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  await using line = await connectDriver(pair.gateway);
  instrument.send('1\r\n9');
  await countTo(line, 'strayFrames', 1);
  const reading = line.read(FIRST);
  await instrument.expect('A\r\n');
  instrument.send('2\r\n');
  assert.equal((await reading)[0]?.value, 2);
});

test('frames that do not match, as the echo of the request, are passed over', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  await using line = await connectDriver(pair.gateway);
  const reading = line.read(FIRST);
  await instrument.expect('A\r\n');
  instrument.send('A\r\n\xff\xfe\r\n3\r\n');
  assert.equal((await reading)[0]?.value, 3);
});

test('an answer that does not match is shown in the failure', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock });
  const reading = line.read(FIRST);
  await instrument.expect('A\r\n');
  instrument.send('ERR\x07\r\n');
  await countTo(line, 'frames', 1);
  const [refused] = await advanceUntil(clock, reading);
  assert.equal(refused?.failure?.code, 'SERIAL_INVALID_RESPONSE');
  assert.match(refused?.failure?.message ?? '', /"ERR\\x07"/);
});

test('a frame that came before the read is not given as new; without a next one the read fails', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock });
  instrument.send('1\r\n');
  await countTo(line, 'strayFrames', 1);
  const reading = line.read(UNASKED);
  instrument.send('2\r\n');
  assert.equal((await reading)[0]?.value, 2);
  const [silent] = await advanceUntil(clock, line.read(UNASKED));
  assert.equal(silent?.failure?.code, 'SERIAL_NO_RESPONSE');
});

test('an idle line that is pulled is reported, reads fail with its name, and the next attempt finds it again', async () => {
  await using pair = await openSerialPair();
  await using line = await connectDriver(pair.gateway);
  await pair.unplug();
  const loss = await line.lost;
  assert.ok(loss instanceof ConnectionError);
  assert.equal(loss.code, 'SERIAL_LINK_LOST');
  assert.match(loss.detail, /^the serial line gateway was lost: /);
  await assert.rejects(line.read(FIRST, UNASKED), { code: 'SERIAL_LINK_LOST' });
  await assert.rejects(line.connect(), { code: 'SERIAL_NOT_FOUND' });
  await pair.replug();
  using instrument = await openScriptedInstrument(pair.instrument);
  await line.connect();
  const reading = line.read(FIRST);
  await instrument.expect('A\r\n');
  instrument.send('4\r\n');
  assert.equal((await reading)[0]?.value, 4);
});

test('a line that went dead is opened again after two silent requests, and the one that answers is used', async (t) => {
  await using dead = await openSerialPair();
  await using live = await openSerialPair();
  using instrument = await openScriptedInstrument(live.instrument);
  const device = path.join(createTemporaryDirectory(t), 'line');
  const clock = new ManualClock();
  symlinkSync(dead.gateway, device);
  await using line = await connectDriver(device, { clock });
  rmSync(device);
  symlinkSync(live.gateway, device);
  for (let probe = 0; probe < 2; probe += 1) {
    const [silent] = await advanceUntil(clock, line.read(FIRST));
    assert.equal(silent?.failure?.code, 'SERIAL_NO_RESPONSE');
  }
  const reading = line.read(FIRST);
  // Opening takes real time, which the clock must not overtake.
  await countTo(line, 'reopenings', 1);
  await advanceUntil(clock, countTo(line, 'requests', 3));
  await instrument.expect('A\r\n');
  instrument.send('5\r\n');
  assert.equal((await reading)[0]?.value, 5);
  assert.equal(line.driver.counters()['reopenings'], 1);
});

test('a dead line that is not there any more when it is opened again fails with its name', async (t) => {
  await using dead = await openSerialPair();
  const device = path.join(createTemporaryDirectory(t), 'line');
  const clock = new ManualClock();
  symlinkSync(dead.gateway, device);
  await using line = await connectDriver(device, { clock });
  rmSync(device);
  for (let probe = 0; probe < 2; probe += 1) await advanceUntil(clock, line.read(FIRST));
  await assert.rejects(line.read(FIRST, UNASKED), { code: 'SERIAL_NOT_FOUND' });
  await assert.rejects(line.read(FIRST), { code: 'SERIAL_NOT_FOUND' });
});

test('a line that sent unasked and then nothing is opened again; one that never sent is not', async (t) => {
  await using dead = await openSerialPair();
  await using live = await openSerialPair();
  using before = await openScriptedInstrument(dead.instrument);
  using after = await openScriptedInstrument(live.instrument);
  const device = path.join(createTemporaryDirectory(t), 'line');
  const clock = new ManualClock();
  symlinkSync(dead.gateway, device);
  await using line = await connectDriver(device, { clock });
  for (let wait = 0; wait < 3; wait += 1) await advanceUntil(clock, line.read(UNASKED));
  assert.equal(line.driver.counters()['reopenings'], 0);
  before.send('1\r\n');
  await countTo(line, 'frames', 1);
  rmSync(device);
  symlinkSync(live.gateway, device);
  for (let wait = 0; wait < 2; wait += 1) await advanceUntil(clock, line.read(UNASKED, SECOND_UNASKED));
  const reading = line.read(UNASKED);
  await countTo(line, 'reopenings', 1);
  clock.advance(PAUSE_MS);
  after.send('7\r\n');
  assert.equal((await reading)[0]?.value, 7);
});

test('a line that is pulled under a read and a write ends both, the write with an unknown outcome', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  await using line = await connectDriver(pair.gateway);
  const requests = [{ channel: CONFIRMED, value: 1 }];
  const prepared = await line.driver.prepareWrite(requests, noDeadline());
  const write = runPrepared(prepared, requests, noDeadline());
  const waiting = assert.rejects(line.read(FIRST), { code: 'SERIAL_LINK_LOST' });
  const listening = assert.rejects(line.read(UNASKED), { code: 'SERIAL_LINK_LOST' });
  await instrument.expect('C1\r\n');
  await pair.unplug();
  assert.equal((await write)[0]?.failure?.code, 'SERIAL_WRITE_OUTCOME_UNKNOWN');
  await Promise.all([waiting, listening]);
  const next = writeValues(line.driver, [{ channel: CONFIRMED, value: 1 }], noDeadline());
  await assert.rejects(next, { code: 'SERIAL_LINK_LOST' });
});

test('frames that come unasked while a write waits are passed over, and the confirmation after them counts', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  await using line = await connectDriver(pair.gateway);
  const writes = [1, 2].map((value) => ({ channel: CONFIRMED, value }));
  const outcomes = writeValues(line.driver, writes, noDeadline());
  for (const { value } of writes) {
    await instrument.expect(`C${value}\r\n`);
    instrument.send('12.5\r\n\xff\r\nALARM 3\r\n');
    await countTo(line, 'frames', 4 * value - 1);
    instrument.send('OK\r\n');
  }
  for (const { failure } of await outcomes) assert.equal(failure, undefined);
  assert.equal(line.driver.counters()['requests'], 2);
});

test('frames that do not confirm a write leave its outcome unknown, and the rest of the call is not sent', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock });
  const writes = [1, 2].map((value) => ({ channel: CONFIRMED, value }));
  const waiting = writeValues(line.driver, writes, noDeadline());
  await instrument.expect('C1\r\n');
  instrument.send('ERR 2\r\n');
  await countTo(line, 'frames', 1);
  const outcomes = await advanceUntil(clock, waiting);
  assert.deepEqual(
    outcomes.map(({ failure }) => failure?.code),
    ['SERIAL_WRITE_OUTCOME_UNKNOWN', 'WRITE_HELD_BACK'],
  );
  assert.match(outcomes[0]?.failure?.message ?? '', /"ERR 2".*; outcome unknown$/);
  assert.equal(line.driver.counters()['requests'], 1);
  // A confirmation that comes late is not taken for that of the next write.
  const next = writeValues(line.driver, writes.slice(1), noDeadline());
  instrument.send('OK\r\n');
  await countTo(line, 'strayFrames', 2);
  await advanceUntil(clock, countTo(line, 'requests', 2));
  await instrument.expect('C2\r\n');
  assert.equal((await advanceUntil(clock, next))[0]?.failure?.code, 'SERIAL_WRITE_OUTCOME_UNKNOWN');
  assert.doesNotMatch(instrument.received, /C/);
});

test('after a write without acknowledgement the rest is not sent', async () => {
  await using pair = await openSerialPair();
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock });
  const writes = [1, 2].map((value) => ({ channel: CONFIRMED, value }));
  const outcomes = await advanceUntil(clock, writeValues(line.driver, writes, noDeadline()));
  assert.deepEqual(
    outcomes.map(({ failure }) => failure?.code),
    ['SERIAL_WRITE_OUTCOME_UNKNOWN', 'WRITE_HELD_BACK'],
  );
  assert.equal(line.driver.counters()['requests'], 1);
});

test('a value that would be a second command is refused and not sent', async () => {
  await using pair = await openSerialPair();
  await using line = await connectDriver(pair.gateway);
  const channel = createChannel({ write: 'NAME {value}\\r\\n' }, 'STRING');
  const [outcome] = await writeValues(line.driver, [{ channel, value: 'a\r\nRESET' }], noDeadline());
  assert.equal(outcome?.failure?.code, 'VALUE_OUT_OF_RANGE');
  assert.equal(line.driver.counters()['requests'], 0);
});

test('ten megabytes of garbage fail the reads, and the next answer is understood', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  await using line = await connectDriver(pair.gateway, { responseTimeoutMs: 1000 });
  const random = createRandom(5);
  // No line end comes in it.
  const garbage = String.fromCharCode(
    ...Array.from({ length: 65_536 }, () => 14 + Math.floor(random() * 242)),
  );
  const readings = line.read(FIRST, UNASKED);
  await instrument.expect('A\r\n');
  for (let sent = 0; sent < 10_000_000; sent += garbage.length) instrument.send(garbage);
  instrument.send('\r\n');
  for (const { failure } of await readings) assert.ok(failure !== undefined);
  await countTo(line, 'framingFaults', 1);
  for (;;) {
    const reading = line.read(SECOND);
    await instrument.expect('B\r\n');
    instrument.send('6\r\n');
    if ((await reading)[0]?.value === 6) break;
  }
});

test('a deadline and a disconnect end the calls under way', async () => {
  await using pair = await openSerialPair();
  await using line = await connectDriver(pair.gateway);
  const deadline = new AbortController();
  const reading = line.driver.prepareRead([FIRST, UNASKED]).read(deadline.signal);
  deadline.abort(new Error('the call took too long'));
  for (const { failure } of await reading) assert.equal(failure?.code, 'DEADLINE_EXCEEDED');
  const next = line.read(FIRST, UNASKED);
  await line.driver.disconnect();
  await assert.rejects(next, { code: 'NOT_CONNECTED' });
});

test('delayBetweenRequestsMs passes between an answer and the next request', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock, delayBetweenRequestsMs: 500 });
  const readings = line.read(FIRST, SECOND);
  await instrument.expect('A\r\n');
  instrument.send('1\r\n');
  await countTo(line, 'answers', 1);
  clock.advance(499);
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  assert.equal(line.driver.counters()['requests'], 1);
  clock.advance(1);
  await instrument.expect('B\r\n');
  instrument.send('2\r\n');
  assert.deepEqual(
    (await readings).map(({ value }) => value),
    [1, 2],
  );
});

test('a dead instrument costs a read one time-out, a silent request costs the others nothing', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock });
  const prepared = line.driver.prepareRead([FIRST, SECOND]);
  for (const { failure } of await advanceUntil(clock, prepared.read(noDeadline()))) {
    assert.equal(failure?.code, 'SERIAL_NO_RESPONSE');
  }
  assert.equal(line.driver.counters()['requests'], 1);
  clock.advance(1000);
  const next = prepared.read(noDeadline());
  await instrument.expect('B\r\n');
  instrument.send('2\r\n');
  await countTo(line, 'requests', 3);
  const [first, second] = await advanceUntil(clock, next);
  assert.deepEqual([first?.failure?.code, second?.value], ['SERIAL_NO_RESPONSE', 2]);
});

test('a frame that stays unfinished is thrown away and does not spoil the next', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  const framing = { type: 'fixedLength', length: 4 };
  await using line = await connectDriver(pair.gateway, { clock, framing });
  instrument.send('\x00\x00\x00\x01\xff\xff');
  await countTo(line, 'frames', 1);
  clock.advance(1001);
  const reading = line.read(createChannel({ response: { offset: 0, dataType: 'UINT32' } }));
  instrument.send('\x00\x00\x00\x02');
  assert.equal((await reading)[0]?.value, 2);
});

test('a request waits for a frame that is coming in, and its end is not taken for the answer', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock });
  instrument.send('ALARM 3\r\nX12');
  await countTo(line, 'frames', 1);
  const unasked = line.read(SECOND_UNASKED);
  const reading = line.read(FIRST);
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  assert.equal(instrument.received, '');
  instrument.send('.5\r\n');
  assert.equal((await unasked)[0]?.value, 12.5);
  clock.advance(PAUSE_MS);
  await instrument.expect('A\r\n');
  instrument.send('7\r\n');
  assert.equal((await reading)[0]?.value, 7);
});

test('the rest of a frame that had begun before the line was opened is no value', async () => {
  await using pair = await openSerialPair();
  using instrument = await openScriptedInstrument(pair.instrument);
  const clock = new ManualClock();
  await using line = await connectDriver(pair.gateway, { clock, isMidFrame: true });
  const reading = line.read(UNASKED);
  instrument.send('2.5\r\n13.5\r\n');
  assert.equal((await reading)[0]?.value, 13.5);
});
