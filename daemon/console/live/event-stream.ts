import { EventParser } from './event-parser.ts';
import type { ServerEvent } from './event-parser.ts';

/** Which stream of events is received, and what becomes of its events. */
interface EventStreamWish {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called when something comes, also a mere sign of life. */
  readonly onHeard: () => void;
  readonly onEvent: (event: ServerEvent) => void;
}

// The gateway shows a sign of life every 15 s.
const SILENT_AFTER_MS = 40_000;

/**
 * Receives one stream of events until it ends, is cut, or says nothing for too long.
 *
 * @returns status of a refusal; 0: the stream ended or was cut
 */
export async function receiveEvents(wish: EventStreamWish): Promise<number> {
  const { path, fields, signal, onHeard, onEvent } = wish;
  const silence = new AbortController();
  let watch = setTimeout(() => silence.abort(), SILENT_AFTER_MS);
  try {
    const response = await fetch(path, {
      headers: { ...fields, Accept: 'text/event-stream' },
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || response.body === null) return response.status;
    onHeard();
    const parser = new EventParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 0;
      clearTimeout(watch);
      watch = setTimeout(() => silence.abort(), SILENT_AFTER_MS);
      onHeard();
      for (const event of parser.push(value)) onEvent(event);
    }
  } catch {
    return 0;
  } finally {
    clearTimeout(watch);
  }
}
