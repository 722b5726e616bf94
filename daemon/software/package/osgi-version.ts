/** A version as OSGi writes it (OSGi Core, 3.2.5). */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly micro: number;
  /** Empty: none, which sorts before every other qualifier. */
  readonly qualifier: string;
}

/** Versions between two bounds; without a ceiling, every later version (OSGi Core, 3.2.6). */
interface VersionRange {
  readonly floor: Version;
  readonly isFloorIncluded: boolean;
  readonly ceiling?: Version;
  readonly isCeilingIncluded: boolean;
}

const VERSION = /^(\d{1,10})(?:\.(\d{1,10})(?:\.(\d{1,10})(?:\.([A-Za-z0-9_-]{1,100}))?)?)?$/;
const RANGE = /^([[(])([^,]{1,140}),([^,]{1,140})([\])])$/;
/** Largest part of a version: the int of Java, in which OSGi keeps it. */
export const MAXIMUM_PART = 2 ** 31 - 1;

/** Reads `1`, `1.2`, `1.2.3` or `1.2.3.qualifier`; returns undefined for any other text, and for a part that is too large. */
export function findVersion(text: string): Version | undefined {
  const match = VERSION.exec(text.trim());
  if (match === null) return undefined;
  const [, major = '0', minor = '0', micro = '0', qualifier = ''] = match;
  const version = { major: Number(major), minor: Number(minor), micro: Number(micro), qualifier };
  return Math.max(version.major, version.minor, version.micro) > MAXIMUM_PART ? undefined : version;
}

/** Writes a version in full: `1.2.0`, with `.qualifier` where there is one. */
export function formatVersion({ major, minor, micro, qualifier }: Version): string {
  const numbers = `${major}.${minor}.${micro}`;
  return qualifier === '' ? numbers : `${numbers}.${qualifier}`;
}

/** Compares versions: negative when `a` comes first, 0 when both are equal. Qualifiers compare as strings. */
export function compareVersions(a: Version, b: Version): number {
  const byNumbers = a.major - b.major || a.minor - b.minor || a.micro - b.micro;
  if (byNumbers !== 0 || a.qualifier === b.qualifier) return byNumbers;
  return a.qualifier < b.qualifier ? -1 : 1;
}

/** Reads a range such as `[1.0,2.0)`, or one version, which means that and every later one; returns undefined otherwise. */
export function findVersionRange(text: string): VersionRange | undefined {
  const trimmed = text.trim();
  const single = findVersion(trimmed);
  if (single !== undefined) return { floor: single, isFloorIncluded: true, isCeilingIncluded: false };
  const [, open, from = '', to = '', close] = RANGE.exec(trimmed) ?? [];
  const floor = findVersion(from);
  const ceiling = findVersion(to);
  if (floor === undefined || ceiling === undefined) return undefined;
  return { floor, isFloorIncluded: open === '[', ceiling, isCeilingIncluded: close === ']' };
}

/** Returns true if a version is in a range. */
export function isInRange(version: Version, range: VersionRange): boolean {
  const fromFloor = compareVersions(version, range.floor);
  if (fromFloor < 0 || (fromFloor === 0 && !range.isFloorIncluded)) return false;
  if (range.ceiling === undefined) return true;
  const toCeiling = compareVersions(version, range.ceiling);
  return toCeiling < 0 || (toCeiling === 0 && range.isCeilingIncluded);
}
