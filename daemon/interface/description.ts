import { z } from '../base/schema.ts';
import { endpoint } from './endpoint.ts';

/** Describes the interface itself. */
export const describeInterface = endpoint({
  method: 'GET',
  path: '/services/openapi.json',
  summary: 'Describes every endpoint in the terms of OpenAPI 3.1',
  access: 'ANYBODY',
  isStatus: true,
  response: { status: 200, schema: z.record(z.string(), z.unknown()) },
});
