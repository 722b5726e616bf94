import { endpoint } from './endpoint.ts';

/** Sends events as they happen. */
export const followEvents = endpoint({
  method: 'GET',
  path: '/services/events/v1',
  summary: 'Sends what happens to connections, devices and the configuration',
  access: 'rest.events',
  response: { status: 200, contentType: 'text/event-stream' },
});
