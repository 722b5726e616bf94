import { isDeepStrictEqual } from 'node:util';

import { JsonNumber } from '../../daemon/base/json-number.ts';

// The third argument of a reviver has the digits as they stand in the text.
type SourceReviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Whether two texts are the same JSON: blanks, the order of members and the spelling of texts and numbers do not count. */
export function isSameJson(one: string, other: string): boolean {
  try {
    return isDeepStrictEqual(parse(one), parse(other));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function parse(text: string): unknown {
  return JSON.parse(text, toNumber as (key: string, value: unknown) => unknown) as unknown;
}

const toNumber: SourceReviver = (_key, value, { source }) => {
  if (typeof value !== 'number' || source === undefined) return value;
  const number = new JsonNumber(source).toNumber();
  // Both zeros are the same number.
  return number === 0 ? 0 : number;
};
