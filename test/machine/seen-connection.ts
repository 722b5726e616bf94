import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';

/** A connection as its client sees it. */
export interface SeenConnection {
  /** Port of the client: another one means another connection. */
  readonly localPort: number;
  /** SHA-256 of the certificate that the server showed. */
  readonly fingerprint: string;
}

/** Sends a request and tells over which connection it went. */
export async function peek(options: RequestOptions): Promise<SeenConnection> {
  const outgoing = request(options);
  const [answer] = (await once(outgoing.end(), 'response')) as [IncomingMessage];
  const socket = answer.socket as TLSSocket;
  const seen = {
    localPort: socket.localPort ?? 0,
    fingerprint: socket.getPeerCertificate().fingerprint256,
  };
  await text(answer);
  return seen;
}
