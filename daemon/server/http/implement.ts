import type { AuditAnnotation } from '../../security/audit/audit-annotation.ts';
import type { ResultOf, BodyOf, Endpoint, PathParameters, QueryOf } from '../../interface/endpoint.ts';
import type { RestSettings } from '../../settings/rest-settings.ts';
import type { Answer } from './answer.ts';
import type { BodyReceiver, Endpoint as ServedEndpoint } from './endpoint.ts';
import { createQueryReader } from './query.ts';
import type { FirstAnswer, RequestContext } from './request-context.ts';
import type { Route } from './route.ts';

/** Request that conforms to the declaration of its endpoint. */
export type CallOf<E extends Endpoint, Body = BodyOf<E>> = RequestContext<Body> & {
  readonly parameters: PathParameters<E['path']>;
  /** Empty where the endpoint declares no query; only the operation has it. */
  readonly query: QueryOf<E>;
};

/** Operation of an endpoint with its server-side parts. */
interface Operation<E extends Endpoint, Body> {
  readonly handle: (call: CallOf<E, NoInfer<Body>>) => Answer<ResultOf<E>> | Promise<Answer<ResultOf<E>>>;
  /** See `Endpoint` of this module. */
  readonly isAvailable?: (rest: RestSettings) => boolean;
  /** Receives the body of endpoints without a maximum length and converts it for the operation. */
  readonly body?: BodyReceiver<Body>;
  /** See `Route`. */
  describeAttempt?(call: CallOf<E, NoInfer<Body>>, nowMs: number): AuditAnnotation;
  /** See `Route`. */
  answerInterrupted?(call: CallOf<E, NoInfer<Body>>, nowMs: number): Answer | undefined;
  /** See `Route`. */
  answerInstead?(call: CallOf<E, NoInfer<Body>>, first: FirstAnswer): Answer | undefined;
}

/**
 * Combines a declared endpoint with its operation. The query is parsed first; an invalid one returns 400.
 *
 * @throws if neither the declaration nor the operation bounds the body
 */
export function implement<E extends Endpoint, Body = BodyOf<E>>(
  endpoint: E,
  operation: Operation<E, Body> | Operation<E, Body>['handle'],
): Route {
  const { handle, body, ...others } = typeof operation === 'function' ? { handle: operation } : operation;
  const { request, query, ...declaration }: Endpoint = endpoint;
  const readQuery = query === undefined ? () => NOTHING : createQueryReader(query);
  return {
    ...declaration,
    ...(query === undefined ? {} : { query }),
    ...(request === undefined ? {} : { request: toReceived(request, body) }),
    ...others,
    // Methods compare bivariantly, which is sound here: the pipeline passes only what fits the declaration.
    handle(context: CallOf<E, Body>) {
      return handle(Object.assign(context, { query: readQuery(context.request) as QueryOf<E> }));
    },
  };
}

const NOTHING = Object.freeze({});

function toReceived(
  { maximumBytes, ...declared }: NonNullable<Endpoint['request']>,
  receiver: BodyReceiver<unknown> | undefined,
): NonNullable<ServedEndpoint['request']> {
  if (receiver !== undefined) return { ...declared, ...receiver };
  if (maximumBytes !== undefined) return { ...declared, maximumBytes };
  throw new Error('a body of any length is received by nothing');
}
