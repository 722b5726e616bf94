import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Announcement } from '../../security/audit/announcements.ts';
import type { AuditAnnotation } from '../../security/audit/audit-annotation.ts';
import type { KeyOwner } from '../../security/idempotency/idempotency-store.ts';
import type { Principal } from '../../security/identity/identity.ts';
import type { Answer } from './answer.ts';
import type { ClientCertificate } from './connection/client-certificate.ts';
import type { ConnectionContext } from './connection/connection-context.ts';
import type { Endpoint } from './endpoint.ts';

/** Stored response to the first request with a key. */
export interface FirstAnswer {
  /** Its body as text; empty when it has none. */
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** State of the idempotency key of a request. */
export interface IdempotencyContext {
  /** The identity and the value of `Idempotency-Key`. */
  readonly owner: KeyOwner;
  /** Digest and length of a body that was received as a whole. */
  body?: { readonly digest: string; readonly bytes: number };
  /** The request is in progress and must be ended. */
  isBegun?: boolean | undefined;
  /** The key was stored; the response must be stored as well. */
  isClaimed?: boolean | undefined;
}

/**
 * State of one request, filled in by the pipeline. The operation receives it after all checks and returns its response
 * instead of writing to `response`.
 */
export interface RequestContext<Body = unknown> extends ConnectionContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Clock.monotonicMs() when its head was received. */
  readonly startedAtMs: number;
  /** Request id in responses and in the log. */
  readonly requestId: string;
  /** Address of the client, as a trusted proxy forwards it or as the connection has it. */
  readonly remoteAddress: string;
  /** The client reached the gateway, or a trusted proxy before it, over TLS. */
  readonly isSecure: boolean;
  /** Path prefix of a trusted proxy, without a trailing slash; empty: at the root. */
  readonly pathPrefix: string;
  /** Sent by a page of another host (cross-origin). */
  readonly isFromOtherHost: boolean;
  /** The verified certificate of the connection. */
  readonly certificate: ClientCertificate | undefined;
  /** Parameters of the path; empty until the path is known. */
  parameters: Readonly<Record<string, string>>;
  /** Set once the path and method are known. */
  endpoint?: Endpoint;
  /** Set with the endpoint: runs its operation on this context. */
  operation?: () => Answer | Promise<Answer>;
  /** Set with the endpoint, where it is keyed; see `Route`. */
  answerInterrupted?: (nowMs: number) => Answer | undefined;
  /** See `Route`. */
  answerInstead?: (first: FirstAnswer) => Answer | undefined;
  /** See `Route`. */
  describeAttempt?: (nowMs: number) => AuditAnnotation;
  /** Set once the request is authenticated; undefined on public endpoints. */
  principal: Principal | undefined;
  /** Set with the principal if the request has a valid session, possibly of another identity. */
  sessionId: string | undefined;
  /** Set once the body was read and fits the schema of the endpoint. */
  body: Body;
  /** Set if the request has a key and the endpoint accepts one. */
  keyed?: IdempotencyContext;
  /** Set if the operation was audited before it began. */
  announcement?: Announcement;
  /** Set by an operation to add facts to its audit event. */
  auditAnnotation?: AuditAnnotation;
}

/** One step of the pipeline; throws to refuse the request. */
export type Step = (context: RequestContext) => void | Promise<void>;
