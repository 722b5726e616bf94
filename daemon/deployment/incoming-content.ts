/** Content of a package as its source sends it. */
export interface IncomingContent {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Undefined when the source does not tell. */
  readonly sizeBytes: number | undefined;
}
