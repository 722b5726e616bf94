import type { ReadValueIdOptions } from 'node-opcua-client';

/** The type of the library; the library also accepts a text and converts it, which its types do not show. */
export type IndexRange = NonNullable<ReadValueIdOptions['indexRange']>;

/** Returns the part of a request that names elements of an array; empty where there is none. */
export function toIndexRange(text: string | undefined): { readonly indexRange?: IndexRange } {
  return text === undefined ? {} : { indexRange: text as unknown as IndexRange };
}
