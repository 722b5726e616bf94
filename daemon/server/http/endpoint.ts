import type { IncomingMessage } from 'node:http';

import type { z } from '../../base/schema.ts';
import type { Endpoint as DeclaredEndpoint, RequestBody } from '../../interface/endpoint.ts';
import type { RestSettings } from '../../settings/rest-settings.ts';

/** A body that is received as a whole and then checked; JSON and YAML are parsed first, text is not. */
export interface WholeBody<Body> extends RequestBody<z.ZodType<Body>> {
  readonly maximumBytes: number;
  readonly receive?: undefined;
}

/** A request whose body arrives. */
export interface IncomingBody {
  readonly request: IncomingMessage;
  /** On whose account it is received. */
  readonly party: string;
  /** Lets the body take longer than requests may; the receiver has to bound the time. */
  readonly boundOwnTime: () => void;
}

/** Receives a body that is too large for memory; the schema of the endpoint only describes it. */
export interface BodyReceiver<Body> {
  readonly receive: (incoming: IncomingBody) => Promise<Body>;
  /** Removes a received body that will not be used. */
  discard(body: Body): Promise<void>;
  /** Returns a digest of what the body holds, whatever form it came in. */
  digestOf(body: Body): string;
}

type StreamedBody<Body> = RequestBody<z.ZodType<Body>> & BodyReceiver<Body>;

/** The declaration of an endpoint with what only the server knows of it, which the pipeline enforces before the operation runs. */
export interface Endpoint<Body = unknown> extends Omit<DeclaredEndpoint, 'request'> {
  readonly request?: WholeBody<Body> | StreamedBody<Body>;
  /** The endpoint does not exist (404) while this is false; absent: it always exists. */
  readonly isAvailable?: (rest: RestSettings) => boolean;
}
