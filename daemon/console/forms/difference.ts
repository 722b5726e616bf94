/** Value that differs between two documents; list items are identified by pid or name. */
export interface Difference {
  readonly path: readonly string[];
  /** Undefined if absent. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Value changed since the draft began: by others, in the draft, or both. */
export interface ThreeWayDifference {
  readonly path: readonly string[];
  readonly base: unknown;
  readonly theirs: unknown;
  readonly yours: unknown;
  readonly by: 'THEM' | 'YOU' | 'BOTH';
}

type Branch = Readonly<Record<string, unknown>>;

/** Lists the values that differ between two documents. The order of items does not matter. */
export function listDifferences(
  before: unknown,
  after: unknown,
  path: readonly string[] = [],
): readonly Difference[] {
  if (isEqual(before, after)) return [];
  const branches = [toBranch(before), toBranch(after)] as const;
  // Report an added or removed part as one difference, down to an item.
  if (branches.some((branch) => branch === undefined) && path.length > 0) return [{ path, before, after }];
  const [former = {}, next = {}] = branches;
  return listKeys(former, next).flatMap((key) => listDifferences(former[key], next[key], [...path, key]));
}

/** Lists the changes of a draft and of others since the draft began. */
export function listThreeWay(
  base: unknown,
  theirs: unknown,
  yours: unknown,
  path: readonly string[] = [],
): readonly ThreeWayDifference[] {
  if (isEqual(theirs, yours) && isEqual(base, yours)) return [];
  const branches = [base, theirs, yours].map(toBranch);
  const [from, other, own] = branches;
  if (from === undefined || other === undefined || own === undefined) {
    const by = isEqual(theirs, base) ? 'YOU' : isEqual(yours, base) ? 'THEM' : 'BOTH';
    return [{ path, base, theirs, yours, by }];
  }
  return listKeys(from, other, own).flatMap((key) =>
    listThreeWay(from[key], other[key], own[key], [...path, key]),
  );
}

/**
 * Merges the changes of a draft into the configuration left by others.
 *
 * @param isTheirs decides for each value changed on both sides; `path` as in {@link listThreeWay}
 */
export function mergeThreeWay(
  base: unknown,
  theirs: unknown,
  yours: unknown,
  isTheirs: (path: readonly string[]) => boolean,
  path: readonly string[] = [],
): unknown {
  if (isEqual(yours, base) || isEqual(theirs, yours)) return theirs;
  if (isEqual(theirs, base)) return yours;
  const [from, other, own] = [toBranch(base), toBranch(theirs), toBranch(yours)];
  if (from === undefined || other === undefined || own === undefined) return isTheirs(path) ? theirs : yours;
  const merged = listKeys(other, own)
    .map((key) => [key, mergeThreeWay(from[key], other[key], own[key], isTheirs, [...path, key])] as const)
    .filter(([, value]) => value !== undefined);
  return Array.isArray(theirs) ? merged.map(([, value]) => value) : Object.fromEntries(merged);
}

/** True if two document values are equal. */
function isEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [keys, others] = [Object.keys(left), Object.keys(right)];
  return (
    keys.length === others.length &&
    keys.every((key) => isEqual((left as Branch)[key], (right as Branch)[key]) && key in right)
  );
}

function listKeys(...branches: readonly Branch[]): readonly string[] {
  return [...new Set(branches.flatMap((branch) => Object.keys(branch)))];
}

/** Returns the members of an object, or of a list of named items; undefined for all other values. */
function toBranch(value: unknown): Branch | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) return value as Branch;
  const names = value.map(nameOf);
  if (names.includes(undefined) || new Set(names).size < names.length) return undefined;
  return Object.fromEntries(value.map((item: unknown, index) => [names[index] ?? '', item]));
}

function nameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const { pid, name } = item as { readonly pid?: unknown; readonly name?: unknown };
  if (typeof pid === 'string') return pid;
  return typeof name === 'string' ? name : undefined;
}
