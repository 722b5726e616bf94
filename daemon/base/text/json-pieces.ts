// Document, list of assets, asset, list of channels.
const DEPTH = 4;

/**
 * Yields the text that `JSON.stringify` returns for plain data, in pieces; nothing where it returns undefined.
 *
 * @param depth levels whose parts are written one by one
 */
export function* jsonPieces(value: unknown, depth = DEPTH): Generator<string, void, void> {
  yield* writeValue(value, depth, '');
}

/** @returns false if nothing is written */
function* writeValue(value: unknown, depth: number, prefix: string): Generator<string, boolean, void> {
  if (depth === 0 || !isPlain(value)) {
    const text = JSON.stringify(value) as string | undefined;
    if (text === undefined) return false;
    yield prefix + text;
    return true;
  }
  const inner = depth - 1;
  let opening = prefix + (Array.isArray(value) ? '[' : '{');
  if (Array.isArray(value)) {
    for (const element of value as readonly unknown[]) {
      if (!(yield* writeValue(element, inner, opening))) yield `${opening}null`;
      opening = ',';
    }
  } else {
    for (const [name, member] of Object.entries(value)) {
      if (yield* writeValue(member, inner, `${opening}${JSON.stringify(name)}:`)) opening = ',';
    }
  }
  const closing = Array.isArray(value) ? ']' : '}';
  yield opening === ',' ? closing : opening + closing;
  return true;
}

/** False for a value that is no object, and for an object that has a text of its own, such as a date. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
