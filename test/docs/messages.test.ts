import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { listPages } from '../support/documented-commands.ts';
import { hasMessage, listQuotedMessages, readSources } from '../support/quoted-messages.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
// Words that the gateway does not choose.
const OF_OTHERS = [
  'too big: expected number to be <=65535', // the library that checks settings
  'text of the banner', // an administrator
];
const PAGES = ['README.md', ...listPages()];

test('every message that a page quotes is one of the sources', () => {
  const sources = readSources();
  const quoted = PAGES.flatMap((page) =>
    listQuotedMessages(page, readFileSync(path.join(ROOT, page), 'utf8')),
  );
  assert.ok(quoted.length > 20);
  const isOfOthers = (text: string): boolean => OF_OTHERS.some((words) => text.endsWith(words));
  assert.deepEqual(
    quoted.filter(({ text }) => !isOfOthers(text) && !hasMessage(sources, text)),
    [],
  );
});

test('a message that no source has is found', () => {
  const sources = readSources();
  assert.equal(hasMessage(sources, 'the medium is full; make room'), false);
  assert.equal(hasMessage(sources, 'the disk is full; free space'), true);
  assert.equal(hasMessage(sources, 'unit 7 did not respond within 1000 ms'), true);
});
