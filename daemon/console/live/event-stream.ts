import { RestFailure } from '../api/rest-failure.ts';
import { EventParser } from './event-parser.ts';
import type { ServerEvent } from './event-parser.ts';

/** Which stream of events is received, and what becomes of its events. */
interface EventStreamWish {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Called when something comes, also a mere sign of life. */
  readonly onHeard: () => void;
  readonly onEvent: (event: ServerEvent) => void;
}

/** How a stream ended. */
export interface StreamEnd {
  /** Status of a refusal; 0: the stream ended or was cut. */
  readonly status: number;
  /** Why it was refused, in the words of the gateway; empty when it was not. */
  readonly reason: string;
}

// The gateway shows a sign of life every 15 s.
const SILENT_AFTER_MS = 40_000;
const CUT: StreamEnd = { status: 0, reason: '' };

/** Receives one stream of events until it ends, is cut, or says nothing for too long. */
export async function receiveEvents(wish: EventStreamWish): Promise<StreamEnd> {
  const { path, fields, signal, onHeard, onEvent } = wish;
  const silence = new AbortController();
  let watch = setTimeout(() => silence.abort(), SILENT_AFTER_MS);
  try {
    const response = await fetch(path, {
      headers: { ...fields, Accept: 'text/event-stream' },
      credentials: 'same-origin',
      cache: 'no-store',
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || response.body === null) {
      const { status, message } = await RestFailure.read(response);
      return { status, reason: message };
    }
    onHeard();
    const parser = new EventParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return CUT;
      clearTimeout(watch);
      watch = setTimeout(() => silence.abort(), SILENT_AFTER_MS);
      onHeard();
      for (const event of parser.push(value)) onEvent(event);
    }
  } catch {
    return CUT;
  } finally {
    clearTimeout(watch);
  }
}
