import type { IncomingMessage } from 'node:http';

/** Gives the id of the event after which a client wants to go on (WHATWG HTML, 9.2.4); undefined when it has none. */
export function findLastEventId({ headers }: IncomingMessage): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
