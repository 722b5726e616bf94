import { z } from '../base/schema.ts';
import { ok } from '../http/answer.ts';
import type { Answer } from '../http/answer.ts';
import { defineRoute } from '../http/route.ts';
import type { Route } from '../http/route.ts';

const health = z.strictObject({ status: z.enum(['UP', 'STARTING', 'STOPPING']) }).meta({ id: 'Health' });

/** State of the gateway as a whole. */
export type Readiness = z.infer<typeof health>['status'];

/** Creates the endpoints for load balancers and monitors; they disclose nothing else. */
export function createHealthRoutes(readiness: () => Readiness): readonly Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/healthz',
      summary: 'Answers 200 while the gateway runs',
      access: 'ANYBODY',
      response: { status: 200, schema: health },
      handle: () => ok({ status: 'UP' }),
    }),
    defineRoute({
      method: 'GET',
      path: '/readyz',
      summary: 'Answers 200 when the gateway is ready for requests, 503 while it starts or stops',
      access: 'ANYBODY',
      response: { status: 200, schema: health },
      handle: () => toAnswer(readiness()),
    }),
  ];
}

function toAnswer(status: Readiness): Answer {
  return { ...ok({ status }), status: status === 'UP' ? 200 : 503 };
}
