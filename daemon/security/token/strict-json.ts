/** A parsed object; read its members through `Object.hasOwn` or a schema. */
export type JsonObject = Readonly<Record<string, unknown>>;

// Strings match as a whole, so that their content is not mistaken for structure; the input is valid JSON.
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/g;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON object without duplicate names at any depth: for duplicates, parsers differ in using the first or the last
 * (RFC 7515, 4; RFC 7519, 4).
 *
 * @returns undefined for anything else: invalid UTF-8, invalid JSON, no object, or duplicate names in any escaping
 */
export function parseStrictObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const text = decoder.decode(bytes);
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    // If the text is reproduced exactly, no name was lost; most issuers format like `JSON.stringify`.
    return isObject && (JSON.stringify(value) === text || !hasDuplicateName(text))
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

function hasDuplicateName(text: string): boolean {
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
