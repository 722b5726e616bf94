import { createTrustedProxies } from '../server/http/proxy/trusted-proxies.ts';
import type { TrustedProxies } from '../server/http/proxy/trusted-proxies.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';

/** Holds the active static settings; a reload replaces them. */
export class StaticSettings {
  #current: GatewaySettings;
  #trustedProxies: TrustedProxies;

  constructor(settings: GatewaySettings) {
    this.#current = settings;
    this.#trustedProxies = createTrustedProxies(settings.http.trustedProxies);
  }

  get current(): GatewaySettings {
    return this.#current;
  }

  get trustedProxies(): TrustedProxies {
    return this.#trustedProxies;
  }

  /** Time for outstanding requests to finish before their connection is closed. */
  get drainMs(): number {
    return this.#current.shutdownTimeoutSeconds * 1000;
  }

  /** Time after which a write request sends nothing more. */
  get writeDeadlineMs(): number {
    return this.#current.http.writeDeadlineMs;
  }

  /** Time for which browsers require HTTPS; 0: not required. */
  get strictTransportSecuritySeconds(): number {
    return this.#current.http.strictTransportSecuritySeconds;
  }

  replace(settings: GatewaySettings): void {
    this.#trustedProxies = createTrustedProxies(settings.http.trustedProxies);
    this.#current = settings;
  }
}
