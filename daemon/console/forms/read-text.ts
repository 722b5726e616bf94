import { isNode, LineCounter, parseDocument } from 'yaml';

import { toFirstLine } from './text-range.ts';
import type { TextRange } from './text-range.ts';
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

/** Returns the range of the value at a path, or of its parent if it is missing. */
export function locateValue(text: string, path: readonly (string | number)[]): TextRange {
  const parsed = parseDocument(text);
  for (let length = path.length; length > 0; length--) {
    const found = parsed.getIn(path.slice(0, length), true);
    if (isNode(found) && found.range) return toFirstLine(text, found.range[0], found.range[1]);
  }
  return toFirstLine(text, 0, text.length);
}
