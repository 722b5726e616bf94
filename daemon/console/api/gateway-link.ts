import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

/** Whether the gateway answers, and since when it does not; times by the clock of the browser. */
export interface LinkState {
  readonly isUp: boolean;
  readonly sinceMs: number;
  /** When it is asked again; undefined: it is being asked, or answers. */
  readonly nextTryMs: number | undefined;
}

/**
 * Sent with every request: the gateway then does not have the browser ask for BASIC credentials in a window of its own, and
 * shows all members of its records.
 */
export const CONSOLE_FIELDS = { 'X-Requested-With': 'XMLHttpRequest', Prefer: 'record-details' } as const;

// The page itself, which everybody may have: asking for it is no use of a session and no event of the audit.
const ASKED = '/';
const FIRST_TRY_MS = 1000;
const MAXIMUM_RETRY_MS = 15_000;
const PATIENCE_MS = 10_000;

/** Whether the gateway answers; while it does not, it is asked again and again, ever more rarely. */
export class GatewayLink {
  readonly #state = signal<LinkState>({ isUp: true, sinceMs: Date.now(), nextTryMs: undefined });
  readonly #waiting = new Set<() => void>();
  #pauseMs = FIRST_TRY_MS;
  #answeredMs = Date.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isAsking = false;

  constructor() {
    const wake = (): void => {
      if (!document.hidden) void this.tryNow();
    };
    // After a sleep, or when the page is seen again, nobody wants to wait for the next try.
    document.addEventListener('visibilitychange', wake);
    addEventListener('online', wake);
  }

  get state(): ReadonlySignal<LinkState> {
    return this.#state;
  }

  /** Resolves as soon as the gateway answers; at once when it is not known to be silent. */
  whenUp(): Promise<void> {
    if (this.#state.value.isUp) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  recordResponse(): void {
    this.#answeredMs = Date.now();
    this.#pauseMs = FIRST_TRY_MS;
    clearTimeout(this.#timer);
    if (this.#state.value.isUp) return;
    this.#state.value = { isUp: true, sinceMs: Date.now(), nextTryMs: undefined };
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /** Notes that the gateway was asked and did not answer, or fell silent. */
  recordFailure(): void {
    if (!this.#state.value.isUp) return;
    // What the page shows is from the last answer.
    this.#state.value = { isUp: false, sinceMs: this.#answeredMs, nextTryMs: undefined };
    this.#planTry();
  }

  /** Finds out whether the gateway answers at all: something that it was asked for takes long. */
  async check(): Promise<void> {
    if (!this.#state.value.isUp || this.#isAsking) return;
    this.#isAsking = true;
    try {
      await this.#ask();
      this.recordResponse();
    } catch {
      this.recordFailure();
    } finally {
      this.#isAsking = false;
    }
  }

  /** Asks now, unless the gateway answers. */
  async tryNow(): Promise<void> {
    if (this.#state.value.isUp || this.#isAsking) return;
    this.#isAsking = true;
    clearTimeout(this.#timer);
    this.#state.value = { ...this.#state.value, nextTryMs: undefined };
    try {
      await this.#ask();
      this.recordResponse();
    } catch {
      this.#pauseMs = Math.min(MAXIMUM_RETRY_MS, 2 * this.#pauseMs);
      this.#planTry();
    } finally {
      this.#isAsking = false;
    }
  }

  async #ask(): Promise<void> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    await fetch(toAddress(ASKED), {
      method: 'HEAD',
      headers: CONSOLE_FIELDS,
      cache: 'no-store',
      signal: patience,
    });
  }

  #planTry(): void {
    // Something else may have been answered meanwhile.
    if (this.#state.value.isUp) return;
    this.#state.value = { ...this.#state.value, nextTryMs: Date.now() + this.#pauseMs };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.tryNow(), this.#pauseMs);
  }
}

/**
 * Returns the address of a path of the gateway as the page reaches it: a proxy may show the gateway below a path of its own.
 *
 * @param path from the root of the gateway, with a slash at its beginning
 */
export function toAddress(path: string): string {
  return new URL(`.${path}`, document.baseURI).href;
}
