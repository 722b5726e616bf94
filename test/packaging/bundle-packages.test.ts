import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { systemClock } from '../../daemon/base/clock.ts';
import { inspectPackage } from '../../daemon/software/package/package-inspection.ts';
import { buildBundlePackages } from '../../packaging/bundle-packages.ts';
import { readRelease } from '../../packaging/release.ts';
import { ROOT } from '../support/suite-plan.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

test('each bundle becomes a package that a gateway accepts, with the version of the project and the same bytes each time', async (t) => {
  const { version } = readRelease(ROOT);
  const folders = [createTemporaryDirectory(t), createTemporaryDirectory(t)] as const;
  const built = await buildBundlePackages(folders[0]);
  const files = built.map(({ file }) => file);
  const again = (await buildBundlePackages(folders[1])).map(({ file }) => file);
  assert.ok(built[0]?.modules.some((folder) => folder.endsWith('/node_modules/mqtt')));
  assert.deepEqual(
    files.map((file) => path.basename(file)),
    [`penstock-mqtt_${version}.dp`, `penstock-sparkplug_${version}.dp`],
  );
  for (const [index, file] of files.entries()) {
    assert.ok(readFileSync(file).equals(readFileSync(again[index] ?? '')));
    const signal = new AbortController().signal;
    const { bundles } = await inspectPackage({ file, trustedCertificates: [], clock: systemClock, signal });
    assert.deepEqual(
      bundles.map(({ version: each, permissions }) => [each, permissions]),
      [[version, 'net']],
    );
  }
});
