import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemClock } from '../../../../../daemon/base/clock.ts';
import type { Clock } from '../../../../../daemon/base/clock.ts';
import type { Principal } from '../../../../../daemon/security/identity/identity.ts';
import { BundleJournals } from '../../../../../daemon/software/bridge/journal/bundle-journals.ts';
import type { OpenJournal } from '../../../../../daemon/software/bridge/journal/bundle-journals.ts';
import type { BundleSession } from '../../../../../daemon/software/bundle/bundle-host.ts';
import { parsePermissions } from '../../../../../daemon/software/bundle/bundle-permissions.ts';
import { encodeFrame } from '../../../../../daemon/software/bundle/message/frame-reader.ts';
import { decodeBatch } from '../../../../../daemon/software/bundle/message/journal-columns.ts';
import type { BundleCallParams } from '../../../../../daemon/software/bundle/message/messages.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../../support/memory-logger.ts';
import { createRecordedJournal, createSample } from '../../../../support/recorded-journal.ts';
import type { Owner } from '../../../../support/temporary-directory.ts';

const CALLER: Principal = {
  identity: {
    id: 'bundle:a',
    name: 'bundle:a',
    permissions: ['rest.assets'],
    passwordChangeNeeded: false,
    credentialsRevision: 0,
    createdAtMs: 0,
  },
  method: 'bundle',
};
const SESSION: BundleSession = {
  id: { name: 'org.example.sender', version: '1.0.0' },
  permissions: parsePermissions({ permissions: '' }),
  call: () => Promise.reject(new Error('it is not called')),
  notify: () => undefined,
};
const CONSUMER = 'bundle:org.example.sender/fast';

async function createBench(owner: Owner, clock: Clock = systemClock) {
  const recorded = await createRecordedJournal(owner);
  const found: { journal: OpenJournal | undefined } = { journal: recorded.open };
  const hidden = new Set<string>();
  const logger = createMemoryLogger();
  const journals = new BundleJournals({
    findJournal: () => found.journal,
    access: {
      mayReadRecorded: (_caller, asset, channel) => !hidden.has(`${asset}/${channel}`),
      list: () => [],
      open: () => assert.fail('no asset is listed'),
    },
    callerOf: () => CALLER,
    logger,
    clock,
  });
  const read = async (options: Partial<BundleCallParams<'journal.read'>> = {}, signal?: AbortSignal) =>
    decodeBatch(
      await journals.read(SESSION, { recorder: 'fast', ...options }, signal ?? new AbortController().signal),
    );
  const acknowledge = (cursor: number) => journals.acknowledge(SESSION, { recorder: 'fast', cursor });
  const acknowledged = () => journals.acknowledged(SESSION, { recorder: 'fast' });
  return { ...recorded, logger, found, hidden, journals, read, acknowledge, acknowledged };
}

test('a new consumer begins at the tail of its first call, and misses nothing from then on', async (t) => {
  const { record, read, acknowledged } = await createBench(t);
  await record(createSample({ value: 1 }));
  assert.equal(acknowledged(), 1);
  await record(createSample({ value: 2 }), createSample({ value: 3 }));
  const batch = await read();
  assert.deepEqual(batch.values, [2, 3]);
  assert.deepEqual(batch.sequences, [2, 3]);
  assert.deepEqual([batch.next, batch.tail], [3, 3]);
});

test('a batch has each value, quality, status and time of a sample', async (t) => {
  const { record, read, acknowledged } = await createBench(t);
  acknowledged();
  const series = (valueType: 'LONG' | 'BYTE_ARRAY' | 'DOUBLE') =>
    ({ asset: 'tank', channel: valueType, valueType }) as const;
  await record(
    createSample({
      value: Number.NaN,
      quality: 'UNCERTAIN',
      status: 'SensorDrift',
      timestampMs: 900,
      takenAtMs: 1000,
    }),
    createSample({
      value: undefined,
      quality: 'BAD',
      status: 'METER_SILENT',
      timestampMs: 1005,
      takenAtMs: 1001,
    }),
    createSample({ series: series('LONG'), value: 9007199254740993n }),
    createSample({ series: series('BYTE_ARRAY'), value: Uint8Array.of(1, 255) }),
  );
  const batch = await read();
  assert.deepEqual(batch.series, [
    { asset: 'tank', channel: 'level', valueType: 'DOUBLE' },
    series('LONG'),
    series('BYTE_ARRAY'),
  ]);
  assert.deepEqual(batch.seriesIndexes, [0, 0, 1, 2]);
  assert.deepEqual(batch.values, [Number.NaN, undefined, 9007199254740993n, Uint8Array.of(1, 255)]);
  assert.deepEqual(batch.qualities, ['UNCERTAIN', 'BAD', 'GOOD', 'GOOD']);
  assert.deepEqual(batch.statuses, ['SensorDrift', 'METER_SILENT', undefined, undefined]);
  assert.deepEqual(batch.timestamps.slice(0, 2), [900, 1005]);
  assert.deepEqual(batch.takenAt.slice(0, 2), [1000, 1001]);
});

