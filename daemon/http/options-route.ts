import { defineRoute } from './route.ts';
import type { Endpoint } from './endpoint.ts';
import type { Method } from '../interface/endpoint.ts';
import type { Route } from './route.ts';

/**
 * Creates the route that answers OPTIONS for a path (RFC 9110, 9.3.7) with its methods, for anybody. The answer grants
 * nothing to pages of other origins.
 *
 * @param routes those of the path that are switched on
 */
export function createOptionsRoute(routes: readonly Pick<Endpoint, 'method' | 'path'>[]): Route {
  return defineRoute<unknown>({
    method: 'OPTIONS',
    isOfSpecification: true,
    path: routes[0]?.path ?? '',
    summary: 'Lists the methods of the path',
    access: 'ANYBODY',
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
