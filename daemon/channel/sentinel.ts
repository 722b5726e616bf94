/** A raw value that many devices report if they have no value. */
export interface Sentinel {
  readonly raw: number;
  /** As `notAvailable` takes it. */
  readonly entry: string;
  /** Places that must share it: the largest number may also be a value. */
  readonly minimumPlaces: number;
}

// Beyond 53 bits a value has lost the digits that would show.
const SENTINELS: readonly Sentinel[] = [
  { raw: -(2 ** 15), entry: '0x8000', minimumPlaces: 1 },
  { raw: -(2 ** 31), entry: '0x80000000', minimumPlaces: 1 },
  { raw: 2 ** 15 - 1, entry: '0x7FFF', minimumPlaces: 2 },
  { raw: 2 ** 16 - 1, entry: '0xFFFF', minimumPlaces: 2 },
  { raw: 2 ** 31 - 1, entry: '0x7FFFFFFF', minimumPlaces: 2 },
  { raw: 2 ** 32 - 1, entry: '0xFFFFFFFF', minimumPlaces: 2 },
];
const NOT_A_NUMBER: Sentinel = { raw: Number.NaN, entry: 'NaN', minimumPlaces: 1 };
// Scale and offset are undone with doubles.
const TOLERANCE = 1e-6;

/** Returns the sentinel that a raw value is; undefined if it is an ordinary value. */
export function findSentinel(raw: number): Sentinel | undefined {
  if (Number.isNaN(raw)) return NOT_A_NUMBER;
  return SENTINELS.find((sentinel) => Math.abs(raw - sentinel.raw) <= TOLERANCE);
}

/** Places, such as channels or registers, that hold the same sentinel. */
export interface SharedSentinel<Place> {
  readonly entry: string;
  readonly places: readonly Place[];
}

/** Groups places by their sentinel, in the order of discovery, without sentinels that too few places share. */
export function groupSentinels<Place>(
  found: Iterable<readonly [place: Place, sentinel: Sentinel]>,
): readonly SharedSentinel<Place>[] {
  const groups = Map.groupBy(found, ([, sentinel]) => sentinel);
  return [...groups].flatMap(([{ entry, minimumPlaces }, members]) =>
    members.length < minimumPlaces ? [] : [{ entry, places: members.map(([place]) => place) }],
  );
}
