import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findObstacle, layOutFreshDebian } from './fresh-debian.ts';
import { findNamedPackages, listMissingPackages } from './missing-packages.ts';

const obstacle = findObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };

for (const [user, release] of [
  ['user', 'bookworm'],
  ['root', 'trixie'],
] as const) {
  test(
    `npm ci && npm run test:all pass for ${user} on ${release} with nothing but its npm`,
    options,
    async (t) => {
      const debian = layOutFreshDebian(t, release);
      const installed = await debian.install(user);
      assert.equal(installed.status, 0, installed.output);
      const { status, output } = await debian.run(user, 'npm run test:all');
      assert.equal(status, 0, output);
      assert.match(output, /^ℹ fail 0$[^]*\n {2}apt-get install .*\n$/m);
      assert.deepEqual(findNamedPackages(output), await listMissingPackages(debian));
    },
  );
}
