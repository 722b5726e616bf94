import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { unpackPackage } from '../../../../daemon/software/package/unpack-package.ts';
import { nameAttemptBundle } from '../../../support/attempts/attempt-bundle.ts';
import { buildAttemptPackage } from '../../../support/attempts/attempt-packages.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { ATTEMPT_GROUPS } from './attempts/attempt-groups.ts';

test('the attempts of each group can be installed as a package without permissions', async (t) => {
  for (const group of ATTEMPT_GROUPS) {
    const directory = createTemporaryDirectory(t);
    const [file, target] = [path.join(directory, 'a.dp'), path.join(directory, 'target')];
    writeFileSync(file, buildAttemptPackage(group));
    mkdirSync(target);
    await unpackPackage({
      file,
      sha256: '0'.repeat(64),
      target,
      signaturePolicy: 'off',
      trustedCertificates: [],
      nowMs: Date.now(),
    });
    const content = path.join(target, 'bundles', nameAttemptBundle(group.category));
    const manifest = readFileSync(path.join(content, 'META-INF/MANIFEST.MF'), 'utf8');
    assert.match(manifest, /^Penstock-Main: main\.mjs\r?$/m);
    assert.doesNotMatch(manifest, /Penstock-Permissions/);
    const main = readFileSync(path.join(content, 'main.mjs'), 'utf8');
    for (const { title, code } of group.attempts) assert.ok(main.includes(code), title);
  }
});
