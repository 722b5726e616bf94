/** The answer to a request. */
export interface Answer {
  readonly status: number;
  /** By names in small letters; what is sent several times is joined by line feeds. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The bytes of an answer are not HTTP/1.1. */
export class BrokenAnswer extends Error {}

/** Receives the parts of an answer. */
export interface AnswerTarget {
  onHead(head: Omit<Answer, 'body'>): void;
  onBody(part: Buffer): void;
  onComplete(): void;
}

type Framing = { readonly kind: 'LENGTH'; left: number } | { readonly kind: 'CHUNKED'; left: number };

const STATUS_LINE = /^HTTP\/1\.1 ([2-5]\d\d) [\x20-\x7e]*$/;
const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): ?([\x20-\x7e]*)$/;
const CHUNK_SIZE = /^[0-9a-f]{1,8}$/i;

/**
 * Takes answers apart as RFC 9112 has them, and nothing more lenient: one length or chunks, no folded lines, no trailers,
 * no byte too many.
 */
export class AnswerParser {
  readonly #target: AnswerTarget;
  #rest: Buffer = Buffer.alloc(0);
  #framing: Framing | 'HEAD' | 'IDLE' = 'IDLE';
  #isWithoutBody = false;

  constructor(target: AnswerTarget) {
    this.#target = target;
  }

  /** Waits for one answer. */
  begin(method: string): void {
    this.#framing = 'HEAD';
    this.#isWithoutBody = method === 'HEAD';
  }

  /** @throws {BrokenAnswer} */
  parse(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#step());
  }

  #step(): boolean {
    if (this.#framing === 'IDLE') {
      if (this.#rest.length > 0) throw new BrokenAnswer('bytes that belong to no answer');
      return false;
    }
    if (this.#framing === 'HEAD') return this.#parseHead();
    return this.#framing.kind === 'LENGTH' ? this.#parseLength(this.#framing) : this.#parseChunk();
  }

  #parseHead(): boolean {
    const end = this.#rest.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const [statusLine = '', ...lines] = this.#rest.toString('latin1', 0, end).split('\r\n');
    this.#rest = this.#rest.subarray(end + 4);
    const status = Number(STATUS_LINE.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) throw new BrokenAnswer(`status line ${JSON.stringify(statusLine)}`);
    const headers = parseFields(lines);
    this.#framing = this.#findFraming(status, headers);
    this.#target.onHead({ status, headers });
    return true;
  }

  #findFraming(status: number, headers: Readonly<Record<string, string>>): Framing {
    const { 'content-length': length, 'transfer-encoding': encoding } = headers;
    if (status === 204 && (length ?? encoding) !== undefined)
      throw new BrokenAnswer('204 with a length (RFC 9110, 8.6)');
    if (length !== undefined && encoding !== undefined) throw new BrokenAnswer('two framings');
    if (length !== undefined && !/^\d+$/.test(length)) throw new BrokenAnswer(`length ${length}`);
    if (this.#isWithoutBody || status === 204 || status === 304) return { kind: 'LENGTH', left: 0 };
    if (encoding === 'chunked') return { kind: 'CHUNKED', left: -1 };
    if (length === undefined) throw new BrokenAnswer('neither a length nor chunks');
    return { kind: 'LENGTH', left: Number(length) };
  }

  #parseLength(framing: Framing): boolean {
    if (framing.left > 0) {
      if (this.#rest.length === 0) return false;
      const part = this.#rest.subarray(0, framing.left);
      this.#rest = this.#rest.subarray(part.length);
      framing.left -= part.length;
      this.#target.onBody(part);
      return true;
    }
    this.#complete();
    return true;
  }

  #parseChunk(): boolean {
    const end = this.#rest.indexOf('\r\n');
    if (end < 0) {
      if (this.#rest.length > 8) throw new BrokenAnswer('no size of a chunk');
      return false;
    }
    const size = this.#rest.toString('latin1', 0, end);
    if (!CHUNK_SIZE.test(size)) throw new BrokenAnswer(`chunk of size ${JSON.stringify(size)}`);
    const start = end + 2;
    const stop = start + Number.parseInt(size, 16);
    if (this.#rest.length < stop + 2) return false;
    if (this.#rest.toString('latin1', stop, stop + 2) !== '\r\n')
      throw new BrokenAnswer('chunk without its end');
    const part = this.#rest.subarray(start, stop);
    this.#rest = this.#rest.subarray(stop + 2);
    if (part.length > 0) this.#target.onBody(part);
    else this.#complete();
    return true;
  }

  #complete(): void {
    this.#framing = 'IDLE';
    this.#target.onComplete();
  }
}

function parseFields(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new BrokenAnswer(`field ${JSON.stringify(line)}`);
    const key = name.toLowerCase();
    headers[key] = headers[key] === undefined ? value : `${headers[key]}\n${value}`;
  }
  return headers;
}
