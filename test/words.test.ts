import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import counts from './words.json' with { type: 'json' };
import {
  countDocstrings,
  countOccurrences,
  findModule,
  findOccurrences,
  listOccurrences,
  listPages,
  OPENING,
} from './support/words/avoided-words.ts';
import type { WordCounts } from './support/words/avoided-words.ts';
import { countWords, isSentence, listSentences, MAXIMUM_WORDS } from './support/words/sentences.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const MODULES: WordCounts = counts.modules;

/** Share of docstrings that may open with a question word, and of sentences of pages that may be long. */
const MAXIMUM_OPENINGS = 0.02;
const MAXIMUM_LONG = 0.05;

const occurrences = listOccurrences();

for (const [module, words] of Object.entries(countOccurrences(occurrences))) {
  test(`${module} has no more avoided wordings than before`, () => {
    const added = Object.entries(words).flatMap(([wording, count]) => {
      const allowed = MODULES[module]?.[wording] ?? 0;
      if (wording === OPENING || count <= allowed) return [];
      const locations = occurrences
        .filter((occurrence) => occurrence.module === module && occurrence.wording === wording)
        .map(({ location }) => `  ${location}`);
      return [[`“${wording}”: ${count}, allowed ${allowed}`].concat(locations)];
    });
    assert.deepEqual(added, [], `reword one of these:\n${added.flat().join('\n')}`);
  });
}

test('docstrings open with a noun or a verb', () => {
  const openings = occurrences.filter(
    ({ module, wording }) => wording === OPENING && /^(?:daemon|drivers|packaging)\b/.test(module),
  );
  const docstrings = ['daemon', 'drivers', 'packaging'].reduce((sum, root) => sum + countDocstrings(root), 0);
  if (openings.length <= MAXIMUM_OPENINGS * docstrings) return;
  for (const [module, words] of Object.entries(countOccurrences(openings))) {
    const locations = openings.filter((opening) => opening.module === module).map(({ location }) => location);
    assert.ok((words[OPENING] ?? 0) <= (MODULES[module]?.[OPENING] ?? 0), locations.join('\n'));
  }
});

test('sentences of pages are short', () => {
  const sentences = listPages().flatMap((page) =>
    listSentences(readFileSync(path.join(ROOT, page), 'utf8'))
      .filter(isSentence)
      .map((sentence) => ({ page, sentence })),
  );
  const long = sentences.filter(({ sentence }) => countWords(sentence) > MAXIMUM_WORDS);
  if (long.length <= MAXIMUM_LONG * sentences.length) return;
  const list = long.map(({ page, sentence }) => `${page}: ${sentence}`).join('\n');
  assert.ok(long.length <= counts.longSentences, `${long.length}, allowed ${counts.longSentences}:\n${list}`);
});

test('an avoided wording is found across lines, in any case, and not as part of a name', () => {
  const file = 'daemon/security/token/verify.ts';
  const found = findOccurrences(
    file,
    '/** Whether\n * Nobody was told. It goes under\n * way. */\nconst isTold = 1;\n',
  );
  assert.deepEqual(
    found.map(({ module, wording, location }) => [module, wording, location]),
    [
      ['daemon/security/token', 'nobody', `${file}:2: * Nobody was told. It goes under`],
      ['daemon/security/token', 'told', `${file}:2: * Nobody was told. It goes under`],
      ['daemon/security/token', 'under way', `${file}:2: * Nobody was told. It goes under`],
      ['daemon/security/token', OPENING, `${file}:1: /** Whether`],
    ],
  );
});

test('a file belongs to the module of its folder', () => {
  const files = [
    'README.md',
    'docs/how-to/install.md',
    'daemon/main.ts',
    'daemon/cli/asset/read.ts',
    'test/a.ts',
  ];
  assert.deepEqual(files.map(findModule), ['docs', 'docs', 'daemon', 'daemon/cli', 'test']);
});

test('sentences of a page are split at periods, list items and table cells, without code', () => {
  const page =
    '# Title\n\nOne thing. `two` goes\non.\n\n```sh\nnot this. Nor that.\n```\n\n- three here\n- four there\n\n  ```json\n  { }\n  ```\n\n| five six | seven eight |\n';
  assert.deepEqual(listSentences(page), [
    'One thing.',
    'code goes on.',
    'three here',
    'four there',
    'five six',
    'seven eight',
  ]);
});
