import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PendingEntries } from '../../../../daemon/plant/journal/pending-entries.ts';
import { listSamples } from '../../../support/journal-entries.ts';
import { sampleOf } from './plain-journal.ts';

const by = (pid: string, value = 1) => ({ ...sampleOf(value, 1000), recorders: [pid] });
const samplesOf = (pending: PendingEntries) => pending.list().samples.map(listSamples);

test('samples are listed by series, in the order of the first one and then as they came, and gaps', () => {
  const pending = new PendingEntries(10);
  const [first, second, third] = [sampleOf(1, 10, 'flow'), sampleOf(2, 20, 'level'), sampleOf(3, 30, 'flow')];
  const gap = { reason: 'DEVICE_LOST', fromMs: 1, toMs: 2, count: 0 } as const;
  for (const entry of [{ sample: first }, { gap }, { sample: second }, { sample: third }])
    assert.equal(pending.add(entry), undefined);
  assert.deepEqual(samplesOf(pending), [[first, third], [second]]);
  assert.deepEqual(pending.list().gaps, [gap]);
});

test('a reading that several recorders take is one sample of all of them', () => {
  const pending = new PendingEntries(10);
  const reading = {};
  pending.add({ sample: by('second'), reading });
  pending.add({ sample: by('second', 2), reading: {} });
  pending.add({ sample: by('minute'), reading });
  assert.deepEqual(samplesOf(pending), [
    [{ ...by('second'), recorders: ['minute', 'second'] }, by('second', 2)],
  ]);
});

test('a reading that a recorder takes again is a sample of its own', () => {
  const pending = new PendingEntries(10);
  const reading = {};
  for (const pid of ['second', 'second', 'minute']) pending.add({ sample: by(pid), reading });
  assert.deepEqual(samplesOf(pending), [
    [by('second'), { ...by('second'), recorders: ['minute', 'second'] }],
  ]);
});

test('beyond the maximum, the oldest sample of a series is lost for the next one, but not the only one', () => {
  const pending = new PendingEntries(2);
  const [first, second, third] = [10, 20, 30].map((takenAtMs) => sampleOf(takenAtMs, takenAtMs, 'flow'));
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const [other, reading] = [sampleOf(1, 40, 'level'), {}];
  assert.equal(pending.add({ sample: first }), undefined);
  assert.equal(pending.add({ sample: second, reading }), undefined);
  assert.equal(pending.add({ sample: other }), undefined);
  assert.equal(pending.add({ sample: third }), first.takenAtMs);
  // Where the second one is now is not known.
  assert.equal(pending.add({ sample: second, reading }), second.takenAtMs);
  assert.deepEqual(samplesOf(pending), [[third, second], [other]]);
});
