/** Lowers the counts of `test/words.json` to what the sources have; it raises none. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { countOccurrences, listOccurrences, listPages } from './avoided-words.ts';
import type { WordCounts } from './avoided-words.ts';
import { countWords, listSentences, MAXIMUM_WORDS } from './sentences.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const FILE = path.join(ROOT, 'test/words.json');

const { longSentences, modules } = JSON.parse(readFileSync(FILE, 'utf8')) as {
  readonly longSentences: number;
  readonly modules: WordCounts;
};
const present = countOccurrences(listOccurrences());
const lowered = Object.entries(modules).flatMap(([module, words]) => {
  const kept = Object.entries(words)
    .map(([wording, count]): [string, number] => [wording, Math.min(count, present[module]?.[wording] ?? 0)])
    .filter(([, count]) => count > 0);
  return kept.length > 0 ? [[module, Object.fromEntries(kept)] as const] : [];
});
const long = listPages()
  .flatMap((page) => listSentences(readFileSync(path.join(ROOT, page), 'utf8')))
  .filter((sentence) => countWords(sentence) > MAXIMUM_WORDS).length;
const counts = { longSentences: Math.min(longSentences, long), modules: Object.fromEntries(lowered) };
writeFileSync(FILE, `${JSON.stringify(counts, undefined, 2)}\n`);
