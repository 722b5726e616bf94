import type { Answer } from './answer.ts';
import type { Endpoint } from './endpoint.ts';
import type { RequestContext } from './request-context.ts';

/** One endpoint as a value, with its operation. */
export interface Route<Body = unknown> extends Endpoint<Body> {
  handle(context: RequestContext<Body>): Answer | Promise<Answer>;
}

/** Checks a route against its body type and hides the type again, so that routes of all kinds fit one list. */
export function defineRoute<Body>(route: Route<Body>): Route {
  // Methods compare bivariantly, which is sound here: the pipeline passes to `handle` only what fits `request.schema`.
  return route;
}
