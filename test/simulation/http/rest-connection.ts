import { AnswerParser, BrokenAnswer } from './answer-parser.ts';
import type { Answer } from './answer-parser.ts';
import type { ClientSocket, EndOfConnection } from './client-socket.ts';
import { EventParser } from './event-parser.ts';
import type { ReceivedEvent } from './event-parser.ts';

export interface RestRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
}

/** Receives the events of a stream. */
export interface StreamTarget {
  readonly onEvent: (event: ReceivedEvent) => void;
  /** Called once, when nothing more comes. @param isWhole whether the answer has its end */
  readonly onEnd: (isWhole: boolean) => void;
}

/** A connection ended before the answer was complete. */
export class ConnectionEnded extends Error {
  readonly reason: EndOfConnection;
  /** Whether any part of the answer came. */
  readonly isBegun: boolean;

  constructor(reason: EndOfConnection, isBegun: boolean) {
    super(`the connection ended: ${reason}`);
    this.reason = reason;
    this.isBegun = isBegun;
  }
}

interface Pending {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: ConnectionEnded | BrokenAnswer) => void;
  readonly stream: StreamTarget | undefined;
}

/** A connection on which a client asks one thing after the other, over HTTP/1.1. */
export class RestConnection {
  readonly socket: ClientSocket;
  readonly #parser: AnswerParser;
  #pending: Pending | undefined;
  #head: Omit<Answer, 'body'> | undefined;
  #parts: Buffer[] = [];
  #stream: { readonly parser: EventParser; readonly target: StreamTarget } | undefined;
  #isFinal = false;

  constructor(socket: ClientSocket) {
    this.socket = socket;
    this.#parser = new AnswerParser({
      onHead: (head) => this.#onHead(head),
      onBody: (part) => {
        if (this.#stream === undefined) this.#parts.push(part);
        else this.#stream.parser.parse(part);
      },
      onComplete: () => this.#onComplete(),
    });
    socket.target = {
      receive: (chunk) => this.#receive(chunk),
      receiveEnd: (reason) => this.#onEnd(reason),
    };
  }

  /** Whether a request can be sent; false also after an answer that says it is the last one. */
  get isOpen(): boolean {
    return this.socket.ended === undefined && !this.#isFinal;
  }

  /** Whether an answer, or more of a stream, is to come. */
  get isBusy(): boolean {
    return this.#pending !== undefined || this.#stream !== undefined;
  }

  /**
   * Sends a request and waits for the answer.
   *
   * @throws {ConnectionEnded} before the answer is complete
   * @throws {BrokenAnswer} when the answer is not HTTP/1.1
   */
  request(request: RestRequest): Promise<Answer> {
    return this.exchange(toBytes(request), request.method);
  }

  /** Sends these bytes, whatever they are, and waits for an answer. @throws as `request` does */
  exchange(bytes: Buffer, method: string): Promise<Answer> {
    return this.#send(bytes, method, undefined);
  }

  /**
   * Asks for a stream of events; the first can come before the returned promise resolves.
   *
   * @returns the head of the stream with an empty body, or the whole answer when it is not a stream
   * @throws as `request` does
   */
  openStream(request: RestRequest, target: StreamTarget): Promise<Answer> {
    return this.#send(toBytes(request), request.method, target);
  }

  /** Neither sends nor reads any more. */
  close(): void {
    this.socket.close();
  }

  /** Gives the connection up, whatever is still on the way. */
  reset(): void {
    this.socket.reset();
  }

  pauseReading(): void {
    this.socket.pauseReading();
  }

  resumeReading(): void {
    this.socket.resumeReading();
  }

  #send(bytes: Buffer, method: string, stream: StreamTarget | undefined): Promise<Answer> {
    if (this.isBusy) throw new RangeError('the previous answer is not complete');
    return new Promise((resolve, reject) => {
      if (this.socket.ended !== undefined) {
        reject(new ConnectionEnded(this.socket.ended, false));
        return;
      }
      this.#pending = { resolve, reject, stream };
      this.#parser.begin(method);
      this.socket.write(bytes);
    });
  }

  #receive(chunk: Buffer): void {
    try {
      this.#parser.parse(chunk);
    } catch (error) {
      if (!(error instanceof BrokenAnswer)) throw error;
      this.#takePending()?.reject(error);
      this.socket.reset();
    }
  }

  #onHead(head: Omit<Answer, 'body'>): void {
    this.#head = head;
    this.#isFinal = head.headers['connection'] === 'close';
    const target = this.#pending?.stream;
    if (target === undefined || head.status !== 200) return;
    if (!(head.headers['content-type'] ?? '').startsWith('text/event-stream')) return;
    this.#stream = { parser: new EventParser(target.onEvent), target };
    this.#takePending()?.resolve({ ...head, body: '' });
  }

  #onComplete(): void {
    const { status = 0, headers = {} } = this.#head ?? {};
    this.#head = undefined;
    if (this.#stream !== undefined) {
      this.#endStream(true);
      return;
    }
    const body = Buffer.concat(this.#parts).toString();
    this.#parts = [];
    this.#takePending()?.resolve({ status, headers, body });
  }

  #onEnd(reason: EndOfConnection): void {
    const isBegun = this.#head !== undefined;
    this.#takePending()?.reject(new ConnectionEnded(reason, isBegun));
    this.#endStream(false);
  }

  #endStream(isWhole: boolean): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.target.onEnd(isWhole);
  }

  #takePending(): Pending | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    return pending;
  }
}

function toBytes({ method, path, headers = {}, body }: RestRequest): Buffer {
  let head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n`;
  for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
  if (body === undefined) return Buffer.from(`${head}\r\n`, 'latin1');
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return Buffer.concat([Buffer.from(`${head}Content-Length: ${bytes.length}\r\n\r\n`, 'latin1'), bytes]);
}
