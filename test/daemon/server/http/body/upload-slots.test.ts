import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  MAXIMUM_UPLOADS,
  MAXIMUM_UPLOADS_OF_PARTY,
  UploadSlots,
} from '../../../../../daemon/server/http/body/upload-slots.ts';

test('uploads of one party leave places for others, and all places together are bounded', () => {
  const places = new UploadSlots(() => 100);
  const first = Array.from({ length: MAXIMUM_UPLOADS_OF_PARTY }, () => places.take('a'));
  assert.throws(() => places.take('a'), { code: 'UPLOADS_TOO_MANY' });
  for (let count = first.length; count < MAXIMUM_UPLOADS; count += 1) places.take(`b${count}`);
  assert.throws(() => places.take('c'), { code: 'UPLOAD_BUSY' });
  first[0]?.leave();
  places.take('c');
});

test('uploads together hold as many bytes as two of the largest files, and a place that is left frees its bytes', () => {
  const places = new UploadSlots(() => 100);
  const [one, two] = [places.take('a'), places.take('b')];
  one.grow(100);
  one.grow(1);
  two.grow(99);
  assert.throws(() => two.grow(1), { code: 'UPLOAD_BUSY', status: 503 });
  one.leave();
  two.grow(100);
});
