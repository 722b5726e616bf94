import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createAccessBench } from './access-fixture.ts';

const ofChannels = (...channels: readonly string[]) => [
  { assets: ['pump', 'gone'], channels, operations: ['READ'] as const },
];

test('what was recorded is read with the grant of its channel, also if asset or channel is no longer configured', () => {
  const { access, caller } = createAccessBench(ofChannels('level', 'former'));
  const mayRead = (asset: string, channel?: string) => access.mayReadRecorded(caller(), asset, channel);
  assert.equal(mayRead('pump', 'level'), true);
  assert.equal(mayRead('pump', 'former'), true);
  assert.equal(mayRead('gone', 'level'), true);
  assert.equal(mayRead('pump', 'total'), false);
  assert.equal(mayRead('gone', 'total'), false);
  assert.equal(mayRead('other', 'level'), false);
});

test('a gap of a whole asset concerns who may read any channel of it', () => {
  const { access, caller } = createAccessBench(ofChannels('level'));
  assert.equal(access.mayReadRecorded(caller(), 'pump'), true);
  assert.equal(access.mayReadRecorded(caller(), 'other'), false);
});

test('what was recorded cannot be read without a grant', () => {
  const { access, caller } = createAccessBench([]);
  assert.equal(access.mayReadRecorded(caller(), 'pump', 'level'), false);
  assert.equal(access.mayReadRecorded(caller(), 'pump'), false);
});
