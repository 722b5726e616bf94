import { RestFailure } from '../api/rest-failure.ts';
import { EventParser } from './event-parser.ts';
import type { ServerEvent } from './event-parser.ts';

/** Options of an event stream. */
interface EventStreamOptions {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  /** Resumes after this event. */
  readonly lastId: string | undefined;
  readonly signal?: AbortSignal;
  /** Called for all received data, keep-alives included. */
  readonly onHeard: () => void;
  readonly onEvent: (event: ServerEvent) => void;
}

/** End of a stream. */
export interface StreamEnd {
  /** Status of an error response; 0: the stream ended or was cut. */
  readonly status: number;
  /** Code of the error response, or of the end. */
  readonly code: string | undefined;
  /** Reason given by the gateway; empty if the stream was cut. */
  readonly reason: string;
}

// The gateway sends a keep-alive every 15 s.
const SILENT_AFTER_MS = 40_000;
const WATCH_MS = 5000;
// The gateway stores events for 30 s for resumption.
const LOOK_EVERY_MS = 3000;
const LOOK_MS = 400;
const FIRST_LOOK_MS = 10_000;
const CUT: StreamEnd = { status: 0, code: undefined, reason: '' };

/**
 * Receives an event stream until it ends, is cut or is silent for too long. If other tabs use all streams that a
 * browser can open, it polls for missed events every few seconds.
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
  // By the clock, not by a timer: timers stop while the machine sleeps.
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
      const { status, code, message } = await RestFailure.read(response);
      return { status, code, reason: message };
    }
    onHeard();
    look?.note(lastId !== undefined);
    const parser = new EventParser();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      // Data that arrives after a sleep was sent before it; the next stream repeats it.
      if (done || isSilent()) return CUT;
      heardMs = Date.now();
      onHeard();
      const events = parser.push(value);
      for (const event of events) {
        if (event.type === 'end') {
          const reason = readReason(event);
          return { status: 0, code: reason, reason };
        }
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

/** Short poll of a stream; ends shortly after the missed events have arrived. */
class Look {
  readonly #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout>;
  #isAnswered = false;
  #isOver = false;

  /** @param isFirst true if all values are missing and devices may have to be read */
  constructor(isFirst: boolean) {
    this.#timer = this.#plan(isFirst ? FIRST_LOOK_MS : FIRST_LOOK_MS / 2);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** True if it ended after a successful poll. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** @param isEnough true if no more events are known to be missing */
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

// Browsers open six connections per origin over HTTP/1.1, for all tabs together. Requests other than streams need some.
const SLOTS = ['0', '1', '2', '3'].map((number) => `penstock.stream.${number}`);

/**
 * Reserves one of the streams that all tabs of a browser share.
 *
 * @returns function that releases it; undefined: other tabs use them all. Over plain HTTP, tabs cannot coordinate, and one is
 *   always available
 */
async function takeStreamSlot(): Promise<(() => void) | undefined> {
  if (!isSecureContext) return () => undefined;
  for (const name of SLOTS) {
    const giveBack = await tryLock(name);
    if (giveBack !== undefined) return giveBack;
  }
  return undefined;
}

/** Acquires a lock that ends with the tab at the latest. */
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
