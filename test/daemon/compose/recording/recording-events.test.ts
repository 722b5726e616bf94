import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RecordingEvents } from '../../../../daemon/compose/recording/recording-events.ts';

const FULL = { reason: 'the disk is full', sinceMs: 1 };
const DAMAGED = { reason: 'the file is damaged', sinceMs: 2 };

function createBench() {
  const published: string[] = [];
  const events = new RecordingEvents({
    publish(event) {
      if (event.type !== 'RECORDING_STATE') throw new TypeError(event.type);
      published.push(event.cause === undefined ? event.state : `${event.state}: ${event.cause}`);
    },
  });
  return { events, published };
}

test('an event reports that journal or history stopped, and that both go on', () => {
  const { events, published } = createBench();
  events.noteHistory(DAMAGED);
  events.noteJournal(FULL);
  events.noteHistory(undefined);
  events.noteJournal(undefined);
  assert.deepEqual(published, [
    'HISTORY_STOPPED: the file is damaged',
    'STOPPED: the disk is full',
    'RECORDING',
  ]);
});

test('an event has the code of its cause', () => {
  const published: unknown[] = [];
  const events = new RecordingEvents({ publish: (event) => published.push(event) });
  events.noteJournal({ ...FULL, code: 'ENOSPC' });
  assert.deepEqual(published, [
    { type: 'RECORDING_STATE', state: 'STOPPED', cause: 'the disk is full', causeCode: 'ENOSPC' },
  ]);
});

test('a history that still stores nothing is reported when the journal goes on', () => {
  const { events, published } = createBench();
  events.noteJournal(FULL);
  events.noteHistory(DAMAGED);
  events.noteJournal(undefined);
  assert.deepEqual(published, ['STOPPED: the disk is full', 'HISTORY_STOPPED: the file is damaged']);
});

test('what was noted before recording ended is not reported again', () => {
  const { events, published } = createBench();
  events.noteOpening(FULL);
  events.noteOpening(FULL);
  events.forget();
  events.noteOpening(undefined);
  events.noteOpening(FULL);
  assert.deepEqual(published, ['STOPPED: the disk is full', 'STOPPED: the disk is full']);
});
