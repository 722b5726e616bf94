import type { ServerResponse } from 'node:http';

import type { Principal } from '../identity/identity.ts';
import type { RequestConnection } from './connection.ts';
import type { Incoming, Route } from './route.ts';

/** One request on its way through the pipeline. */
export interface Exchange extends Incoming {
  readonly response: ServerResponse;
  /** What is known of the connection, and what the request may hold. */
  readonly connection: RequestConnection;
  /** Clock.monotonicMs() at which its head had come in. */
  readonly startedAtMs: number;
  /** Set once the path and method are known. */
  route?: Route;
  parameters?: Readonly<Record<string, string>>;
  /** Set once the request is authenticated. */
  principal?: Principal;
  /** Set then, for a request that proves to have a session; it may be that of another identity. */
  sessionId?: string | undefined;
  /** Set once the body was read and fits the schema of the route. */
  body?: unknown;
}

/** One check or act on the way of a request; throws to refuse. */
export type Step = (exchange: Exchange) => void | Promise<void>;
