import { z } from '../../base/schema.ts';
import { endpoint } from '../endpoint.ts';

// Each type has members of its own, which clients show as they come.
const gatewayEvent = z.object({ type: z.string(), data: z.record(z.string(), z.unknown()) });

/** Sends events as they happen. */
export const followEvents = endpoint({
  method: 'GET',
  path: '/services/events/v1',
  summary: 'Sends what happens to connections, devices and the configuration',
  access: 'rest.events',
  isStatus: true,
  response: { status: 200, contentType: 'text/event-stream', schema: gatewayEvent },
});
