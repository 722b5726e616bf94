import type { Slices } from '../slices.ts';

// Document, list of assets, asset, list of channels.
const DEPTH = 4;

/**
 * Returns the text that `JSON.stringify` returns for plain data, in slices; undefined where it returns undefined.
 *
 * @param depth levels whose parts are written one by one
 */
export function* stringifyInSlices(value: unknown, depth = DEPTH): Slices<string | undefined> {
  if (depth === 0 || typeof value !== 'object' || value === null || !isPlain(value)) {
    yield;
    return JSON.stringify(value);
  }
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const element of value) parts.push((yield* stringifyInSlices(element, depth - 1)) ?? 'null');
    return `[${parts.join(',')}]`;
  }
  for (const [name, member] of Object.entries(value)) {
    const text = yield* stringifyInSlices(member, depth - 1);
    if (text !== undefined) parts.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${parts.join(',')}}`;
}

/** False for an object that has a text of its own, such as a date. */
function isPlain(value: object): boolean {
  return !('toJSON' in value) && (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype);
}
