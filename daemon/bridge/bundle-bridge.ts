import type { AssetRegistry } from '../asset/asset-registry.ts';
import { Conflict, NotFound } from '../base/errors.ts';
import { BundleError } from '../bundle/bundle-error.ts';
import type { BundleHost, BundleSession } from '../bundle/bundle-host.ts';
import { BUNDLE_CALLS, BUNDLE_NOTES, checkMessage } from '../bundle/messages.ts';
import type { BundleCallParams } from '../bundle/messages.ts';
import { adaptCustomProvider } from '../identity/custom-provider.ts';
import type { Authenticator } from '../identity/authenticator.ts';
import type { IdentityStore } from '../identity/identity-store.ts';
import { readForBundle, writeForBundle } from './asset-calls.ts';
import { createBridgedProvider } from './bridged-provider.ts';
import type { DriverRegistry } from './driver-registry.ts';
import type { DriverLinks } from './driver-links.ts';

interface BundleBridgeOptions {
  readonly registry: Pick<AssetRegistry, 'get'>;
  readonly kinds: DriverRegistry;
  readonly links: DriverLinks;
  readonly authenticator: Pick<Authenticator, 'add'>;
  readonly identities: Pick<IdentityStore, 'find'>;
}

const MAXIMUM_PROVIDERS = 8;

/** Connects bundles to the gateway: registers their drivers and authentication providers, and gives them access to assets. */
export class BundleBridge implements BundleHost {
  readonly #options: BundleBridgeOptions;
  /** Functions that remove the providers of a bundle. */
  readonly #removals = new Map<BundleSession, (() => void)[]>();

  constructor(options: BundleBridgeOptions) {
    this.#options = options;
  }

  async onCall(session: BundleSession, method: string, params: unknown): Promise<unknown> {
    const { registry } = this.#options;
    switch (method) {
      case 'assets.read':
        return readForBundle(registry, checkMessage(BUNDLE_CALLS[method], method, params));
      case 'assets.write':
        return writeForBundle(registry, checkMessage(BUNDLE_CALLS[method], method, params));
      case 'driver.register':
        await this.#registerDriver(session, checkMessage(BUNDLE_CALLS[method], method, params));
        return undefined;
      case 'provider.register':
        this.#registerProvider(session, checkMessage(BUNDLE_CALLS[method], method, params));
        return undefined;
      default:
        throw new NotFound({ code: 'METHOD_UNKNOWN', detail: `there is no method ${method}` });
    }
  }

  onNote(session: BundleSession, method: string, params: unknown): void {
    if (method !== 'driver.lost') {
      throw new BundleError('BUNDLE_PROTOCOL_VIOLATED', `there is no method ${method}`);
    }
    const { instance, message } = checkMessage(BUNDLE_NOTES[method], method, params);
    this.#options.links.lose(session, instance, new BundleError('BUNDLE_CALL_FAILED', message));
  }

  onStop(session: BundleSession): void {
    for (const remove of this.#removals.get(session) ?? []) remove();
    this.#removals.delete(session);
  }

  onEnd(session: BundleSession): void {
    const { kinds, links } = this.#options;
    // Providers of a bundle that ended by itself, or that it registered after `onStop`.
    this.onStop(session);
    kinds.withdraw(session);
    links.loseAll(session, new BundleError('BUNDLE_ENDED', 'the bundle has ended'));
  }

  async #registerDriver(
    session: BundleSession,
    declared: BundleCallParams<'driver.register'>,
  ): Promise<void> {
    const { type, settings, address } = declared;
    await this.#options.kinds.register(session, { type, bundle: session.id.name, settings, address });
  }

  #registerProvider(session: BundleSession, declared: BundleCallParams<'provider.register'>): void {
    const { authenticator, identities } = this.#options;
    const removals = this.#removals.get(session) ?? [];
    if (removals.length >= MAXIMUM_PROVIDERS) {
      const detail = `a bundle has at most ${MAXIMUM_PROVIDERS} authentication providers`;
      throw new Conflict({ code: 'PROVIDERS_EXCEEDED', detail });
    }
    const provider = adaptCustomProvider(createBridgedProvider(session, declared), identities);
    this.#removals.set(session, [...removals, authenticator.add(provider)]);
  }
}
