import { Conflict } from '../../base/errors.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { BundleId } from '../bundle/bundle.ts';
import type { BundleSession } from '../bundle/bundle-host.ts';
import type { BundleCallParams } from '../bundle/message/messages.ts';
import type { Authenticator } from '../../security/identity/authenticator.ts';
import { adaptCustomProvider } from '../../security/identity/provider/custom-provider.ts';
import type { IdentityStore } from '../../security/identity/identity-store.ts';
import { ProviderCircuitBreaker } from '../../security/identity/provider/provider-circuit-breaker.ts';
import type { ProviderState } from '../../security/identity/provider/provider-circuit-breaker.ts';
import { createBridgedProvider, nameProvider } from './bridged-provider.ts';
import type { RefusedIdentity } from './bridged-provider.ts';

interface ProviderRegistryOptions {
  readonly authenticator: Pick<Authenticator, 'add'>;
  readonly identities: Pick<IdentityStore, 'find'>;
  /** Called for each response with an identity that the provider may not name. */
  readonly onRefused: (refused: RefusedIdentity) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Authentication provider of a bundle, for operators. */
export interface ListedProvider extends ProviderState {
  readonly bundle: BundleId;
  /** Number of the provider among those of its bundle, from 1. */
  readonly provider: number;
  readonly priority: number;
  /** Names of the headers that it receives, in lower case. */
  readonly headers: readonly string[];
}

interface Registration {
  readonly declared: BundleCallParams<'provider.register'>;
  readonly circuitBreaker: ProviderCircuitBreaker;
  readonly remove: () => void;
}

const MAXIMUM_PROVIDERS = 8;

/** Authentication providers of the running bundles. */
export class ProviderRegistry {
  readonly #options: ProviderRegistryOptions;
  readonly #registrations = new Map<BundleSession, readonly Registration[]>();
  // Identities that a bundle named without permission: each is logged once.
  readonly #refused = new WeakMap<BundleSession, Set<string>>();

  constructor(options: ProviderRegistryOptions) {
    this.#options = options;
  }

  /**
   * Adds a provider to the chain.
   *
   * @throws {NotPermitted} `BUNDLE_PERMISSION_MISSING`
   * @throws {Conflict} `PROVIDERS_EXCEEDED`
   */
  register(session: BundleSession, declared: BundleCallParams<'provider.register'>): void {
    const { authenticator, identities, clock, logger } = this.#options;
    const present = this.#registrations.get(session) ?? [];
    const circuitBreaker = new ProviderCircuitBreaker({ name: nameProvider(session), clock, logger });
    const onRefused = (refused: RefusedIdentity): void => this.#refuse(session, refused);
    const provider = createBridgedProvider(session, declared, { circuitBreaker, onRefused });
    if (present.length >= MAXIMUM_PROVIDERS) {
      const detail = `a bundle has at most ${MAXIMUM_PROVIDERS} authentication providers`;
      throw new Conflict({ code: 'PROVIDERS_EXCEEDED', detail });
    }
    const remove = authenticator.add(adaptCustomProvider(provider, identities));
    this.#registrations.set(session, [...present, { declared, circuitBreaker, remove }]);
  }

  /** Removes the providers of a bundle from the chain. */
  removeAll(session: BundleSession): void {
    for (const { remove } of this.#registrations.get(session) ?? []) remove();
    this.#registrations.delete(session);
  }

  /** Lists the providers in the order of their registration. */
  list(): readonly ListedProvider[] {
    return [...this.#registrations].flatMap(([{ id: bundle }, registrations]) =>
      registrations.map(({ declared: { priority, headers }, circuitBreaker }, index) => ({
        bundle,
        provider: index + 1,
        priority,
        headers,
        ...circuitBreaker.condition(),
      })),
    );
  }

  #refuse(session: BundleSession, refused: RefusedIdentity): void {
    const { onRefused, logger } = this.#options;
    onRefused(refused);
    const { provider, identity } = refused;
    const known = this.#refused.get(session) ?? new Set();
    this.#refused.set(session, known);
    if (known.has(identity.id)) return;
    known.add(identity.id);
    const reason = 'its bundle may name only identities with permissions for assets';
    logger.warn('authentication.identityRefused', { provider, identity: identity.name, reason });
  }
}
