/** Reads a stream of bytes in pieces of a wanted size. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Reads exactly so many bytes; fewer only at the end of the stream. */
  async read(bytes: number): Promise<Buffer> {
    await this.#fill(() => this.#rest.length >= bytes);
    return this.#take(bytes);
  }

  /**
   * Reads a line without its end.
   *
   * @returns undefined when the stream ends within the line, or the line is longer
   */
  async readLine(maximumBytes: number): Promise<Buffer | undefined> {
    await this.#fill(() => this.#rest.length > maximumBytes || this.#rest.includes(LINE_FEED));
    const end = this.#rest.indexOf(LINE_FEED);
    if (end === -1 || end > maximumBytes) return undefined;
    const line = this.#take(end);
    this.#take(1);
    return line;
  }

  async #fill(isEnough: () => boolean): Promise<void> {
    while (!isEnough()) {
      const next = await this.#chunks.next();
      if (next.done === true) return;
      this.#rest = Buffer.concat([this.#rest, next.value]);
    }
  }

  #take(bytes: number): Buffer {
    const taken = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    return taken;
  }
}

const LINE_FEED = 0x0a;
