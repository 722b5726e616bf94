import { once } from 'node:events';
import type { OnReadOpts } from 'node:net';
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

// A record of TLS has no more (RFC 8446, 5.1).
const BUFFER_BYTES = 16_384;
const HEAD_END = '\r\n\r\n';
const FAILURE = Buffer.from('FAILURE');

/** Opens a TLS connection; whom it reaches is not checked, everything runs on the loopback. */
export async function openTls(
  { port, certificate, privateKey }: TlsClient,
  { session, onread }: { readonly session?: Buffer | undefined; readonly onread?: OnReadOpts } = {},
): Promise<TLSSocket> {
  const socket = connect({
    host: '127.0.0.1',
    port,
    rejectUnauthorized: false,
    ...(certificate === undefined ? {} : { cert: certificate, key: privateKey }),
    ...(session === undefined ? {} : { session }),
    ...(onread === undefined ? {} : { onread }),
  });
  socket.setNoDelay(true);
  await once(socket, 'secureConnect');
  return socket;
}

/**
 * One kept connection that carries one request at a time and looks at answers no more than it must. Their bytes come in the
 * same buffer again and again, past the events of streams, which take a third of what such a client costs.
 */
export class RawConnection {
  #socket: TLSSocket | undefined;
  readonly #expectsFailures: boolean;
  #onAnswer: OnAnswer | undefined;
  #held: Buffer | undefined;
  #bodyBytesLeft = 0;
  #outcome: Outcome = 'GOOD';

  private constructor(expectsFailures: boolean) {
    this.#expectsFailures = expectsFailures;
  }

  /** @param expectsFailures FAILURE records are right answers */
  static async open(client: TlsClient, expectsFailures: boolean): Promise<RawConnection> {
    const connection = new RawConnection(expectsFailures);
    const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    const callback = (count: number): boolean => {
      connection.#onData(buffer.subarray(0, count));
      return true;
    };
    const socket = await openTls(client, { onread: { buffer, callback } });
    connection.#socket = socket;
    socket.on('error', () => connection.#end('BAD'));
    socket.on('close', () => connection.#end('BAD'));
    return connection;
  }

  get isOpen(): boolean {
    return this.#socket?.destroyed === false;
  }

  send(request: Buffer, onAnswer: OnAnswer): void {
    this.#onAnswer = onAnswer;
    this.#socket?.write(request);
  }

  close(): void {
    this.#socket?.destroy();
  }

  #onData(bytes: Buffer): void {
    const chunk = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes]);
    this.#held = undefined;
    let bodyStart = 0;
    if (this.#bodyBytesLeft === 0) {
      const headEnd = chunk.indexOf(HEAD_END);
      if (headEnd === -1) {
        // The buffer is filled anew.
        this.#held = Buffer.from(chunk);
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
