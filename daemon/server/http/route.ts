import type { AuditAnnotation } from '../../security/audit/audit-annotation.ts';
import type { Answer } from './answer.ts';
import type { Endpoint } from './endpoint.ts';
import type { FirstAnswer, RequestContext } from './request-context.ts';
import type { Method } from '../../interface/endpoint.ts';

/** One endpoint as a value, with its operation. */
export interface Route<Body = unknown> extends Endpoint<Body> {
  handle(context: RequestContext<Body>): Answer | Promise<Answer>;
  /**
   * Describes the operation before it runs, for the audit events that remain if the process exits in between. Absent: one event
   * without further facts.
   *
   * @param nowMs milliseconds since the epoch
   */
  describeAttempt?(context: RequestContext<Body>, nowMs: number): AuditAnnotation;
  /**
   * Answers a request whose key an earlier process stored without a response, and does nothing; undefined if that process
   * certainly did nothing, so that the operation runs now. Required for every keyed route.
   *
   * @param nowMs milliseconds since the epoch
   */
  answerInterrupted?(context: RequestContext<Body>, nowMs: number): Answer | undefined;
  /**
   * Replaces a stored response that the caller may no longer see; undefined if it may. Absent: the stored response contains
   * nothing that depends on access.
   *
   * @throws as `handle` does for a caller without rights
   */
  answerInstead?(context: RequestContext<Body>, first: FirstAnswer): Answer | undefined;
}

/** Checks a route against its body type and hides the type again, so that routes of all kinds fit one list. */
export function defineRoute<Body>(route: Route<Body>): Route {
  // Methods compare bivariantly, which is sound here: the pipeline passes to `handle` only what fits `request.schema`.
  return route;
}

/**
 * Creates the public OPTIONS route of a path (RFC 9110, 9.3.7). The response grants nothing to cross-origin requests.
 *
 * @param routes enabled routes of the path
 */
export function createOptionsRoute(routes: readonly Pick<Endpoint, 'method' | 'path'>[]): Route {
  return defineRoute<unknown>({
    method: 'OPTIONS',
    isOfSpecification: true,
    path: routes[0]?.path ?? '',
    summary: 'Lists the methods of the path',
    access: 'PUBLIC',
    response: { status: 200 },
    handle: () => ({
      status: 200,
      headers: { Allow: formatAllow(routes.map(({ method }) => method)), 'Content-Length': '0' },
    }),
  });
}

/** Returns the value of the field Allow for the methods of a path. */
export function formatAllow(methods: readonly Method[]): string {
  const implied = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return [...implied, 'OPTIONS'].join(', ');
}
