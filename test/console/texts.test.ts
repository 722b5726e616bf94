import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { PERMISSIONS } from '../../daemon/console/text/permissions.ts';
import { readExcludedWords } from './support/glossary.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const LANGUAGES = ['en', 'de'] as const;

interface ShownText {
  /** File, and the key in it. */
  readonly at: string;
  readonly en: string;
  readonly de: string;
}

const sources = new Map(
  globSync('daemon/console/**/*.{ts,tsx}', { cwd: ROOT }).map((file) => [
    file,
    readFileSync(path.join(ROOT, file), 'utf8'),
  ]),
);
const LITERAL = String.raw`'((?:[^'\\]|\\.)*)'`;
const TEXT = new RegExp(String.raw`(?:(\S+): )?\{\s*en: ${LITERAL},\s*de: ${LITERAL},?\s*\}`, 'g');

const texts: readonly ShownText[] = [...sources].flatMap(([file, source]) =>
  [...source.matchAll(TEXT)].map(([, key = '', en = '', de = '']) => ({ at: `${file} ${key}`, en, de })),
);

/** Returns the texts for which a rule finds something, with what it finds. */
function listBreaks(rule: (text: ShownText) => string | boolean | undefined): readonly string[] {
  return texts.flatMap((text) => {
    const found = rule(text);
    return found === undefined || found === false ? [] : [`${text.at}: ${String(found)}`];
  });
}

function withoutPlaceholders(text: string): string {
  return text.replaceAll(/\{\w+\}/g, '');
}

test('every text has both languages', () => {
  const count = [...sources.values()].join('\n').match(/\ben: ['"`]/g)?.length ?? 0;
  assert.equal(texts.length, count);
  assert.ok(count > 700);
});

test('the languages of a text have the same placeholders', () => {
  const placeholders = (text: string): string => [...new Set(text.match(/\{\w+\}/g))].toSorted().join(' ');
  assert.deepEqual(
    listBreaks(({ en, de }) => placeholders(en) !== placeholders(de) && `${en} | ${de}`),
    [],
  );
});

test('the languages of a text end with the same mark', () => {
  const end = (text: string): string => /[.:?!…]?$/.exec(text)?.[0] ?? '';
  assert.deepEqual(
    listBreaks(({ en, de }) => end(en) !== end(de) && `${en} | ${de}`),
    [],
  );
});

test('no text has blanks at its ends or in pairs, three dots, or an ellipsis without a blank', () => {
  assert.deepEqual(
    listBreaks((text) =>
      LANGUAGES.map((each) => text[each]).find((words) => /^\s|\s$|\s\s|\.\.\.|\S…/.test(words)),
    ),
    [],
  );
});

test('quotes are those of the language', () => {
  assert.deepEqual(
    listBreaks(({ en }) => /["„«»]/.test(en) || /“[^”]*$|^[^“]*”/.test(en)),
    [],
  );
  assert.deepEqual(
    listBreaks(({ de }) => /["”«»]/.test(de) || /„[^“]*$|^[^„]*“/.test(de)),
    [],
  );
});

test('German texts address the reader formally', () => {
  assert.deepEqual(
    listBreaks(({ de }) => /(?<!\p{L})(?:du|dich|dir|dein(?:e|e[mnrs])?)(?!\p{L})/iu.test(de) && de),
    [],
  );
});

test('no text contains a synonym that the glossary in CONTRIBUTING.md excludes', () => {
  for (const language of LANGUAGES) {
    const pattern = readExcludedWords(language);
    assert.deepEqual(
      listBreaks((text) => pattern.exec(withoutPlaceholders(text[language]))?.[0]),
      [],
    );
  }
});

test('every permission of the gateway has words', () => {
  const page = readFileSync(path.join(ROOT, 'docs/reference/rest-endpoints.md'), 'utf8');
  const names = new Set(page.match(/(?<=`)rest\.[a-z.]+(?=`)/g));
  assert.ok(names.has('rest.admin'));
  assert.deepEqual(Object.keys(PERMISSIONS).toSorted(), [...names].toSorted());
});

test('every text is used', () => {
  const used = [...sources]
    .filter(([file]) => !file.startsWith('daemon/console/text/'))
    .map(([, source]) => source)
    .join('\n');
  const unused = [...sources].flatMap(([file, source]) =>
    file.startsWith('daemon/console/text/') ? listUnused(source, used).map((key) => `${file} ${key}`) : [],
  );
  assert.deepEqual(unused, []);
});

// A record that a page reads with a computed key has keys that the page need not name.
function listUnused(source: string, used: string): readonly string[] {
  return [...source.matchAll(/^export const (\w+)(.*?)^\}/gms)].flatMap(([, name = '', body = '']) => {
    const isComputed = new RegExp(String.raw`\b${name}\b(?!\.)`).test(used.replaceAll(/^import .*$/gm, ''));
    return isComputed
      ? []
      : [...body.matchAll(/^ {2}(\w+): \{/gm)]
          .map(([, key = '']) => key)
          .filter((key) => !new RegExp(String.raw`\b${name}\.${key}\b`).test(used));
  });
}
