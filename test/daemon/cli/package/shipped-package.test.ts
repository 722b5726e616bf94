import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { findShippedPackage } from '../../../../daemon/cli/package/shipped-package.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';

test('findShippedPackage finds a package by its symbolic name, and by nothing else', (t) => {
  const directory = createTemporaryDirectory(t);
  for (const name of ['penstock-mqtt_0.1.0.dp', 'penstock-mqtt-extra_1.0.0.dp', 'penstock-mqtt_notes_1.dp']) {
    writeFileSync(path.join(directory, name), '');
  }
  const find = (name: string): string | undefined =>
    findShippedPackage(name, ['/nonexistent/packages', directory]);
  assert.equal(find('penstock-mqtt'), path.join(directory, 'penstock-mqtt_0.1.0.dp'));
  assert.equal(find('penstock-mqtt-extra'), path.join(directory, 'penstock-mqtt-extra_1.0.0.dp'));
  assert.equal(find('penstock'), undefined);
  assert.equal(find('../penstock-mqtt'), undefined);
  assert.equal(find(path.join(directory, 'penstock-mqtt')), undefined);
});

test('a file in the working directory comes before a package of the same name', () => {
  assert.equal(findShippedPackage('package.json', ['/nonexistent/packages']), undefined);
});
