/** Returns what a table of words has for one that stands in a file; nothing for what every object has, like `constructor`. */
export function lookUp<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
