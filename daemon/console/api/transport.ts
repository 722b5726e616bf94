import { toAddress, GatewayLink } from './gateway-link.ts';
import { signal } from '@preact/signals';

import { GatewayClock } from './gateway-clock.ts';
import { RestFailure } from './rest-failure.ts';

// Less than the shortest time after which a page asks for something anew and gives up what it asked before.
const LONG_MS = 3000;

/** Sends requests to the gateway that served the page, and notes whether and when it answers. */
export class Transport {
  readonly link = new GatewayLink();
  readonly #clock = new GatewayClock();
  /** How far the clock of the gateway is ahead of that of the browser; what is shown by it follows. */
  readonly #aheadMs = signal(0);

  /** The present time by the clock of the gateway, in milliseconds since the epoch. */
  gatewayNowMs(): number {
    return Date.now() + this.#aheadMs.value;
  }

  /**
   * Sends a request with the cookies of the browser.
   *
   * @throws {RestFailure} status 0, when there is no answer
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
