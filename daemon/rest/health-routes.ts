import { ok } from '../http/answer.ts';
import { implement } from '../http/implement.ts';
import type { Route } from '../http/route.ts';
import { readHealth, readReadiness } from '../interface/health.ts';
import type { Readiness } from '../interface/health.ts';

/** Creates the endpoints for load balancers and monitors; they disclose nothing else. */
export function createHealthRoutes(readiness: () => Readiness): readonly Route[] {
  return [
    implement(readHealth, () => ok({ status: 'UP' })),
    implement(readReadiness, () => {
      const status = readiness();
      return { ...ok({ status }), status: status === 'UP' ? 200 : 503 };
    }),
  ];
}
