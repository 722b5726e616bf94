/** Handling of undelivered bytes when a link is closed: they may still arrive, or are discarded. */
export type Undelivered = 'LEFT' | 'TAKEN_BACK';

/** A byte stream or datagrams to a device, without framing; separates protocols from sockets and serial lines. */
export interface ByteLink {
  /**
   * Opens the link; a link is opened once and not reused after it closed.
   *
   * @param signal aborts the attempt without leaving anything open
   * @throws {ConnectionError} if it cannot be opened
   */
  open(signal: AbortSignal, events: ByteLinkEvents): Promise<void>;
  /** Sends bytes in order. No effect after the link is closed. */
  send(bytes: Uint8Array): void;
  /**
   * Changes the speed of a serial line after the bytes that were sent; absent for other links. A failure closes the
   * link.
   */
  changeSpeed?(baudRate: number): Promise<void>;
  /**
   * Closes at once without calling `onClose`. Repeated calls have no effect.
   *
   * @param undelivered default: `LEFT`; only a link over TCP without TLS can discard bytes, by a reset
   */
  close(undelivered?: Undelivered): void;
}

/** Callbacks of a link, called synchronously. */
export interface ByteLinkEvents {
  /** Received bytes, split anywhere; valid only during the call. */
  readonly onChunk: (bytes: Buffer) => void;
  /** The far end or the line closed the open link; called at most once. */
  readonly onClose: (cause: Error) => void;
}
