import { CODE_TABLES } from './error-tables.ts';

/** Meanings of the error codes that responses and records have, without the marks of the page; package operations have a number as code. */
export function listMeanings(): readonly (readonly [code: string, meaning: string])[] {
  return CODE_TABLES.flatMap(({ codes }) => Object.entries(codes)).flatMap(
    ([code, { meaning, internal }]) => {
      const [, number = code, words = ''] = /^(?:(\d{3}): )?(.*)$/s.exec(meaning) ?? [];
      const plain = words.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
      return internal === undefined ? [[number, plain.replace(/^of an audit event: /, '')] as const] : [];
    },
  );
}

/** Writes the meanings in alphabetical order of their codes, as the console loads them. */
export function writeEnglishMeanings(): string {
  const sorted = listMeanings().toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{\n${sorted.map(([code, meaning]) => `  ${JSON.stringify(code)}: ${JSON.stringify(meaning)}`).join(',\n')}\n}\n`;
}
