import type { ServerResponse } from 'node:http';

/** Returns a signal that aborts when the client is gone, or has its response. */
export function signalOf(response: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  response.once('close', () => leaving.abort());
  if (response.destroyed) leaving.abort();
  return leaving.signal;
}
