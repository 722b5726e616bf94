/**
 * Splits a path at the name that it begins with: the longest of the known ones, as names may have dots in them.
 *
 * @returns the name and what follows its dot; an unknown name ends at the first dot
 */
export function findByPrefix(path: string, names: readonly string[]): readonly [name: string, rest: string] {
  const known = names.filter((name) => path === name || path.startsWith(`${name}.`));
  const [first = ''] = path.split('.');
  const name = known.reduce((longest, each) => (each.length > longest.length ? each : longest), '') || first;
  return [name, path.slice(name.length + 1)];
}