test('only samples of the recorder come, and the cursor goes past those of others', async (t) => {
  const { record, read, acknowledge, acknowledged } = await createBench(t);
  acknowledged();
  await record(createSample({ value: 1 }), createSample({ value: 2, recorders: ['slow', 'fast'] }));
  await record(...Array.from({ length: 50 }, () => createSample({ recorders: ['slow'] })));
  const batch = await read();
  assert.deepEqual(batch.values, [1, 2]);
  assert.equal(batch.next, 52);
  acknowledge(batch.next);
  const empty = await read();
  assert.deepEqual([empty.values, empty.next, empty.tail], [[], 52, 52]);
});

test('gaps of everything and of what the recorder takes come in their place', async (t) => {
  const { recordGap, read, acknowledged, hidden } = await createBench(t);
  acknowledged();
  hidden.add('tank/secret');
  const gap = { reason: 'DEVICE_LOST', fromMs: 1, toMs: 2, count: 0 } as const;
  await recordGap({ ...gap, reason: 'STOPPED' });
  await recordGap({ ...gap, asset: 'tank', channel: 'level' });
  await recordGap({ ...gap, asset: 'tank', channel: 'secret' });
  await recordGap({ ...gap, asset: 'boiler' });
  const batch = await read();
  assert.deepEqual(batch.gaps, [
    { ...gap, reason: 'STOPPED', sequence: 1 },
    { ...gap, asset: 'tank', channel: 'level', sequence: 2 },
  ]);
  assert.equal(batch.next, 4);
});

test('grants are checked for each batch', async (t) => {
  const { record, read, acknowledged, hidden } = await createBench(t);
  acknowledged();
  await record(
    createSample({ value: 1 }),
    createSample({ channel: 'flow', series: { asset: 'tank', channel: 'flow', valueType: 'DOUBLE' } }),
  );
  assert.equal((await read({ after: 0 })).series.length, 2);
  hidden.add('tank/flow');
  const batch = await read({ after: 0 });
  assert.deepEqual(
    batch.series.map(({ channel }) => channel),
    ['level'],
  );
  assert.equal(batch.next, 2);
});

test('a batch is no longer than a message, and what follows comes with the next one', async (t) => {
  const { record, journals, acknowledged } = await createBench(t);
  acknowledged();
  const series = { asset: 'tank', channel: 'text', valueType: 'STRING' } as const;
  const texts = Array.from({ length: 40 }, (_, index) => `${index}${'ä"'.repeat(20_000)}`);
  await record(...texts.map((value) => createSample({ series, value })));
  const received: unknown[] = [];
  for (let after = 0, tail = 1; after < tail;) {
    const wire = await journals.read(SESSION, { recorder: 'fast', after }, new AbortController().signal);
    encodeFrame(JSON.stringify({ kind: 'result', id: 1, value: wire }));
    received.push(...decodeBatch(wire).values);
    ({ next: after, tail } = wire);
  }
  assert.deepEqual(received, texts);
});

test('a value that no message can carry is a bad one', async (t) => {
  const { record, read, acknowledged } = await createBench(t);
  acknowledged();
  const series = { asset: 'tank', channel: 'text', valueType: 'STRING' } as const;
  await record(createSample({ series, value: 'x'.repeat(2_000_000) }), createSample({ value: 2 }));
  const { values, qualities, statuses } = await read();
  assert.deepEqual(new Set(values), new Set([undefined, 2]));
  const long = values.indexOf(undefined);
  assert.deepEqual([qualities[long], statuses[long]], ['BAD', 'VALUE_TOO_LONG']);
});

