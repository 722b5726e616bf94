import type { IncomingMessage } from 'node:http';

import type { AuditEventName } from '../audit/audit-event.ts';
import type { z } from '../base/schema.ts';
import type { RestSettings } from '../settings/rest-settings.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';

/** Who may call an endpoint: anybody, any identity, or identities with this permission. */
export type Access = 'ANYBODY' | 'ANY_IDENTITY' | `rest.${string}`;

/** Media types of bodies. */
type BodyType = 'application/json' | 'application/yaml' | 'text/plain' | 'text/csv' | 'multipart/form-data';

/** The body that an endpoint expects. */
type RequestBody<Body> = WholeBody<Body> | StreamedBody<Body>;

interface DescribedBody<Body> {
  readonly contentType: BodyType;
  /** Another type that is accepted for the same content. */
  readonly alternativeType?: BodyType;
  readonly schema: z.ZodType<Body>;
}

/** A body that is received as a whole and then checked; JSON and YAML are parsed first, text is not. */
export interface WholeBody<Body> extends DescribedBody<Body> {
  readonly maximumBytes: number;
  /** Texts may hold NUL, as passwords that were set long ago may. */
  readonly mayHoldNul?: boolean;
  /** Numbers are each a {JsonNumber}, so that one that is to be a text keeps its own. */
  readonly keepsNumbers?: boolean;
  readonly receive?: undefined;
}

/** A body too large for memory: the endpoint receives it itself, the schema only describes it. */
interface StreamedBody<Body> extends DescribedBody<Body> {
  readonly receive: (request: IncomingMessage) => Promise<Body>;
  /** Removes a received body that will not be used. */
  discard(body: Body): Promise<void>;
  /** Returns a digest of what the body holds, whatever form it came in. */
  digestOf(body: Body): string;
}

/** The declaration of an endpoint, which the pipeline enforces before the operation runs. */
export interface Endpoint<Body = unknown> {
  readonly method: Method;
  /** Express path below the root, for example `/services/assets/:pid`. */
  readonly path: string;
  /** Purpose of the endpoint in a few words. */
  readonly summary: string;
  readonly access: Access;
  /** Parameters of the query, which the operation reads; absent: none. */
  readonly query?: z.ZodObject;
  /** Ignores other parameters of the query, as clients of Kura expect; absent: they are answered with 400. */
  readonly isOfSpecification?: boolean;
  /** Takes members of the body that are null for absent, as clients of Kura mean them; so does `isOfSpecification`. */
  readonly isNullAbsent?: boolean;
  /** Absent: a body is ignored. */
  readonly request?: RequestBody<Body>;
  /** Status and schema of a successful answer; neither schema nor type: no body. */
  readonly response: {
    readonly status: number;
    readonly schema?: z.ZodType;
    /** JSON unless given. */
    readonly contentType?: 'text/event-stream' | 'text/csv';
  };
  /** Statuses with which the operation itself may refuse, beside those that every endpoint has. */
  readonly refusals?: readonly (401 | 403 | 409 | 502 | 504 | 507)[];
  /** A change that names in `If-Match` the state that it is meant for, or may name it. */
  readonly condition?: 'NEEDED' | 'OPTIONAL';
  /** A change that takes an `Idempotency-Key`: repeated with the same key, it is carried out once. */
  readonly isKeyed?: boolean;
  /** The endpoint does not exist (404) while this is false; absent: it always exists. */
  readonly isAvailable?: (rest: RestSettings) => boolean;
  /** Serves a session without its XSRF token. */
  readonly isXsrfExempt?: boolean;
  /** Tells a client whether it is signed in: its 401 is no refusal where the request proves nothing. */
  readonly isSessionQuery?: boolean;
  /** Asking it does not prolong the session of the request. */
  readonly isNoUseOfSession?: boolean;
  /** Serves a session whose password has to be changed first. */
  readonly isOpenToLockedSessions?: boolean;
  /** Serves a session whose identity has only a second factor left to set up. */
  readonly isOpenForEnrolment?: boolean;
  /** A 401 of this endpoint does not ask for other credentials. */
  readonly isLogin?: boolean;
  /** Event recorded when the operation was attempted; absent: only refusals are recorded. */
  readonly audit?: AuditEventName;
  /** Event of a request with `dryRun=true`, which does nothing; absent: that of any other. */
  readonly auditOfTrial?: AuditEventName;
}

/** Returns the declaration of a JSON body that is received as a whole. */
export function jsonBody<Body>(schema: z.ZodType<Body>, maximumBytes: number): WholeBody<Body> {
  return { contentType: 'application/json', schema, maximumBytes };
}
