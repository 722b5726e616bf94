import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findObstacle, layOutFreshDebian } from './fresh-debian.ts';

const obstacle = findObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };

for (const user of ['user', 'root'] as const) {
  test(`npm ci && npm test pass for ${user} on a Debian with nothing but npm`, options, async (t) => {
    const { status, output } = await layOutFreshDebian(t).run(user, 'npm ci && npm test');
    assert.equal(status, 0, output);
    assert.match(output, /^ℹ fail 0$[^]*\n {2}apt-get install .*\n$/m);
  });
}
