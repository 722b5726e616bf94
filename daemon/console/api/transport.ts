import { toAddress, GatewayLink } from './gateway-link.ts';
import { signal } from '@preact/signals';

import { GatewayClock } from './gateway-clock.ts';
import { RestFailure } from './rest-failure.ts';

// Less than the shortest refresh interval, after which a page aborts its previous request.
const LONG_MS = 3000;

/** Sends requests to the gateway that served the page, and records its responses and their times. */
export class Transport {
  readonly link = new GatewayLink();
  readonly #clock = new GatewayClock();
  /** Offset of the gateway's clock from the browser's; displayed times follow it. */
  readonly #aheadMs = signal(0);

  /** Current gateway time, in milliseconds since the epoch. */
  gatewayNowMs(): number {
    return Date.now() + this.#aheadMs.value;
  }

  /**
   * Sends a request with the browser's cookies.
   *
   * @throws {RestFailure} status 0, if no response arrives
   */
  async send(path: string, init: RequestInit): Promise<Response> {
    const askedMs = Date.now();
    const longer = setTimeout(() => void this.link.check(), LONG_MS);
    try {
      const response = await fetch(toAddress(path), {
        ...init,
        credentials: 'same-origin',
        cache: 'no-store',
      });
      this.link.recordResponse();
      this.#clock.note(response.headers.get('date'), { askedMs, answeredMs: Date.now() });
      this.#aheadMs.value = this.#clock.aheadMs;
      return response;
    } catch (cause) {
      if (init.signal?.aborted === true) throw cause;
      this.link.recordFailure();
      throw new RestFailure({ status: 0, message: '', cause });
    } finally {
      clearTimeout(longer);
    }
  }
}
