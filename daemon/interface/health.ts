import { z } from '../base/schema.ts';
import { endpoint } from './endpoint.ts';

const health = z.strictObject({ status: z.enum(['UP', 'STARTING', 'STOPPING']) }).meta({ id: 'Health' });

/** State of the gateway as a whole. */
export type Readiness = z.infer<typeof health>['status'];

/** Says that the gateway runs. */
export const readHealth = endpoint({
  method: 'GET',
  path: '/healthz',
  summary: 'Answers 200 while the gateway runs',
  access: 'ANYBODY',
  isStatus: true,
  response: { status: 200, schema: health },
});

/** Says whether the gateway is ready. */
export const readReadiness = endpoint({
  method: 'GET',
  path: '/readyz',
  summary: 'Answers 200 when the gateway is ready for requests, 503 while it starts or stops',
  access: 'ANYBODY',
  isStatus: true,
  response: { status: 200, schema: health },
});
