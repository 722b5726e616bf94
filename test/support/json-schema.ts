import { execFileSync } from 'node:child_process';
import path from 'node:path';

import { programOf } from './tools.ts';

const SCRIPT = path.join(import.meta.dirname, 'json-schema.py');

/**
 * Checks documents against a JSON Schema with a validator of another make.
 *
 * @returns for each document whether it is valid
 * @throws when the schema breaks the rules of its dialect, or has a pattern that Python cannot compile
 */
export function validateElsewhere(schema: unknown, documents: readonly unknown[]): readonly boolean[] {
  const input = JSON.stringify({ schema, documents });
  const output = execFileSync(programOf('jsonschema'), [SCRIPT], { input, encoding: 'utf8' });
  return JSON.parse(output) as readonly boolean[];
}

// ECMAScript, Python and RE2 do not all have these: classes by property, look-around, references back, and escapes other
// than \xHH. RE2 repeats a thing 1000 times at most.
const UNPORTABLE = /\\[pPucxkKAZz0-9]|\(\?(?!:)|\{\d*,?\d{4,}\}/;

/** Lists the patterns in a JSON Schema that not every validator can compile. */
export function listUnportablePatterns(schema: unknown): readonly string[] {
  return listPatterns(schema).filter((pattern) => UNPORTABLE.test(pattern.replaceAll(/\\x[0-9a-f]{2}/g, '')));
}

function listPatterns(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'pattern' && typeof value === 'string' ? [value] : listPatterns(value),
  );
}
