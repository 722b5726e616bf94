import { z } from '../base/schema.ts';
import { endpoint } from './endpoint.ts';

const health = z.strictObject({ status: z.enum(['UP', 'STARTING', 'STOPPING']) }).meta({ id: 'Health' });

/** State of the gateway as a whole. */
export type Readiness = z.infer<typeof health>['status'];

/** Liveness probe. */
export const readHealth = endpoint({
  method: 'GET',
  path: '/healthz',
  summary: 'Returns 200 while the gateway is running',
  access: 'PUBLIC',
  isStatus: true,
  response: { status: 200, schema: health },
});

/** Readiness probe. */
export const readReadiness = endpoint({
  method: 'GET',
  path: '/readyz',
  summary: 'Returns 200 if the gateway is ready for requests, 503 while it starts or stops',
  access: 'PUBLIC',
  isStatus: true,
  response: { status: 200, schema: health },
});
