import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { unpackPackage } from '../../../../daemon/software/package/unpack-package.ts';
import { createBridgeBench } from '../../../support/bundle-program-bench.ts';
import { createScriptedFactory } from '../../../support/scripted-driver.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

// `penstock package build` of the release 0.1.0 made it, from a bundle that reads a channel and writes it.
const PACKAGE = path.join(import.meta.dirname, 'fixtures/first-interface.dp');

test('a package for the first version of the interface runs as it did', async (t) => {
  const target = path.join(createTemporaryDirectory(t), 'target');
  mkdirSync(target);
  const { bundles } = await unpackPackage({
    file: PACKAGE,
    sha256: '0'.repeat(64),
    target,
    signaturePolicy: 'off',
    trustedCertificates: [],
    nowMs: Date.now(),
  });
  const {
    symbolicName: name,
    version,
    location,
    main,
    permissions,
  } = bundles[0] ?? assert.fail('it has one');
  const factory = createScriptedFactory();
  const bench = await createBridgeBench(t, { builtIn: [factory] });
  const channels = [{ name: 'level', type: 'READ_WRITE', valueType: 'DOUBLE', address: {} }];
  const drivers = [{ pid: 'x', type: 'scripted', line: 'x' }];
  assert.equal(
    await bench.configure({ drivers, assets: [{ pid: 'tank', driver: 'x', channels }] }),
    undefined,
  );
  factory.made.get('x')?.[0]?.values.set('level', 41);
  await bench.supervisor.start({
    id: { name, version },
    directory: path.join(target, location),
    dataDirectory: path.join(createTemporaryDirectory(t), 'data'),
    main,
    permissions,
  });
  const line = bench.lines.find(({ event }) => event === 'bundle.logged');
  assert.deepEqual(line?.fields['fields'], {
    name: 'org.example.first',
    value: 41,
    outcome: 'ACKNOWLEDGED',
  });
  assert.equal(factory.made.get('x')?.[0]?.values.get('level'), 42);
  assert.equal(bench.supervisor.list()[0]?.report, undefined);
});
