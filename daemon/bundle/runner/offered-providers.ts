import type { GatewayCallParams } from '../messages.ts';
import type { BundleAuthenticationProvider } from './context.ts';
import type { GatewayLink } from './gateway-link.ts';

/** The authentication providers that the bundle offers, by the number under which the gateway knows them. */
export class OfferedProviders {
  readonly #gateway: GatewayLink;
  readonly #providers = new Map<number, BundleAuthenticationProvider>();

  constructor(gateway: GatewayLink) {
    this.#gateway = gateway;
  }

  async register(offered: BundleAuthenticationProvider): Promise<void> {
    const provider = this.#providers.size + 1;
    this.#providers.set(provider, offered);
    const headers = offered.headers.map((header) => header.toLowerCase());
    const { priority, deadlineMs } = offered;
    await this.#gateway.call('provider.register', { provider, priority, deadlineMs, headers });
  }

  async authenticate({
    provider,
    request,
  }: GatewayCallParams['provider.authenticate']): Promise<string | null> {
    const name = await this.#providers.get(provider)?.authenticate(request);
    return typeof name === 'string' && name !== '' ? name : null;
  }

  tellEnabled(provider: number): void {
    this.#providers.get(provider)?.onEnabled?.();
  }

  tellDisabled(provider: number): void {
    this.#providers.get(provider)?.onDisabled?.();
  }
}
