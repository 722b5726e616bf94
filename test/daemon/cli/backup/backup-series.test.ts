import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { BackupSeries } from '../../../../daemon/cli/backup/backup-series.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

test('a series of backups is named by time, and keeps the newest ones and what is none of it', async (t) => {
  const folder = createTemporaryDirectory(t);
  const series = new BackupSeries(path.join(folder, 'penstock.age'), 2);
  const files = [3, 1, 4, 2].map((day) => series.nameAt(new Date(Date.UTC(2026, 0, day, 8))));
  assert.equal(files[1], path.join(folder, 'penstock-20260101T080000Z.age'));
  const others = [
    'penstock.age',
    'penstock-old.age',
    'other-20200101T080000Z.age',
    'penstock-20200101T080000Z.age.tmp',
  ];
  for (const file of [...files, ...others.map((name) => path.join(folder, name))]) writeFileSync(file, '');
  assert.deepEqual(
    (await series.prune()).map((file) => path.basename(file)),
    ['penstock-20260101T080000Z.age', 'penstock-20260102T080000Z.age'],
  );
  assert.deepEqual(
    readdirSync(folder).sort(),
    [...others, 'penstock-20260103T080000Z.age', 'penstock-20260104T080000Z.age'].sort(),
  );
  assert.deepEqual(await series.prune(), []);
});
