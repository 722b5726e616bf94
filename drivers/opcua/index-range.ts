import type { ReadValueIdOptions } from 'node-opcua-client';

/** The form of the library; it makes it of the text by itself, which its types do not say. */
export type IndexRange = NonNullable<ReadValueIdOptions['indexRange']>;

/** Returns the part of a request that names elements of an array; empty where there is none. */
export function toIndexRange(text: string | undefined): { readonly indexRange?: IndexRange } {
  return text === undefined ? {} : { indexRange: text as unknown as IndexRange };
}