test('the number of samples is limited', async (t) => {
  const { record, read, acknowledged } = await createBench(t);
  acknowledged();
  await record(...[1, 2, 3].map((value) => createSample({ value })));
  const { values, next, tail } = await read({ limit: 2 });
  assert.deepEqual([values, next, tail], [[1, 2], 2, 3]);
});

test('a read waits for the first sample, not for those of others', async (t) => {
  const { record, read, acknowledged } = await createBench(t);
  acknowledged();
  const reading = read({ waitMs: 30_000 });
  await record(createSample({ recorders: ['slow'] }));
  await record(createSample({ value: 7 }));
  assert.deepEqual((await reading).values, [7]);
});

test('a wait ends with the call', async (t) => {
  const { read, acknowledged } = await createBench(t);
  acknowledged();
  const ending = new AbortController();
  const reading = read({ waitMs: 30_000 }, ending.signal);
  ending.abort(new Error('the bundle has ended'));
  await assert.rejects(reading, { message: 'the bundle has ended' });
});

test('too many reads at once are refused', async (t) => {
  const { read, acknowledged } = await createBench(t);
  acknowledged();
  const ending = new AbortController();
  const waiting = Array.from({ length: 16 }, () => read({ waitMs: 30_000 }, ending.signal));
  await assert.rejects(read(), { code: 'BUNDLE_OVERLOADED' });
  ending.abort(new Error('over'));
  for (const each of await Promise.allSettled(waiting)) assert.equal(each.status, 'rejected');
});

test('batches that end within what was written at once miss and repeat nothing', async (t) => {
  const { record, read, acknowledged } = await createBench(t);
  acknowledged();
  for (let second = 0; second < 3; second += 1) {
    await record(...Array.from({ length: 10 }, (_, index) => createSample({ value: second * 10 + index })));
  }
  const values: unknown[] = [];
  for (let after = 0; after < 30;) {
    const batch = await read({ after, limit: 7 });
    values.push(...batch.values);
    after = batch.next;
  }
  assert.deepEqual(
    values,
    Array.from({ length: 30 }, (_, index) => index),
  );
});

test('a long stretch of others is looked through in pieces, each with a cursor further on', async (t) => {
  const { record, read, acknowledged } = await createBench(t);
  acknowledged();
  const foreign = Array.from({ length: 65_000 }, () => createSample({ recorders: ['slow'] }));
  await record(...foreign);
  await record(...foreign);
  await record(createSample({ value: 5 }));
  const first = await read();
  assert.deepEqual([first.values, first.next, first.tail], [[], 130_000, 130_001]);
  const second = await read({ after: first.next });
  assert.deepEqual([second.values, second.next], [[5], 130_001]);
});

test('a recorder that is not configured is an error that names it', async (t) => {
  const { read, found, journals } = await createBench(t);
  const unknown = { code: 'RECORDER_UNKNOWN', detail: 'recorder "other" is not configured' };
  await assert.rejects(read({ recorder: 'other' }), unknown);
  assert.throws(() => journals.tail(SESSION, { recorder: 'other' }), unknown);
  found.journal = undefined;
  await assert.rejects(read({ waitMs: 1 }), { code: 'RECORDER_UNKNOWN' });
  assert.throws(() => journals.acknowledged(SESSION, { recorder: 'fast' }), { code: 'RECORDER_UNKNOWN' });
});

test('a recorder that is added later works, from the first call on', async (t) => {
  const { record, read, recorders } = await createBench(t);
  await record(createSample({ recorders: ['later'] }));
  await assert.rejects(read({ recorder: 'later' }), { code: 'RECORDER_UNKNOWN' });
  await record(createSample({ value: 2, recorders: ['later'] }));
  recorders.push({ pid: 'later', assets: [{ asset: 'tank' }] });
  assert.deepEqual((await read({ recorder: 'later' })).values, [2]);
});

