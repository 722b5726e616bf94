import { messageOf } from '../../base/errors.ts';
import type { GatewayCallParams } from '../messages.ts';
import type { BundleAuthenticationProvider } from './context.ts';
import type { GatewayLink } from './gateway-link.ts';

/** The authentication providers that the bundle offers, by the number under which the gateway knows them. */
export class OfferedProviders {
  readonly #gateway: GatewayLink;
  readonly #providers = new Map<number, BundleAuthenticationProvider>();
  readonly #telling = new Set<Promise<void>>();

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

  /** Tells a provider that it takes part, or no longer does; what it makes of it stops nothing. */
  tell(provider: number, occasion: 'onEnabled' | 'onDisabled'): void {
    const telling = this.#call(provider, occasion).finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }

  /** Resolves when every provider is done with what it was told. */
  async settle(): Promise<void> {
    await Promise.all(this.#telling);
  }

  async #call(provider: number, occasion: 'onEnabled' | 'onDisabled'): Promise<void> {
    try {
      await this.#providers.get(provider)?.[occasion]?.();
    } catch (error) {
      this.#gateway.note('log', { level: 'warn', message: `${occasion}: ${messageOf(error)}` });
    }
  }
}
