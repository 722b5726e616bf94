import type { ReadValueIdOptions } from 'node-opcua-client';

/** Type of the library, which also accepts and converts a text without declaring it. */
export type IndexRange = NonNullable<ReadValueIdOptions['indexRange']>;

const MAXIMUM_INDEX = 9;
/** Maximum dimensions of a supported array. */
export const MAXIMUM_DIMENSIONS = 8;
const DIMENSION = /^(?<first>\d+)(?::(?<last>\d+))?$/;

/** Returns the IndexRange of a request; empty if there is none. */
export function toIndexRange(text: string | undefined): { readonly indexRange?: IndexRange } {
  return text === undefined ? {} : { indexRange: text as unknown as IndexRange };
}

/**
 * Returns the number of elements of a NumericRange in each dimension (OPC 10000-4, 7.27): `1,2:4` yields 1 and 3.
 *
 * @returns undefined if the text is not a range
 */
export function parseIndexRange(text: string): readonly number[] | undefined {
  const lengths = text.split(',', MAXIMUM_DIMENSIONS + 1).map(countIndexes);
  return lengths.length <= MAXIMUM_DIMENSIONS && lengths.every((length) => length !== undefined)
    ? lengths
    : undefined;
}

/**
 * Returns the positions of the elements that a range selects in an array, row by row.
 *
 * @param text a NumericRange
 * @param dimensions length of each dimension of the array
 * @returns undefined for each element beyond the array
 */
export function listPositions(text: string, dimensions: readonly number[]): readonly (number | undefined)[] {
  const parts = text.split(',');
  if (parts.length !== dimensions.length) return (parseIndexRange(text) ?? []).map(() => undefined);
  let positions: readonly (number | undefined)[] = [0];
  for (const [at, part] of parts.entries()) {
    const [first = 0, last = first] = part.split(':').map(Number);
    const length = dimensions[at] ?? 0;
    const indexes = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    positions = positions.flatMap((position) =>
      indexes.map((index) =>
        position === undefined || index >= length ? undefined : position * length + index,
      ),
    );
  }
  return positions;
}

/** True if a range selects one element. */
export function namesOneElement(lengths: readonly number[]): boolean {
  return lengths.every((length) => length === 1);
}

function countIndexes(text: string): number | undefined {
  const { first = '', last } = DIMENSION.exec(text)?.groups ?? {};
  if (first === '' || first.length > MAXIMUM_INDEX) return undefined;
  if (last === undefined) return 1;
  // The standard has only one text for a single index, so a range has at least two elements.
  return last.length <= MAXIMUM_INDEX && Number(last) > Number(first)
    ? Number(last) - Number(first) + 1
    : undefined;
}
