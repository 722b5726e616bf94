import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import type { Plugin } from 'vite';

const LANGUAGES = ['en', 'de'] as const;
const LITERAL = String.raw`'(?:[^'\\]|\\.)*'`;
// `test/console/texts.test.ts` holds the texts to this form.
const TEXT = new RegExp(String.raw`\{\s*en: (${LITERAL}),\s*de: (${LITERAL}),?\s*\}`, 'g');
const TABLE = /^export const (\w+) = \{\n(.*?)^\}/gms;
const ENTRY = new RegExp(String.raw`^ {2}(\w+): (${TEXT.source})`, 'gm');
const IMPORT = /^import \{([\w,\s]+)\} from '(\.[^']+)';$/gm;
const SOURCE = /\.tsx?$/;

/** Numbers of texts, by table and key. */
type Tables = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Puts the texts of the console into one file per language, so that a browser loads only the language that it shows. A text in
 * the sources, `{ en: '…', de: '…' }`, becomes an object of a list, which `loadTexts` fills with the language it is called for.
 * A text that is read by its key, `DEVICES.add`, is read by its number instead: a table without other uses is left out, with its keys.
 *
 * @param folder of the console's sources
 */
export async function separateTexts(folder: string): Promise<Plugin> {
  const loader = path.join(folder, 'text/load-texts.ts');
  const sources = await readSources(folder);
  const texts = listTexts(sources);
  const numbers = new Map([...texts.keys()].map((text, number) => [text, number]));
  const tablesOf = new Map([...sources].map(([file, source]) => [file, readTables(source, numbers)]));
  const languages = new Map(
    LANGUAGES.map((language, column) => {
      const literals = [...texts.values()].map((text) => text[column]);
      return [`texts-${language}`, `export default [${literals.join()}];`];
    }),
  );
  return {
    name: 'separate-texts',
    enforce: 'pre',
    resolveId: (id) => (languages.has(id) ? id : undefined),
    load: (id) => (id === loader ? describeLoader(texts.size) : languages.get(id)),
    transform: (code, id) => {
      if (!sources.has(id)) return undefined;
      const separated = readByNumber(code, id, tablesOf).replaceAll(
        TEXT,
        (text) => `/* @__PURE__ */ $text(${numbers.get(text) ?? ''})`,
      );
      if (separated === code) return undefined;
      return { code: `import { $text } from ${JSON.stringify(loader)}; ${separated}`, map: null };
    },
  };
}

async function readSources(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => SOURCE.test(name)).toSorted();
  const read = async (file: string) => [file, await readFile(file, 'utf8')] as const;
  return new Map(await Promise.all(files.map((name) => read(path.join(folder, name)))));
}

/** Lists the texts in the order of their files, each with its literals by language. */
function listTexts(sources: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, readonly string[]>();
  for (const source of sources.values()) {
    for (const [text, ...literals] of source.matchAll(TEXT)) texts.set(text, literals);
  }
  return texts;
}

/** Lists the exported tables of texts in a source. */
function readTables(source: string, numbers: ReadonlyMap<string, number>): Tables {
  return new Map(
    [...source.matchAll(TABLE)].map(([, name = '', body = '']) => [
      name,
      new Map(
        [...body.matchAll(ENTRY)].flatMap(
          ([, key = '', text = '']): readonly (readonly [string, number])[] => {
            const number = numbers.get(text);
            return number === undefined ? [] : [[key, number]];
          },
        ),
      ),
    ]),
  );
}

/** Replaces the texts that a source reads from imported tables, each by its key. */
function readByNumber(code: string, id: string, tablesOf: ReadonlyMap<string, Tables>): string {
  let replaced = code;
  for (const [, names = '', from = ''] of code.matchAll(IMPORT)) {
    const tables = tablesOf.get(path.resolve(path.dirname(id), from));
    for (const name of names.split(',')) {
      const table = tables?.get(name.trim());
      if (table === undefined) continue;
      replaced = replaced.replaceAll(
        new RegExp(String.raw`(?<![.\w$])${name.trim()}\.(\w+)\b`, 'g'),
        (use, key: string) => {
          const number = table.get(key);
          return number === undefined ? use : `$text(${number})`;
        },
      );
    }
  }
  return replaced;
}

/** Code of `load-texts.ts` in the built console. */
function describeLoader(count: number): string {
  const tables = LANGUAGES.map((language) => `${language}: () => import('texts-${language}')`);
  return `
    const texts = Array.from({ length: ${count} }, () => ({}));
    const TABLES = { ${tables.join()} };
    export const $text = (number) => texts[number];
    export async function loadTexts(language) {
      const table = (await TABLES[language]()).default;
      texts.forEach((text, number) => { text[language] = table[number]; });
    }
  `;
}
