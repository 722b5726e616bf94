import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { describeDocument } from '../../daemon/configuration/document-schema.ts';
import { GERMAN_TEMPLATES } from '../../daemon/console/text/gateway/descriptions/templates.ts';
import { GERMAN_DESCRIPTIONS } from '../../daemon/console/text/gateway/german-descriptions.ts';
import { TemplateLibrary } from '../../daemon/plant/template/template-library.ts';
import { YamlReader } from '../../daemon/settings/yaml-reader.ts';
import { createDriverFactories } from '../../drivers/index.ts';
import { readExcludedWords } from './support/glossary.ts';

/** Collects the descriptions of a schema and of its parts; a setting can have the name of a keyword. */
function collect(part: unknown, found: Set<string>): Set<string> {
  if (typeof part !== 'object' || part === null) return found;
  for (const [keyword, value] of Object.entries(part)) {
    if (keyword === 'description' && typeof value === 'string') found.add(value);
    else collect(value, found);
  }
  return found;
}

const descriptions = collect(describeDocument(createDriverFactories()), new Set());
const ofTemplates = new Set(Object.keys(GERMAN_TEMPLATES));
const translations = Object.entries(GERMAN_DESCRIPTIONS);

/** Returns the translations for which a rule finds something. */
function listBreaks(rule: (german: string, english: string) => boolean): readonly string[] {
  return translations.flatMap(([english, german]) =>
    rule(german, english) ? [`${english} | ${german}`] : [],
  );
}

test('every description of a setting has German words, and no other sentence has them', () => {
  assert.ok(descriptions.size > 200);
  const known = new Set(Object.keys(GERMAN_DESCRIPTIONS)).difference(ofTemplates);
  assert.deepEqual([...descriptions.difference(known)], []);
  assert.deepEqual([...known.difference(descriptions)], []);
});

// Names of devices and documents have none of these words; they are the same in German.
const PROSE =
  /^any$|\b(?:and|with|or|of|series$|models?|version|document(?:ation)?|volume|sheets|instructions)\b/;

test('what a device template says of its device has German words, and nothing else has them', async () => {
  const library = new TemplateLibrary({
    directories: [path.resolve(import.meta.dirname, '../../packaging/templates')],
    listPackagedFiles: () => Promise.resolve([]),
    yaml: new YamlReader(),
  });
  const { templates } = await library.list();
  const words = new Set(templates.map(({ title }) => title));
  for (const { parameters } of templates) {
    collect(parameters, words);
    for (const { title } of Object.values(parameters)) words.add(title ?? '');
  }
  assert.ok(words.size > 40);
  const heads = templates.flatMap(({ manufacturer, model, source }) => [manufacturer, model, source]);
  const prose = new Set(heads.filter((text) => PROSE.test(text)));
  assert.ok(prose.size > 30);
  assert.deepEqual([...words.union(prose).difference(ofTemplates)], []);
  assert.deepEqual([...ofTemplates.difference(words.union(new Set(heads)))], []);
});

test('a German description names the values, settings and placeholders of the English one', () => {
  const listNames = (sentence: string): readonly string[] =>
    [...sentence.matchAll(/\{\w+\}|`\w+`|\d+(?:\.\d+)?|[a-z]+[A-Z]\w*|(?<!\p{L})[A-Z][A-Z\d_]{3,}/gu)].map(
      ([name]) => name,
    );
  const withPoints = (sentence: string): string => sentence.replaceAll(/(\d),(\d)/g, '$1.$2');
  assert.deepEqual(
    listBreaks((german, english) => {
      const own = new Set(listNames(withPoints(german)));
      return listNames(withPoints(english)).some((name) => !own.has(name));
    }),
    [],
  );
});

test('a default, a duration and the end of a sentence have one form in German', () => {
  assert.deepEqual(
    listBreaks((german, english) => english.includes('default') !== german.includes('Standard')),
    [],
  );
  assert.deepEqual(
    listBreaks((german, english) => /milliseconds/i.test(english) !== german.includes('Millisekunden')),
    [],
  );
  assert.deepEqual(
    listBreaks((german) => !/^\S.*[^.!\s]$/u.test(german) || /\s\s/.test(german)),
    [],
  );
});

test('a German description has the quotes and the words of the console', () => {
  assert.deepEqual(
    listBreaks((german) => /["”«»]/.test(german) || /„[^“]*$|^[^„]*“/.test(german)),
    [],
  );
  const excluded = readExcludedWords('de');
  assert.deepEqual(
    listBreaks((german) => excluded.test(german)),
    [],
  );
  assert.deepEqual(
    listBreaks((german) => /(?<!\p{L})(?:du|dich|dir|dein(?:e|e[mnrs])?)(?!\p{L})/iu.test(german)),
    [],
  );
});
