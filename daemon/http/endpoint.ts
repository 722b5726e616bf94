import type { IncomingMessage } from 'node:http';

import type { AuditEventName } from '../audit/audit-event.ts';
import type { z } from '../base/schema.ts';
import type { RestSettings } from '../settings/rest-settings.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';

/** Who may call an endpoint: anybody, anybody known, or identities with this permission. */
export type Access = 'ANYBODY' | 'ANY_IDENTITY' | `rest.${string}`;

/** What a body can be. */
type BodyType = 'application/json' | 'application/yaml' | 'text/plain' | 'text/csv' | 'multipart/form-data';

/** The body that an endpoint expects. */
type RequestBody<Body> = WholeBody<Body> | StreamedBody<Body>;

interface DescribedBody<Body> {
  readonly contentType: BodyType;
  /** Another type in which the same may come. */
  readonly alternativeType?: BodyType;
  readonly schema: z.ZodType<Body>;
}

/** A body that is received as a whole and checked: JSON and YAML are parsed before that, text is taken as it is. */
export interface WholeBody<Body> extends DescribedBody<Body> {
  readonly maximumBytes: number;
  readonly receive?: undefined;
}

/** A body that is too large to be held in memory: the endpoint receives it itself, the schema only describes it. */
interface StreamedBody<Body> extends DescribedBody<Body> {
  readonly receive: (request: IncomingMessage) => Promise<Body>;
  /** Forgets what was received: nothing is to be done with it. */
  discard(body: Body): Promise<void>;
}

/** What an endpoint declares of itself: what the pipeline checks before its operation. */
export interface Endpoint<Body = unknown> {
  readonly method: Method;
  /** Express path below the root, for example `/services/assets/:pid`. */
  readonly path: string;
  /** What the endpoint is for, in a few words. */
  readonly summary: string;
  readonly access: Access;
  /** Parameters of the query; absent: there are none. The operation reads them. */
  readonly query?: z.ZodObject;
  /** Ignores other parameters of the query, as clients of Kura expect; absent: they are answered with 400. */
  readonly isOfSpecification?: boolean;
  /** Absent: a body is ignored. */
  readonly request?: RequestBody<Body>;
  /** Status and schema of the answer when all went well; neither schema nor type: no body. */
  readonly response: {
    readonly status: number;
    readonly schema?: z.ZodType;
    /** JSON unless it says otherwise. */
    readonly contentType?: 'text/event-stream' | 'text/csv';
  };
  /** The endpoint does not exist (404) while this is false; absent: it always exists. */
  readonly isAvailable?: (rest: RestSettings) => boolean;
  /** Answers a session without its XSRF token. */
  readonly isXsrfExempt?: boolean;
  /** Answers a session whose password has to be changed first. */
  readonly isOpenToLockedSessions?: boolean;
  /** A 401 of this endpoint does not ask for other credentials. */
  readonly isLogin?: boolean;
  /** What is recorded when the operation was attempted; absent: only refusals are. */
  readonly audit?: AuditEventName;
}

/** Returns the declaration of a body of JSON that is received as a whole. */
export function jsonBody<Body>(schema: z.ZodType<Body>, maximumBytes: number): RequestBody<Body> {
  return { contentType: 'application/json', schema, maximumBytes };
}
