import { messageOf } from '../../../base/errors.ts';
import type { GatewayCallParams } from '../message/messages.ts';
import type { BundleAuthenticationProvider } from './context.ts';
import type { GatewayLink } from './gateway-link.ts';

/** Holds the authentication providers that the bundle registers, by the id that the gateway uses. */
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

  /** Tells a provider that it has been enabled or disabled, without waiting; an error is logged. */
  tell(provider: number, occasion: 'onEnabled' | 'onDisabled'): void {
    const telling = this.#call(provider, occasion).finally(() => this.#telling.delete(telling));
    this.#telling.add(telling);
  }

  /** Resolves when every such callback has ended. */
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