test('what a removed recorder has left comes, then an error; it keeps nothing in the journal', async (t) => {
  const { record, read, acknowledge, acknowledged, recorders, cursors } = await createBench(t);
  acknowledged();
  await record(createSample({ value: 1 }));
  recorders.length = 0;
  const last = await read();
  assert.deepEqual(last.values, [1]);
  await record(createSample({ recorders: ['slow'] }));
  await assert.rejects(read({ after: last.next }), { code: 'RECORDER_UNKNOWN' });
  assert.equal(cursors.find(CONSUMER)?.sequence, 0);
  acknowledge(last.next);
  await assert.rejects(read(), { code: 'RECORDER_UNKNOWN' });
  assert.equal(cursors.find(CONSUMER)?.sequence, 2);
});

test('a cursor never goes back, and cannot pass the newest entry', async (t) => {
  const { record, read, acknowledge, acknowledged } = await createBench(t);
  acknowledged();
  await record(createSample(), createSample());
  acknowledge(2);
  acknowledge(1);
  assert.equal(acknowledged(), 2);
  assert.throws(() => acknowledge(3), { code: 'JOURNAL_CURSOR_INVALID' });
  await assert.rejects(read({ after: 3 }), { code: 'JOURNAL_CURSOR_INVALID' });
});

test('an acknowledged cursor has the time of its entry, from which the lag is counted', async (t) => {
  const { record, read, acknowledge, acknowledged, cursors } = await createBench(t);
  acknowledged();
  await record(createSample({ takenAtMs: 5000 }));
  acknowledge((await read()).next);
  assert.equal(cursors.find(CONSUMER)?.timeMs, 5000);
});

const DAY_MS = 86_400_000;
const OLD = 'bundle:org.example.sender/old';

test('the cursor of a recorder that a bundle has not declared is removed after two days', async (t) => {
  const clock = new ManualClock();
  const { cursors, journals, logger, acknowledged } = await createBench(t, clock);
  acknowledged();
  cursors.acknowledge({ consumer: OLD, sequence: 0, timeMs: 0 });
  cursors.acknowledge({ consumer: 'bundle:org.example.sender2/old', sequence: 0, timeMs: 0 });
  journals.declare(SESSION, { recorders: ['fast'] });
  clock.advance(2 * DAY_MS - 1);
  journals.declare(SESSION, { recorders: ['fast'] });
  assert.ok(cursors.find(OLD));
  clock.advance(1);
  journals.declare(SESSION, { recorders: ['fast'] });
  assert.equal(cursors.find(OLD), undefined);
  assert.deepEqual(
    cursors.list().map(({ consumer }) => consumer),
    [CONSUMER, 'bundle:org.example.sender2/old'],
  );
  assert.deepEqual(
    logger.lines.map(({ event, fields }) => [event, fields]),
    [['bundle.cursorRemoved', { consumer: OLD }]],
  );
});

test('a cursor that is declared again, or used without, stays', async (t) => {
  const clock = new ManualClock();
  const { cursors, journals, recorders } = await createBench(t, clock);
  recorders.push({ pid: 'old', assets: [] });
  cursors.acknowledge({ consumer: OLD, sequence: 0, timeMs: 0 });
  journals.declare(SESSION, { recorders: ['fast'] });
  clock.advance(DAY_MS);
  journals.declare(SESSION, { recorders: ['fast', 'old'] });
  clock.advance(3 * DAY_MS);
  journals.declare(SESSION, { recorders: ['fast'] });
  clock.advance(DAY_MS);
  journals.acknowledged(SESSION, { recorder: 'old' });
  journals.declare(SESSION, { recorders: ['fast'] });
  clock.advance(1.5 * DAY_MS);
  journals.declare(SESSION, { recorders: ['fast'] });
  assert.ok(cursors.find(OLD));
});

test('a read of another recorder removes what is due as well', async (t) => {
  const clock = new ManualClock();
  const { cursors, journals, read } = await createBench(t, clock);
  cursors.acknowledge({ consumer: OLD, sequence: 0, timeMs: 0 });
  journals.declare(SESSION, { recorders: ['fast'] });
  clock.advance(2 * DAY_MS);
  await read();
  assert.equal(cursors.find(OLD), undefined);
});

test('a bundle that declares nothing keeps its cursors', async (t) => {
  const clock = new ManualClock();
  const { cursors, read } = await createBench(t, clock);
  cursors.acknowledge({ consumer: OLD, sequence: 0, timeMs: 0 });
  await read();
  clock.advance(10 * DAY_MS);
  await read();
  assert.ok(cursors.find(OLD));
});
