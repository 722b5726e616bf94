import { z } from '../../base/schema.ts';
import { endpoint } from '../endpoint.ts';

// Members depend on the type; clients show them unchanged.
const gatewayEvent = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

/** Streams events. */
export const followEvents = endpoint({
  method: 'GET',
  path: '/services/events/v1',
  summary: 'Streams events of connections, devices, packages and the configuration',
  access: 'rest.events',
  isStatus: true,
  response: { status: 200, contentType: 'text/event-stream', schema: gatewayEvent },
});
