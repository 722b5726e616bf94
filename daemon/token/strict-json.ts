/** An object as it was parsed; read its members through `Object.hasOwn` or a schema. */
export type JsonObject = Readonly<Record<string, unknown>>;

// Strings as a whole, so that nothing inside them is taken for structure; the input is valid JSON already.
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses an object in which no name occurs twice, at any depth: of a doubled name one reader takes the first member and
 * another the last (RFC 7515, 4; RFC 7519, 4).
 *
 * @returns undefined for everything else: no UTF-8, no JSON, no object, a doubled name however it is escaped
 */
export function parseStrictObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const text = decoder.decode(bytes);
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && !hasDoubledName(text) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

function hasDoubledName(text: string): boolean {
  // One set of names per open object, null per open array.
  const open: (Set<string> | null)[] = [];
  let isName = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null);
      isName = token === '{';
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (token === ',') {
      isName = open.at(-1) instanceof Set;
    } else if (token === ':') {
      isName = false;
    } else if (isName) {
      const names = open.at(-1);
      const name = JSON.parse(token) as string;
      if (names?.has(name) === true) return true;
      names?.add(name);
    }
  }
  return false;
}
