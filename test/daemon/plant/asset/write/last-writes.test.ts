import assert from 'node:assert/strict';
import { test } from 'node:test';

import { LastWrites, lastWriteMigrations } from '../../../../../daemon/plant/asset/write/last-writes.ts';
import { openStore } from '../../../../../daemon/base/store/store.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const PLACE = { asset: 'boiler', channel: 'setpoint' };

function openBench() {
  const store = openStore(':memory:', [lastWriteMigrations]);
  const clock = new ManualClock();
  return { store, clock, notes: new LastWrites({ store, clock }) };
}

test('find returns the newest write and the time since then', () => {
  const { notes, clock } = openBench();
  assert.equal(notes.find(PLACE, 'DOUBLE'), undefined);
  notes.note(PLACE, 20);
  notes.note(PLACE, 21.5);
  clock.advance(1500);
  assert.deepEqual(notes.find(PLACE, 'DOUBLE'), { value: 21.5, elapsedMs: 1500 });
  assert.equal(notes.find({ ...PLACE, channel: 'other' }, 'DOUBLE'), undefined);
});

test('the time counts by the clock that nobody sets', () => {
  const { notes, clock } = openBench();
  notes.note(PLACE, 20);
  clock.setEpoch(clock.epochMs() + 86_400_000);
  clock.advance(10);
  assert.equal(notes.find(PLACE, 'DOUBLE')?.elapsedMs, 10);
  clock.setEpoch(0);
  assert.equal(notes.find(PLACE, 'DOUBLE')?.elapsedMs, 10);
});

test('a write of an earlier process is known, and its time counts from the start of the present one', () => {
  const { store, clock, notes } = openBench();
  notes.note(PLACE, 9_007_199_254_740_993n);
  clock.advance(86_400_000);
  const next = new LastWrites({ store, clock });
  clock.advance(250);
  assert.deepEqual(next.find(PLACE, 'LONG'), { value: 9_007_199_254_740_993n, elapsedMs: 250 });
});

test('a write that is forgotten leaves the one before, in this process and in the next', () => {
  const { store, clock, notes } = openBench();
  const forgetFirst = notes.note(PLACE, 20);
  clock.advance(100);
  notes.note(PLACE, 30)();
  assert.deepEqual(notes.find(PLACE, 'DOUBLE'), { value: 20, elapsedMs: 100 });
  assert.equal(new LastWrites({ store, clock }).find(PLACE, 'DOUBLE')?.value, 20);
  forgetFirst();
  assert.equal(notes.find(PLACE, 'DOUBLE'), undefined);
});

test('writes of channels that are gone are forgotten after a month, those of others stay', () => {
  const { store, clock, notes } = openBench();
  const gone = { ...PLACE, channel: 'gone' };
  const recent = { ...PLACE, channel: 'recently gone' };
  notes.note(PLACE, 20);
  notes.note(gone, 20);
  clock.advance(31 * 86_400_000);
  notes.note(recent, 20);
  notes.prune(({ channel }) => channel === PLACE.channel);
  const rows = store.database.prepare('SELECT channel FROM last_write ORDER BY channel').all();
  assert.deepEqual(
    rows.map(({ channel }) => channel),
    ['recently gone', 'setpoint'],
  );
  assert.equal(notes.find(gone, 'DOUBLE'), undefined);
  assert.equal(notes.find(PLACE, 'DOUBLE')?.value, 20);
});
