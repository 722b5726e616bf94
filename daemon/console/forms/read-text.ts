import { LineCounter, parseDocument } from 'yaml';

/** Parsed text, or its syntax errors. */
export type ReadText =
  | { readonly kind: 'VALUE'; readonly value: unknown }
  | { readonly kind: 'WRONG'; readonly message: string; readonly line: number; readonly offset: number };

/** Parses a YAML or JSON text; a large one takes several hundred milliseconds. */
export function readText(text: string): ReadText {
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = parsed.errors;
  if (error !== undefined) {
    const [offset] = error.pos;
    return { kind: 'WRONG', message: error.message, line: lines.linePos(offset).line, offset };
  }
  try {
    // Many aliases are a mistake or an attack.
    return { kind: 'VALUE', value: parsed.toJS({ maxAliasCount: 100 }) };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : '';
    return { kind: 'WRONG', message, line: 1, offset: 0 };
  }
}
