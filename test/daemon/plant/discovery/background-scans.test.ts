import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemRandom } from '../../../../daemon/base/random.ts';
import { ConnectionError } from '../../../../daemon/channel/driver-errors.ts';
import type { Scanning } from '../../../../daemon/channel/discovery.ts';
import { BackgroundScans } from '../../../../daemon/plant/discovery/background-scans.ts';
import type { ScanResult } from '../../../../daemon/plant/discovery/scan.ts';
import type { PreparedScan } from '../../../../daemon/plant/discovery/scans.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';

const HOUR_MS = 3_600_000;
const ORIGIN = { owner: 'anna', type: 'modbus', settings: {}, isPermitted: () => true };
const RESULT: ScanResult = { isComplete: true, assets: [], notes: [], details: [] };
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A scan whose end, and all that it reports, is in the hand of the test; a stop ends it with what there is. */
class HeldScan implements PreparedScan {
  readonly target = '192.0.2.20:502';
  readonly #end = Promise.withResolvers<ScanResult>();
  scanning: Scanning | undefined;

  run(scanning: Scanning): Promise<ScanResult> {
    this.scanning = scanning;
    scanning.signal.addEventListener('abort', () => this.#end.resolve({ ...RESULT, isComplete: false }));
    return this.#end.promise;
  }

  progress(done: number, total?: number): void {
    this.scanning?.report({ type: 'progress', done, total, text: `unit ${done}` });
  }

  find(): void {
    this.scanning?.report({ type: 'found', subject: 'unit 1', kind: 'UNIT', text: 'answers', fields: {} });
  }

  async end(error?: Error): Promise<void> {
    if (error === undefined) this.#end.resolve(RESULT);
    else this.#end.reject(error);
    await nextTurn();
  }
}

function openBackgroundScans() {
  const clock = new ManualClock();
  const logger = createMemoryLogger();
  return { clock, logger, kept: new BackgroundScans({ clock, logger, random: systemRandom }) };
}

test('a scan goes on by itself, shows how far it is, and keeps what it found for an hour', async () => {
  const { kept, clock } = openBackgroundScans();
  const scan = new HeldScan();
  const { id, state, target } = kept.start(scan, ORIGIN);
  assert.deepEqual([state, target], ['RUNNING', '192.0.2.20:502']);
  scan.progress(1, 10);
  scan.find();
  const { progress, found, findings, endedAtMs } = kept.get('anna', id);
  assert.deepEqual(progress, { done: 1, total: 10, text: 'unit 1' });
  assert.deepEqual([found, findings.length, endedAtMs], [1, 1, undefined]);
  await scan.end();
  clock.advance(HOUR_MS - 1);
  const ended = kept.get('anna', id);
  assert.deepEqual([ended.state, ended.result], ['ENDED', RESULT]);
  clock.advance(1);
  assert.throws(() => kept.get('anna', id), { code: 'SCAN_UNKNOWN' });
  assert.deepEqual(kept.list('anna'), []);
});

test('the time left is that of the present stretch at its pace until now', () => {
  const { kept, clock } = openBackgroundScans();
  const scan = new HeldScan();
  const { id } = kept.start(scan, ORIGIN);
  const left = () => kept.get('anna', id).leftMs;
  scan.progress(0, 10);
  assert.equal(left(), undefined);
  clock.advance(2000);
  scan.progress(2, 10);
  assert.equal(left(), 8000);
  clock.advance(500);
  assert.equal(left(), 7500);
  scan.progress(0, 4);
  assert.equal(left(), undefined);
  clock.advance(3000);
  scan.progress(1, 4);
  assert.equal(left(), 9000);
  scan.progress(1, 3);
  clock.advance(1000);
  scan.progress(2, 3);
  assert.equal(left(), 1000);
  scan.progress(2);
  clock.advance(1000);
  scan.progress(3);
  assert.equal(left(), undefined);
});

test('a scan that is stopped keeps what it found, and has ended early', async () => {
  const { kept } = openBackgroundScans();
  const scan = new HeldScan();
  const { id } = kept.start(scan, ORIGIN);
  scan.find();
  kept.stop('anna', id);
  await nextTurn();
  const { state, result, found } = kept.get('anna', id);
  assert.deepEqual([state, result?.isComplete, found], ['ENDED', false, 1]);
});

test('a scan that is forgotten is stopped', async () => {
  const { kept } = openBackgroundScans();
  const scan = new HeldScan();
  const { id } = kept.start(scan, ORIGIN);
  kept.forget('anna', id);
  assert.equal(scan.scanning?.signal.aborted, true);
  assert.throws(() => kept.get('anna', id), { code: 'SCAN_UNKNOWN' });
  await nextTurn();
});

test('a scan that fails says why, without what is for the log', async () => {
  const { kept, logger } = openBackgroundScans();
  for (const [error, failure] of [
    [
      new ConnectionError({ code: 'CONNECT_FAILED', detail: 'no line' }),
      { code: 'CONNECT_FAILED', message: 'no line' },
    ],
    [new RangeError('inner'), { code: 'SCAN_FAILED', message: 'the scan failed' }],
  ] as const) {
    const scan = new HeldScan();
    const { id } = kept.start(scan, ORIGIN);
    await scan.end(error);
    const shown = kept.get('anna', id);
    assert.deepEqual([shown.state, shown.failure], ['FAILED', failure]);
  }
  assert.deepEqual(
    logger.lines.map(({ event }) => event),
    ['scan.failed'],
  );
});

test('each identity has its own scans, and nobody else sees, stops or forgets them', () => {
  const { kept } = openBackgroundScans();
  const first = new HeldScan();
  const { id } = kept.start(first, ORIGIN);
  const { id: second } = kept.start(new HeldScan(), ORIGIN);
  kept.start(new HeldScan(), { ...ORIGIN, owner: 'bert' });
  assert.deepEqual(
    kept.list('anna').map((scan) => scan.id),
    [second, id],
  );
  for (const verb of ['get', 'stop', 'forget'] as const) {
    assert.throws(() => kept[verb]('bert', id), { code: 'SCAN_UNKNOWN' });
  }
  assert.equal(first.scanning?.signal.aborted, false);
});

test('a scan of an identity that has lost the permission is stopped', () => {
  const { kept } = openBackgroundScans();
  const scan = new HeldScan();
  let isPermitted = true;
  kept.start(scan, { ...ORIGIN, isPermitted: () => isPermitted });
  scan.progress(1);
  assert.equal(scan.scanning?.signal.aborted, false);
  isPermitted = false;
  scan.progress(2);
  assert.equal(scan.scanning.signal.aborted, true);
});

test('an identity runs four scans at once, and leaves as many to others', () => {
  const { kept } = openBackgroundScans();
  for (let count = 0; count < 4; count += 1) kept.start(new HeldScan(), ORIGIN);
  assert.throws(() => kept.start(new HeldScan(), ORIGIN), { code: 'SCANS_TOO_MANY' });
  for (let count = 0; count < 4; count += 1) kept.start(new HeldScan(), { ...ORIGIN, owner: 'bert' });
  assert.throws(() => kept.start(new HeldScan(), { ...ORIGIN, owner: 'carl' }), { code: 'SCANS_TOO_MANY' });
});

test('eight scans run at once, and sixteen are kept: those that began first are forgotten first', async () => {
  const { kept } = openBackgroundScans();
  const running = Array.from({ length: 8 }, () => new HeldScan());
  const ids = running.map((scan, index) => {
    return kept.start(scan, { ...ORIGIN, owner: index < 4 ? 'anna' : 'bert' }).id;
  });
  await running[1]?.end();
  for (let count = 0; count < 9; count += 1) {
    const scan = new HeldScan();
    kept.start(scan, ORIGIN);
    await scan.end();
  }
  const left = new Set([...kept.list('anna'), ...kept.list('bert')].map(({ id }) => id));
  assert.equal(left.size, 16);
  assert.deepEqual(
    ids.map((id) => left.has(id)),
    [true, false, true, true, true, true, true, true],
  );
});

test('a gateway that stops ends all scans first', async () => {
  const { kept } = openBackgroundScans();
  const scans = [new HeldScan(), new HeldScan()];
  for (const scan of scans) kept.start(scan, ORIGIN);
  await kept.close();
  assert.deepEqual(
    kept.list('anna').map(({ state }) => state),
    ['ENDED', 'ENDED'],
  );
});
