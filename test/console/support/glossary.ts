import { readFileSync } from 'node:fs';
import path from 'node:path';

const PAGE = path.resolve(import.meta.dirname, '../../../CONTRIBUTING.md');
const COLUMNS = { en: 3, de: 4 } as const;

/** Returns a pattern of the words that the glossary in CONTRIBUTING.md excludes in a language, also at the beginning of a longer word. */
export function readExcludedWords(language: keyof typeof COLUMNS): RegExp {
  const page = readFileSync(PAGE, 'utf8');
  const [, glossary = ''] = /^## Words of the console\n(.*?)(?=^## |$(?![\s\S]))/ms.exec(page) ?? [];
  const rows = [...glossary.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) => row.split('|')).slice(2);
  const words = rows.flatMap((row) =>
    [...(row[COLUMNS[language]] ?? '').matchAll(/`([^`]+)`/g)].map(([, word = '']) => word),
  );
  if (rows.length <= 20 || words.length <= 10) throw new Error('CONTRIBUTING.md has no glossary');
  return new RegExp(String.raw`(?<![\p{L}])(?:${words.join('|')})`, 'iu');
}
