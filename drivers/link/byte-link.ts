/** What becomes of bytes that have not arrived when a link is closed: they may still arrive, or are taken back. */
export type Undelivered = 'LEFT' | 'TAKEN_BACK';

/** A stream of bytes to a device, without framing: the seam between protocols and sockets or serial lines. */
export interface ByteLink {
  /**
   * Opens the link; a link is opened once and not used again after it closed.
   *
   * @param signal ends the attempt and leaves nothing open
   * @throws {ConnectionError} when it cannot be opened
   */
  open(signal: AbortSignal, events: ByteLinkEvents): Promise<void>;
  /** Sends bytes in order. Does nothing when the link is closed. */
  send(bytes: Uint8Array): void;
  /**
   * Closes at once; `onClose` is not called. Calling it again does nothing.
   *
   * @param undelivered `LEFT` unless given; only a link over TCP without TLS can take bytes back, with a reset
   */
  close(undelivered?: Undelivered): void;
}

/** Where a link reports; each is called synchronously. */
export interface ByteLinkEvents {
  /** Bytes as they come in, cut anywhere; they are valid during the call only. */
  readonly onChunk: (bytes: Buffer) => void;
  /** The far end or the line closed the link after it was open; called at most once. */
  readonly onClose: (cause: Error) => void;
}
