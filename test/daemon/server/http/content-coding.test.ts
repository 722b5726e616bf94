import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  chooseCoding,
  CONTENT_CODINGS,
  findListed,
  isListed,
  tagOfContent,
  tagOfForm,
} from '../../../../daemon/server/http/content-coding.ts';

for (const [accepted, coding] of [
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate, zstd', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['*', 'br'],
  ['*;q=0.1, gzip;q=0', 'br'],
  ['br;q=0, *', 'gzip'],
  ['br;q=x', undefined],
] as const) {
  test(`of "Accept-Encoding: ${accepted}" the coding is ${coding}`, () => {
    assert.equal(chooseCoding(accepted, CONTENT_CODINGS), coding);
  });
}

test('a coded form has a tag of its own, which leads back to that of the content', () => {
  assert.equal(tagOfForm('"17"', undefined), '"17"');
  for (const coding of CONTENT_CODINGS) {
    assert.equal(tagOfForm('"17"', coding), `"17-${coding}"`);
    assert.equal(tagOfContent(`"17-${coding}"`), '"17"');
  }
  assert.equal(tagOfContent('"a-b"'), '"a-b"');
});

test('a list names a tag by a weak comparison, and every tag by an asterisk', () => {
  assert.equal(isListed(undefined, '"1"'), false);
  assert.equal(isListed('"2", W/"1"', '"1"'), true);
  assert.equal(isListed('*', '"1"'), true);
  assert.equal(isListed('"11"', '"1"'), false);
  assert.equal(findListed('"1-br", "1"', ['"1"', '"1-br"']), '"1"');
});
