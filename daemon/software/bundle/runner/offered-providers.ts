import { messageOf } from '../../../base/errors.ts';
import type { GatewayCallParams } from '../message/messages.ts';
import type { BundleAuthenticationProvider } from './context.ts';
import type { GatewayLink } from './gateway-link.ts';

/** Authentication providers that the bundle registers, by the id that the gateway uses. */
export class OfferedProviders {
  readonly #gateway: GatewayLink;
  readonly #providers = new Map<number, BundleAuthenticationProvider>();
  readonly #notifying = new Set<Promise<void>>();

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

  /** Calls back a provider that has been enabled or disabled, without waiting; an error is logged. */
  notify(provider: number, occasion: 'onEnabled' | 'onDisabled'): void {
    const notifying = this.#call(provider, occasion).finally(() => this.#notifying.delete(notifying));
    this.#notifying.add(notifying);
  }

  /** Resolves when every such callback has settled. */
  async settle(): Promise<void> {
    await Promise.all(this.#notifying);
  }

  async #call(provider: number, occasion: 'onEnabled' | 'onDisabled'): Promise<void> {
    try {
      await this.#providers.get(provider)?.[occasion]?.();
    } catch (error) {
      this.#gateway.notify('log', { level: 'warn', message: `${occasion}: ${messageOf(error)}` });
    }
  }
}
