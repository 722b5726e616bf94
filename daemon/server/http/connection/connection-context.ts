import type { RequestConnection } from './connection.ts';

/** Connection on which a port received a request. */
export interface ConnectionContext {
  readonly port: number;
  readonly isTls: boolean;
  /** Received over the local socket, which only administrators can reach. */
  readonly isLocal: boolean;
  /** Aborts when the port is about to close, so that streams end. */
  readonly closing: AbortSignal;
  readonly connection: RequestConnection;
  /** The request line violates RFC 9112, although the parser accepted it. */
  readonly isLineMalformed?: boolean;
}
