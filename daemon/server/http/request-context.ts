import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Announcement } from '../../security/audit/announcements.ts';
import type { AuditAnnotation } from '../../security/audit/audit-annotation.ts';
import type { KeyOwner } from '../../security/idempotency/idempotency-store.ts';
import type { Principal } from '../../security/identity/identity.ts';
import type { Answer } from './answer.ts';
import type { ClientCertificate } from './connection/client-certificate.ts';
import type { ConnectionContext } from './connection/connection-context.ts';
import type { Endpoint } from './endpoint.ts';

/** The answer to the first request with a key, when it is asked for again. */
export interface FirstAnswer {
  /** Its body as text; empty when it has none. */
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** What the pipeline knows of the key of a request. */
export interface IdempotencyContext {
  /** The identity and the value of `Idempotency-Key`. */
  readonly owner: KeyOwner;
  /** Digest and length of a body that was received as a whole. */
  body?: { readonly digest: string; readonly bytes: number };
  /** Its request runs and is to be ended. */
  isBegun?: boolean | undefined;
  /** It was recorded, and its answer is to be recorded as well. */
  isClaimed?: boolean | undefined;
}

/**
 * One request on its way through the pipeline, which fills in what it finds. The operation gets it last, once everything
 * in it was checked; it answers with the value that it returns, not through `response`.
 */
export interface RequestContext<Body = unknown> extends ConnectionContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Clock.monotonicMs() when its head was received. */
  readonly startedAtMs: number;
  /** Names the request in answers and in the log. */
  readonly requestId: string;
  /** Address of the client, as a trusted proxy forwards it or as the connection has it. */
  readonly remoteAddress: string;
  /** The client reached the gateway, or a trusted proxy before it, over TLS. */
  readonly isSecure: boolean;
  /** Path below which a trusted proxy shows the gateway, without a slash at its end; empty: at the root. */
  readonly pathPrefix: string;
  /** A page of another host sent it. */
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
  /** Likewise. */
  answerInstead?: (first: FirstAnswer) => Answer | undefined;
  /** Likewise. */
  describeAttempt?: (nowMs: number) => AuditAnnotation;
  /** Set once the request is authenticated; undefined on endpoints that anybody may call. */
  principal: Principal | undefined;
  /** Set with the principal where the request proves a session, which may be that of another identity. */
  sessionId: string | undefined;
  /** Set once the body was read and fits the schema of the endpoint. */
  body: Body;
  /** Set where the request has a key and the endpoint takes one. */
  keyed?: IdempotencyContext;
  /** Set where the operation was announced to the audit before it began. */
  announcement?: Announcement;
  /** Set by an operation that knows more than the audit trail can see. */
  auditAnnotation?: AuditAnnotation;
}

/** One step of the pipeline; throws to refuse the request. */
export type Step = (context: RequestContext) => void | Promise<void>;
