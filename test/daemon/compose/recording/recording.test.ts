import assert from 'node:assert/strict';
import { test } from 'node:test';

import { systemClock } from '../../../../daemon/base/clock.ts';
import { openStore } from '../../../../daemon/base/store/store.ts';
import { Recording } from '../../../../daemon/compose/recording/recording.ts';
import { Cursors, cursorMigrations } from '../../../../daemon/plant/journal/cursors.ts';
import { recordingSchema } from '../../../../daemon/settings/recorder-settings.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';

const RECORDER = { pid: 'fast', intervalMs: 60_000, assets: [{ asset: 'tank' }] };

function createBench(owner: Owner, isRecorded: boolean) {
  const store = openStore(':memory:', isRecorded ? [cursorMigrations] : []);
  const recording = new Recording({
    store,
    dataDirectory: createTemporaryDirectory(owner),
    registry: { find: () => undefined },
    events: { publish: () => undefined },
    logger: createMemoryLogger(),
    clock: systemClock,
  });
  owner.after(async () => {
    await recording.stop();
    store.close();
  });
  return { store, recording };
}

const namesIn = (cursors: Cursors): readonly string[] => cursors.list().map(({ consumer }) => consumer);

test('the cursors of a bundle are removed while the journal is open', async (t) => {
  const { store, recording } = createBench(t, false);
  await recording.apply({ recorders: [RECORDER], recording: recordingSchema.parse({}) });
  const { cursors } = recording.open ?? assert.fail('it is open');
  for (const consumer of ['bundle:a/fast', 'bundle:a/slow', 'bundle:ab/fast'])
    cursors.acknowledge({ consumer, sequence: 0, timeMs: 0 });
  cursors.save();
  await recording.removeConsumers('bundle:a/');
  assert.deepEqual(namesIn(cursors), ['bundle:ab/fast', 'history']);
  assert.deepEqual(namesIn(new Cursors(store)), ['bundle:ab/fast', 'history']);
});

test('the cursors of a bundle are removed while nothing is recorded', async (t) => {
  const { store, recording } = createBench(t, true);
  const before = new Cursors(store);
  before.acknowledge({ consumer: 'bundle:a/fast', sequence: 7, timeMs: 0 });
  before.save();
  await recording.removeConsumers('bundle:a/');
  assert.deepEqual(namesIn(new Cursors(store)), []);
});

test('a gateway that has never recorded has no cursors to remove', async (t) => {
  const { recording } = createBench(t, false);
  await recording.removeConsumers('bundle:a/');
});
