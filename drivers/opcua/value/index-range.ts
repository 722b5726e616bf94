import type { ReadValueIdOptions } from 'node-opcua-client';

/** The type of the library; the library also accepts a text and converts it, which its types do not show. */
export type IndexRange = NonNullable<ReadValueIdOptions['indexRange']>;

const LONGEST_INDEX = 9;
/** Most dimensions of an array that a channel can carry. */
export const MOST_DIMENSIONS = 8;
const DIMENSION = /^(?<first>\d+)(?::(?<last>\d+))?$/;

/** Returns the part of a request that names elements of an array; empty where there is none. */
export function toIndexRange(text: string | undefined): { readonly indexRange?: IndexRange } {
  return text === undefined ? {} : { indexRange: text as unknown as IndexRange };
}

/**
 * Finds how many elements a NumericRange names in each dimension (OPC 10000-4, 7.27): `1,2:4` names 1 and 3.
 *
 * @returns undefined when the text is no such range
 */
export function parseIndexRange(text: string): readonly number[] | undefined {
  const lengths = text.split(',', MOST_DIMENSIONS + 1).map(countIndexes);
  return lengths.length <= MOST_DIMENSIONS && lengths.every((length) => length !== undefined)
    ? lengths
    : undefined;
}

/** Whether a range names one element. */
export function namesOneElement(lengths: readonly number[]): boolean {
  return lengths.every((length) => length === 1);
}

function countIndexes(text: string): number | undefined {
  const { first = '', last } = DIMENSION.exec(text)?.groups ?? {};
  if (first === '' || first.length > LONGEST_INDEX) return undefined;
  if (last === undefined) return 1;
  // The standard has no other text for one index, so that a range has two at least.
  return last.length <= LONGEST_INDEX && Number(last) > Number(first)
    ? Number(last) - Number(first) + 1
    : undefined;
}
