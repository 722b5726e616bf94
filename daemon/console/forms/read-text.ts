import { LineCounter, parseDocument } from 'yaml';

/** What a text says, or where it cannot be read. */
export type ReadText =
  | { readonly kind: 'VALUE'; readonly value: unknown }
  | { readonly kind: 'WRONG'; readonly message: string; readonly line: number; readonly offset: number };

/** Reads a YAML or JSON text as a whole: a large one takes a good part of a second. */
export function readText(text: string): ReadText {
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = parsed.errors;
  if (error !== undefined) {
    const [offset] = error.pos;
    return { kind: 'WRONG', message: error.message, line: lines.linePos(offset).line, offset };
  }
  try {
    // Few aliases are meant; many are a mistake or an attack.
    return { kind: 'VALUE', value: parsed.toJS({ maxAliasCount: 100 }) };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : '';
    return { kind: 'WRONG', message, line: 1, offset: 0 };
  }
}
