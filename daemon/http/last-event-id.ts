import type { IncomingMessage } from 'node:http';

/** Returns the id of the event after which a client resumes (WHATWG HTML, 9.2.4); undefined when it sends none. */
export function findLastEventId({ headers }: IncomingMessage): string | undefined {
  const id = headers['last-event-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}
