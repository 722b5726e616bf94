/** Content that comes from somewhere. */
export interface IncomingContent {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Undefined: the source does not say. */
  readonly sizeBytes: number | undefined;
}
