const ANY = '*';

/** Returns true if a pattern matches every name. */
export function matchesAll(pattern: string): boolean {
  return /^\*+$/.test(pattern);
}

/**
 * Compiles a pattern, in which `*` matches any characters, or none; nothing else is special.
 *
 * @returns true if a whole name matches, case-sensitive; takes at most the length of the name for each part
 *   between two stars, for any pattern
 */
export function createPattern(pattern: string): (name: string) => boolean {
  const [head = '', ...others] = pattern.split(ANY);
  const tail = others.pop();
  if (tail === undefined) return (name) => name === pattern;
  const inner = others.filter((part) => part !== '');
  return (name) => {
    const end = name.length - tail.length;
    if (end < head.length || !name.startsWith(head) || !name.endsWith(tail)) return false;
    // The first position of each part leaves the most characters for the parts after it.
    let from = head.length;
    for (const part of inner) {
      const found = name.indexOf(part, from);
      if (found === -1 || found + part.length > end) return false;
      from = found + part.length;
    }
    return true;
  };
}

/** Finds the values of the patterns that a name matches; patterns without a star take one look-up together. */
export class PatternIndex<T> {
  readonly #exact = new Map<string, T[]>();
  readonly #others: { readonly matches: (name: string) => boolean; readonly values: T[] }[] = [];

  constructor(entries: Iterable<readonly [pattern: string, value: T]>) {
    const wild = new Map<string, T[]>();
    for (const [pattern, value] of entries) {
      const place = pattern.includes(ANY) ? wild : this.#exact;
      const values = place.get(pattern);
      if (values === undefined) place.set(pattern, [value]);
      else values.push(value);
    }
    for (const [pattern, values] of wild) this.#others.push({ matches: createPattern(pattern), values });
  }

  /** Returns true if a name matches any pattern. */
  has(name: string): boolean {
    return this.#exact.has(name) || this.#others.some(({ matches }) => matches(name));
  }

  /** Returns the values of every pattern that a name matches, each once. */
  find(name: string): ReadonlySet<T> {
    const found = new Set(this.#exact.get(name));
    for (const { matches, values } of this.#others) {
      if (matches(name)) for (const value of values) found.add(value);
    }
    return found;
  }
}
