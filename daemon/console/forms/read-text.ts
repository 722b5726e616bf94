import { LineCounter, parseDocument } from 'yaml';

import type { ReadText } from './text-outline.ts';

/** Parses a YAML or JSON text; a large one takes several hundred milliseconds. */
export function readText(text: string): ReadText {
  const lines = new LineCounter();
  const parsed = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = parsed.errors;
  if (error !== undefined) {
    const [offset] = error.pos;
    return { kind: 'WRONG', code: error.code, line: lines.linePos(offset).line, offset };
  }
  try {
    // Many aliases are a mistake or an attack.
    return { kind: 'VALUE', value: parsed.toJS({ maxAliasCount: 100 }) };
  } catch {
    return { kind: 'WRONG', code: 'ALIASES', line: 1, offset: 0 };
  }
}
