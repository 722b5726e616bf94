import type { RequestConnection } from './connection.ts';

/** What a port knows of the connection on which it received a request. */
export interface ConnectionContext {
  readonly port: number;
  readonly isTls: boolean;
  /** It is the socket on the machine itself, which only administrators can reach. */
  readonly isLocal: boolean;
  /** Aborts when the port is about to close: an answer without an end has to end then. */
  readonly closing: AbortSignal;
  readonly connection: RequestConnection;
  /** Its request line is not as RFC 9112 has it, though the parser took it. */
  readonly isLineMalformed?: boolean;
}
