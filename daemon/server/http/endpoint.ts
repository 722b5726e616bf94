import type { IncomingMessage } from 'node:http';

import type { z } from '../../base/schema.ts';
import type { Endpoint as DeclaredEndpoint, RequestBody } from '../../interface/endpoint.ts';
import type { RestSettings } from '../../settings/rest-settings.ts';

/** Body that is received as a whole, parsed if JSON or YAML, and then checked. */
export interface WholeBody<Body> extends RequestBody<z.ZodType<Body>> {
  readonly maximumBytes: number;
  readonly receive?: undefined;
}

/** Request whose body is being received. */
export interface IncomingBody {
  readonly request: IncomingMessage;
  /** Party whose quota the body counts against. */
  readonly party: string;
  /** Exempts the body from the request timeout; the receiver must bound the time. */
  readonly boundOwnTime: () => void;
}

/** Streams a body that is too large for memory; the schema of the endpoint only documents it. */
export interface BodyReceiver<Body> {
  readonly receive: (incoming: IncomingBody) => Promise<Body>;
  /** Removes a received body that will not be used. */
  discard(body: Body): Promise<void>;
  /** Returns a digest of the content, independent of its encoding. */
  digestOf(body: Body): string;
}

type StreamedBody<Body> = RequestBody<z.ZodType<Body>> & BodyReceiver<Body>;

/** Endpoint declaration with its server-side parts, enforced by the pipeline before the operation runs. */
export interface Endpoint<Body = unknown> extends Omit<DeclaredEndpoint, 'request'> {
  readonly request?: WholeBody<Body> | StreamedBody<Body>;
  /** While false, the endpoint returns 404; absent: always available. */
  readonly isAvailable?: (rest: RestSettings) => boolean;
}
