import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';

/** State of the link to the gateway; times by the browser's clock. */
export interface LinkState {
  readonly isUp: boolean;
  readonly sinceMs: number;
  /** Time of the next attempt; undefined during an attempt and while the gateway responds. */
  readonly nextTryMs: number | undefined;
}

/**
 * Sent with every request: the gateway then omits the BASIC challenge, which would open a browser dialog, and
 * returns all members of its records, and the codes of its messages.
 */
export const CONSOLE_FIELDS = {
  'X-Requested-With': 'XMLHttpRequest',
  Prefer: 'record-details, error-reasons',
} as const;

// The page itself is public: requesting it neither extends a session nor adds an audit event.
const ASKED = '/';
const FIRST_TRY_MS = 1000;
const MAXIMUM_RETRY_MS = 15_000;
const PATIENCE_MS = 10_000;

/** Tracks if the gateway responds; retries with growing pauses while it does not. */
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
    // After a sleep or when the page becomes visible, retry at once.
    document.addEventListener('visibilitychange', wake);
    addEventListener('online', wake);
  }

  get state(): ReadonlySignal<LinkState> {
    return this.#state;
  }

  /** Resolves when the gateway responds; immediately if the link is up. */
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

  /** Records a request without response or a stream that went silent. */
  recordFailure(): void {
    if (!this.#state.value.isUp) return;
    // The data on the page dates from the last response.
    this.#state.value = { isUp: false, sinceMs: this.#answeredMs, nextTryMs: undefined };
    this.#planTry();
  }

  /** Checks if the gateway responds at all; called when a request takes long. */
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

  /** Retries now, unless the link is up. */
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
    // Another request may have succeeded in the meantime.
    if (this.#state.value.isUp) return;
    this.#state.value = { ...this.#state.value, nextTryMs: Date.now() + this.#pauseMs };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.tryNow(), this.#pauseMs);
  }
}

/**
 * Returns the URL of a gateway path; a proxy may serve the gateway below a path prefix.
 *
 * @param path from the root of the gateway, with a slash at its beginning
 */
export function toAddress(path: string): string {
  return new URL(`.${path}`, document.baseURI).href;
}
