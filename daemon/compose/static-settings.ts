import { createTrustedProxies } from '../server/http/proxy/trusted-proxies.ts';
import type { TrustedProxies } from '../server/http/proxy/trusted-proxies.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';

/** Holds the static settings in force; a reload replaces them. */
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

  /** Time for requests in progress to finish before their connection is closed. */
  get drainMs(): number {
    return this.#current.shutdownTimeoutSeconds * 1000;
  }

  /** Time after which a request to write sends nothing more. */
  get writeDeadlineMs(): number {
    return this.#current.http.writeDeadlineMs;
  }

  /** Time for which browsers insist on HTTPS; 0: they do not. */
  get strictTransportSecuritySeconds(): number {
    return this.#current.http.strictTransportSecuritySeconds;
  }

  replace(settings: GatewaySettings): void {
    this.#trustedProxies = createTrustedProxies(settings.http.trustedProxies);
    this.#current = settings;
  }
}
