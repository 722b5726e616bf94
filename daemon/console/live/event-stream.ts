import { RestFailure } from '../api/rest-failure.ts';
import { EventParser } from './event-parser.ts';
import type { ServerEvent } from './event-parser.ts';

/** Which stream of events is received, and what becomes of its events. */
interface EventStreamOptions {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Goes on behind this event. */
  readonly lastId: string | undefined;
  readonly signal?: AbortSignal;
  /** Called when something comes, also a mere sign of life. */
  readonly onHeard: () => void;
  readonly onEvent: (event: ServerEvent) => void;
}

/** How a stream ended. */
export interface StreamEnd {
  /** Status of a refusal; 0: the stream ended or was cut. */
  readonly status: number;
  /** Why it was refused or ended, in the words of the gateway; empty: it was cut. */
  readonly reason: string;
}

// The gateway shows a sign of life every 15 s.
const SILENT_AFTER_MS = 40_000;
const WATCH_MS = 5000;
// The gateway keeps what happens in between for half a minute.
const LOOK_EVERY_MS = 3000;
const LOOK_MS = 400;
const FIRST_LOOK_MS = 10_000;
const CUT: StreamEnd = { status: 0, reason: '' };

/**
 * Receives one stream of events until it ends, is cut, or says nothing for too long. Where other tabs hold all streams that a
 * browser can afford, it looks every few seconds what came meanwhile.
 */
export async function receiveEvents(options: EventStreamOptions): Promise<StreamEnd> {
  let { lastId } = options;
  const onEvent = (event: ServerEvent): void => {
    lastId = event.id ?? lastId;
    options.onEvent(event);
  };
  const isWanted = (): boolean => options.signal?.aborted !== true;
  for (;;) {
    const giveBack = await takeStreamSlot();
    const look = giveBack === undefined ? new Look(lastId === undefined) : undefined;
    const end = await receiveOnce({ ...options, lastId, onEvent }, look);
    giveBack?.();
    if (look?.isOver !== true || !isWanted()) return end;
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_EVERY_MS);
    });
    if (!isWanted()) return CUT;
  }
}

async function receiveOnce(options: EventStreamOptions, look: Look | undefined): Promise<StreamEnd> {
  const { path, fields, lastId, signal, onHeard, onEvent } = options;
  const silence = new AbortController();
  let heardMs = Date.now();
  // By the clock, not by a timer: while the machine sleeps, timers stand still.
  const isSilent = (): boolean => Date.now() - heardMs > SILENT_AFTER_MS;
  const watch = setInterval(() => {
    if (isSilent()) silence.abort();
  }, WATCH_MS);
  try {
    const response = await fetch(path, {
      headers: {
        ...fields,
        Accept: 'text/event-stream',
        ...(lastId === undefined ? {} : { 'Last-Event-ID': lastId }),
      },
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.any([signal, silence.signal, look?.signal].filter((each) => each !== undefined)),
    });
    if (!response.ok || response.body === null) {
      const { status, message } = await RestFailure.read(response);
      return { status, reason: message };
    }
    onHeard();
    look?.note(lastId !== undefined);
    const parser = new EventParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      // What arrives after a sleep was sent before it; it comes again with what followed it.
      if (done || isSilent()) return CUT;
      heardMs = Date.now();
      onHeard();
      const events = parser.push(value);
      for (const event of events) {
        if (event.type === 'end') return { status: 0, reason: readReason(event) };
        onEvent(event);
      }
      look?.note(events.length > 0);
    }
  } catch {
    return CUT;
  } finally {
    clearInterval(watch);
    look?.close();
  }
}

function readReason({ data }: ServerEvent): string {
  return (JSON.parse(data) as { readonly reason: string }).reason;
}

/** A short look at a stream: it is over a moment after what was missing has come. */
class Look {
  readonly #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout>;
  #isAnswered = false;
  #isOver = false;

  /** @param isFirst everything is missing, and devices may have to be asked for it */
  constructor(isFirst: boolean) {
    this.#timer = this.#plan(isFirst ? FIRST_LOOK_MS : FIRST_LOOK_MS / 2);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether it ended by itself, having found a stream. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** @param isEnough nothing more is known to be missing */
  note(isEnough: boolean): void {
    this.#isAnswered = true;
    if (!isEnough) return;
    clearTimeout(this.#timer);
    this.#timer = this.#plan(LOOK_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #plan(ms: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      this.#isOver = this.#isAnswered;
      this.#abort.abort();
    }, ms);
  }
}

// Browsers keep six connections to an origin over HTTP/1.1, for all tabs together. What is asked beside streams needs some.
const SLOTS = ['0', '1', '2', '3'].map((number) => `penstock.stream.${number}`);

/**
 * Takes one of the streams that all tabs of a browser may hold open together.
 *
 * @returns gives it back; undefined: other tabs hold them all. Over plain HTTP browsers do not let tabs agree, and there is
 *   always one
 */
async function takeStreamSlot(): Promise<(() => void) | undefined> {
  if (!isSecureContext) return () => undefined;
  for (const name of SLOTS) {
    const giveBack = await tryLock(name);
    if (giveBack !== undefined) return giveBack;
  }
  return undefined;
}

/** Takes a lock that ends with the tab at the latest. */
function tryLock(name: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    navigator.locks
      .request(name, { ifAvailable: true }, (lock) => {
        if (lock !== null) return new Promise<void>((giveBack) => resolve(giveBack));
        resolve(undefined);
        return undefined;
      })
      .catch(reject);
  });
}
