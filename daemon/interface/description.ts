import { z } from '../base/schema.ts';
import { endpoint } from './endpoint.ts';

/** Returns the description of the interface. */
export const describeInterface = endpoint({
  method: 'GET',
  path: '/services/openapi.json',
  summary: 'Returns the OpenAPI 3.1 description of all endpoints',
  access: 'PUBLIC',
  isStatus: true,
  isCompressible: true,
  response: { status: 200, schema: z.record(z.string(), z.unknown()) },
});
