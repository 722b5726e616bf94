import { once } from 'node:events';
import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';

/** How a client connects; without certificate it has none to show. */
export interface TlsClient {
  readonly port: number;
  readonly certificate?: string | undefined;
  readonly privateKey?: string | undefined;
}

export type Outcome = 'GOOD' | 'REFUSED' | 'BAD';

/** Hears of each answer when its last byte has come in. */
export type OnAnswer = (outcome: Outcome) => void;

const HEAD_END = '\r\n\r\n';
const FAILURE = Buffer.from('FAILURE');

/** Opens a TLS connection; whom it reaches is not checked, everything runs on the loopback. */
export async function openTls(
  { port, certificate, privateKey }: TlsClient,
  session?: Buffer,
): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    ...(certificate === undefined ? {} : { cert: certificate, key: privateKey }),
    ...(session === undefined ? {} : { session }),
  });
  socket.setNoDelay(true);
  await once(socket, 'secureConnect');
  return socket;
}

/** One kept connection that carries one request at a time and looks at answers no more than it must. */
export class RawConnection {
  readonly #socket: TLSSocket;
  readonly #expectsFailures: boolean;
  #onAnswer: OnAnswer | undefined;
  #held: Buffer | undefined;
  #bodyBytesLeft = 0;
  #outcome: Outcome = 'GOOD';

  constructor(socket: TLSSocket, expectsFailures: boolean) {
    this.#socket = socket;
    this.#expectsFailures = expectsFailures;
    socket.on('data', (chunk: Buffer) => this.#onData(chunk));
    socket.on('error', () => this.#end('BAD'));
    socket.on('close', () => this.#end('BAD'));
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  send(request: Buffer, onAnswer: OnAnswer): void {
    this.#onAnswer = onAnswer;
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #onData(bytes: Buffer): void {
    const chunk = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = undefined;
    let bodyStart = 0;
    if (this.#bodyBytesLeft === 0) {
      const headEnd = chunk.indexOf(HEAD_END);
      if (headEnd === -1) {
        this.#held = chunk;
        return;
      }
      this.#readHead(chunk.toString('latin1', 0, headEnd));
      bodyStart = headEnd + HEAD_END.length;
    }
    if (!this.#expectsFailures && chunk.includes(FAILURE, bodyStart)) this.#outcome = 'BAD';
    this.#bodyBytesLeft -= chunk.length - bodyStart;
    if (this.#bodyBytesLeft <= 0) this.#end(this.#outcome);
  }

  #readHead(head: string): void {
    const status = head.slice(9, 12);
    this.#outcome = status === '200' ? 'GOOD' : status === '503' ? 'REFUSED' : 'BAD';
    this.#bodyBytesLeft = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  }

  #end(outcome: Outcome): void {
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    this.#bodyBytesLeft = 0;
    onAnswer?.(outcome);
  }
}
