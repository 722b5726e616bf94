import type { IncomingMessage, ServerResponse } from 'node:http';

import type { AuditNote } from '../audit/audit-note.ts';
import type { Principal } from '../identity/identity.ts';
import type { Answer } from './answer.ts';
import type { ClientCertificate } from './client-certificate.ts';
import type { ConnectionContext } from './connection-context.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * One request on its way through the pipeline, which fills in what it finds. An operation sees it last, when everything in
 * it was checked, and answers with what it returns.
 */
export interface RequestContext<Body = unknown> extends ConnectionContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Clock.monotonicMs() at which its head had come in. */
  readonly startedAtMs: number;
  /** Names the request in answers and in the log. */
  readonly requestId: string;
  /** Address of the client; what a trusted proxy says where one forwards. */
  readonly remoteAddress: string;
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
  /** Set once the request is authenticated; undefined on endpoints that anybody may call. */
  principal: Principal | undefined;
  /** Set then, for a request that proves to have a session; it may be that of another identity. */
  sessionId: string | undefined;
  /** Set once the body was read and fits the schema of the endpoint. */
  body: Body;
  /** Set by an operation that knows more about itself than the audit trail sees. */
  auditNote?: AuditNote;
}

/** One check or act on the way of a request; throws to refuse. */
export type Step = (context: RequestContext) => void | Promise<void>;
