import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

test('the backup of each day is shipped, takes its passphrase from root alone, and is enabled by nobody else', () => {
  const service = read('systemd/penstock-backup.service');
  const timer = read('systemd/penstock-backup.timer');
  const secret = '/etc/credstore/penstock-backup.passphrase';
  assert.match(service, new RegExp(`^LoadCredential=passphrase:${secret}$`, 'm'));
  assert.match(
    service,
    /^ExecStart=\/usr\/bin\/penstock backup \S+ --keep 7 --password-file %d\/passphrase$/m,
  );
  assert.match(timer, /^WantedBy=timers\.target$/m);
  assert.ok(read('docs/how-to/back-up-and-restore.md').includes(`> ${secret}`));
  const tree = read('packaging/package-tree.ts');
  for (const unit of ['penstock-backup.service', 'penstock-backup.timer'])
    assert.ok(tree.includes(`'${unit}'`));
  // Only what an administrator has enabled is enabled again by an upgrade.
  assert.match(
    read('packaging/debian/postinst'),
    /was-enabled penstock-backup\.timer; then\n +deb-systemd-helper enable penstock-backup\.timer/,
  );
  assert.doesNotMatch(read('packaging/debian/postinst'), /^for unit in .*backup/m);
});
