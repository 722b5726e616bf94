/** Response that the gateway confirms by its tag instead of sending it again. */
export interface KnownReply {
  readonly tag: string;
  readonly value: unknown;
  readonly headers: Headers;
}

// Schema, configuration, and some of its parts.
const MAXIMUM_KEPT = 12;

/** Last responses with an entity tag, by path; the page keeps them itself, because responses are not for the cache of the browser. */
export class KnownReplies {
  readonly #byPath = new Map<string, KnownReply>();

  find(path: string): KnownReply | undefined {
    return this.#byPath.get(path);
  }

  /** Keeps a response if it has a tag; forgets the oldest beyond twelve. */
  note(path: string, value: unknown, headers: Headers): void {
    const tag = headers.get('etag');
    this.#byPath.delete(path);
    if (tag === null) return;
    this.#byPath.set(path, { tag, value, headers });
    const [oldest] = this.#byPath.keys();
    if (oldest !== undefined && this.#byPath.size > MAXIMUM_KEPT) this.#byPath.delete(oldest);
  }

  /** Forgets all: another identity may see less. */
  clear(): void {
    this.#byPath.clear();
  }
}
