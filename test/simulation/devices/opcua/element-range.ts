import type { ReadRequest } from 'node-opcua-client';

import type { RestValue } from '../../world/truth.ts';

/** Elements of an array of one dimension, as OPC 10000-4, 7.27 writes them: `2`, or `0:1`. */
export type ElementRange = string;

type WithRange = Pick<NonNullable<ReadRequest['nodesToRead']>[number], 'indexRange'>;

/** Returns the elements that a request names; undefined: all. */
export function rangeOf({ indexRange }: WithRange): ElementRange | undefined {
  return indexRange.toEncodeableString() ?? undefined;
}

/** Returns what a channel with this range reads: of one element its value, of several JSON text. */
export function takePart(whole: RestValue, range: ElementRange | undefined): RestValue {
  if (range === undefined) return whole;
  const [first, last] = parse(range);
  const part = elementsOf(whole).slice(first, last + 1);
  return isOne(range) ? (part[0] ?? Number.NaN) : JSON.stringify(part);
}

/** Returns a whole array in which some elements are others; undefined where it has no such elements. */
export function putPart(
  whole: RestValue,
  range: ElementRange,
  part: readonly number[],
): RestValue | undefined {
  const [first, last] = parse(range);
  const elements = elementsOf(whole);
  if (part.length !== last - first + 1 || last >= elements.length) return undefined;
  return JSON.stringify(elements.toSpliced(first, part.length, ...part));
}

/** Returns elements as a channel of this range reads them. */
export function toPartValue(part: readonly number[], range: ElementRange): RestValue {
  return isOne(range) ? (part[0] ?? Number.NaN) : JSON.stringify(part);
}

/** Returns how many elements a range names. */
export function countElements(range: ElementRange): number {
  const [first, last] = parse(range);
  return last - first + 1;
}

/** Returns the elements of an array of numbers. */
export function elementsOf(whole: RestValue): readonly number[] {
  return JSON.parse(String(whole)) as readonly number[];
}

function isOne(range: ElementRange): boolean {
  return !range.includes(':');
}

function parse(range: ElementRange): readonly [first: number, last: number] {
  const [first, last] = range.split(':').map(Number);
  return [first ?? 0, last ?? first ?? 0];
}
