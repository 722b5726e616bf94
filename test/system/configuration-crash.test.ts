import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { openStore } from '../../daemon/base/store/store.ts';
import { configurationMigrations, SnapshotStore } from '../../daemon/configuration/store/snapshot-store.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { programOf } from '../support/tools.ts';
import { needs } from '../support/tests-that-need.ts';

const WRITER = path.resolve(import.meta.dirname, '../support/configuration-writer.ts');
// Calls with which SQLite changes files; strace counts the calls on the database and its log only.
const WRITES = 'pwrite64,write,fdatasync,fsync,ftruncate';
const MOST_WRITES = 60;

for (const isUnconfirmed of [false, true]) {
  const kind = isUnconfirmed ? 'an unconfirmed change' : 'a change';
  test(
    `killed at any write of ${kind}, the old or the new document is there, whole`,
    needs('strace'),
    (t) => {
      const directory = createTemporaryDirectory(t);
      const seed = path.join(directory, 'seed');
      mkdirSync(seed);
      const seeded = runWriter(seed, ['old']);
      assert.equal(seeded.status, 0, String(seeded.stderr));
      const found: string[] = [];
      for (let call = 1; call <= MOST_WRITES; call += 1) {
        const place = path.join(directory, String(call));
        cpSync(seed, place, { recursive: true });
        const { status } = runWriter(place, ['new', ...(isUnconfirmed ? ['unconfirmed'] : [])], call);
        found.push(readState(place));
        if (status === 0) break;
      }
      // The last run was not killed.
      assert.equal(found.at(-1), isUnconfirmed ? 'new, unconfirmed' : 'new');
      const killed = found.slice(0, -1);
      const states = new Set(['old', isUnconfirmed ? 'new, unconfirmed' : 'new']);
      assert.deepEqual(new Set(killed), states, killed.join(', '));
    },
  );
}

/** Runs the writer; with a number it is killed at that call. */
function runWriter(place: string, parameters: readonly string[], call?: number) {
  const database = path.join(place, 'penstock.db');
  const command = [process.execPath, WRITER, database, ...parameters];
  const tracing = [
    programOf('strace'),
    ['-f', '-qq', '-o', '/dev/null'],
    [database, `${database}-wal`].flatMap((file) => ['-P', file]),
    ['-e', `trace=${WRITES}`, '-e', `inject=${WRITES}:signal=KILL:when=${call ?? 1}`],
  ].flat();
  const [program = '', ...rest] = call === undefined ? command : [...tracing, ...command];
  return spawnSync(program, rest, { timeout: 30_000 });
}

function readState(place: string): string {
  const store = openStore(path.join(place, 'penstock.db'), [configurationMigrations]);
  try {
    const snapshots = new SnapshotStore(store, new ManualClock());
    const { document } = snapshots.findNewest() ?? {};
    const { banners } = document as { readonly banners: { readonly preLogin: { readonly message: string } } };
    return snapshots.findUnconfirmed() === undefined
      ? banners.preLogin.message
      : `${banners.preLogin.message}, unconfirmed`;
  } finally {
    store.close();
  }
}
