import type { IncomingMessage } from 'node:http';

// The longest head that is accepted: a request line that begins earlier has been refused.
const KEPT_BYTES = 16_384;
const EMPTY: Buffer = Buffer.alloc(0);
const HEAD_END = '\r\n\r\n';
const EMPTY_LINE_BYTES = 2;

/**
 * Compares the request lines of a connection with what the parser made of them: it takes several spaces for one, and any number of
 * empty lines before (RFC 9112, 2.2 and 3), where another program before the gateway may see another request.
 */
export class RequestLines {
  /** What arrived before the present bytes, and belongs to no head that is complete. */
  #before = EMPTY;
  #present = EMPTY;
  #hadBody = false;

  /** Takes bytes that are about to be parsed. */
  note(bytes: Buffer): void {
    if (this.#present.length > 0) {
      const joined =
        this.#present.length < KEPT_BYTES ? Buffer.concat([this.#before, this.#present]) : this.#present;
      // A copy: a view would keep all of it in memory.
      this.#before = joined.length > KEPT_BYTES ? Buffer.from(joined.subarray(-KEPT_BYTES)) : joined;
    }
    this.#present = bytes;
  }

  /** Returns whether the line of a request is as it has to be; called once for each, while the end of its head is being parsed. */
  isWellFormed(request: IncomingMessage): boolean {
    const { method = '', url = '', httpVersion, headers } = request;
    const line = `${method} ${url} HTTP/${httpVersion}\r\n`;
    const bytes = this.#before.length === 0 ? this.#present : Buffer.concat([this.#before, this.#present]);
    const at = bytes.indexOf(line, 0, 'latin1');
    const blankBytes = this.#hadBody ? 0 : at;
    this.#hadBody = (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
    // What follows is a body, or the next request.
    const end = at < 0 ? -1 : bytes.indexOf(HEAD_END, at + line.length - EMPTY_LINE_BYTES);
    this.#before = EMPTY;
    const rest = end < 0 ? EMPTY : bytes.subarray(end + HEAD_END.length);
    this.#present = rest.length === 0 ? EMPTY : Buffer.from(rest.subarray(-KEPT_BYTES));
    return at >= 0 && blankBytes <= EMPTY_LINE_BYTES;
  }
}
