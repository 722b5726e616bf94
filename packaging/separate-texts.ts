import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import type { Plugin } from 'vite';

const LANGUAGES = ['en', 'de'] as const;
const LITERAL = String.raw`'(?:[^'\\]|\\.)*'`;
// `test/console/texts.test.ts` holds the texts to this form.
const TEXT = new RegExp(String.raw`\{\s*en: (${LITERAL}),\s*de: (${LITERAL}),?\s*\}`, 'g');
const SOURCE = /\.tsx?$/;

/**
 * Puts the texts of the console into one file per language, so that a browser loads only the language that it shows. A text in
 * the sources, `{ en: '…', de: '…' }`, becomes an object of a list, which `loadTexts` fills with the language it is called for.
 *
 * @param sources folder of the console
 */
export async function separateTexts(sources: string): Promise<Plugin> {
  const loader = path.join(sources, 'text/load-texts.ts');
  const texts = await listTexts(sources);
  const numbers = new Map([...texts.keys()].map((text, number) => [text, number]));
  const tables = new Map(
    LANGUAGES.map((language, column) => {
      const literals = [...texts.values()].map((text) => text[column]);
      return [`texts-${language}`, `export default [${literals.join()}];`];
    }),
  );
  return {
    name: 'separate-texts',
    enforce: 'pre',
    resolveId: (id) => (tables.has(id) ? id : undefined),
    load: (id) => (id === loader ? describeLoader(texts.size) : tables.get(id)),
    transform: (code, id) => {
      if (!id.startsWith(sources) || !SOURCE.test(id)) return undefined;
      const separated = code.replaceAll(TEXT, (text) => `$texts[${numbers.get(text) ?? ''}]`);
      if (separated === code) return undefined;
      return { code: `import { $texts } from ${JSON.stringify(loader)}; ${separated}`, map: null };
    },
  };
}

/** Lists the texts in the order of their files, each with its literals by language. */
async function listTexts(sources: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const texts = new Map<string, readonly string[]>();
  const names = await readdir(sources, { recursive: true });
  for (const name of names.filter((each) => SOURCE.test(each)).toSorted()) {
    const source = await readFile(path.join(sources, name), 'utf8');
    for (const [text, ...literals] of source.matchAll(TEXT)) texts.set(text, literals);
  }
  return texts;
}

/** Code of `load-texts.ts` in the built console. */
function describeLoader(count: number): string {
  const tables = LANGUAGES.map((language) => `${language}: () => import('texts-${language}')`);
  return `
    export const $texts = Array.from({ length: ${count} }, () => ({}));
    const TABLES = { ${tables.join()} };
    export async function loadTexts(language) {
      const table = (await TABLES[language]()).default;
      $texts.forEach((text, number) => { text[language] = table[number]; });
    }
  `;
}
