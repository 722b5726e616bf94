import type { AssetAccess } from '../../plant/access/asset-access.ts';
import { WriteEnding } from '../../plant/asset/write/write-ending.ts';
import type { Clock } from '../../base/clock.ts';
import { NotFound } from '../../base/errors.ts';
import { hidePaths } from '../../base/text/hide-paths.ts';
import type { Bundle } from '../bundle/bundle.ts';
import type { IdempotencyStore } from '../../security/idempotency/idempotency-store.ts';
import { BundleError } from '../bundle/bundle-error.ts';
import type {
  BundleHost,
  BundleSession,
  HostContext,
  ReportedStatus,
  RunningReport,
  SettingsOutcome,
} from '../bundle/bundle-host.ts';
import { BUNDLE_CALLS, BUNDLE_NOTIFICATIONS, checkMessage } from '../bundle/message/messages.ts';
import type { BundleCallParams } from '../bundle/message/messages.ts';
import { readForBundle } from './asset-calls.ts';
import { writeOnce } from './keyed-write.ts';
import type { BundleCallLog } from './asset-calls.ts';
import type { BundleSettings } from './bundle-settings.ts';
import type { BundleIdentities } from './bundle-identities.ts';
import type { DriverRegistry } from './driver-registry.ts';
import type { DriverLinks } from './driver-links.ts';
import type { BundleJournals } from './journal/bundle-journals.ts';
import type { ProviderRegistry } from './provider-registry.ts';

interface BundleBridgeOptions {
  readonly access: Pick<AssetAccess, 'open'>;
  readonly identities: BundleIdentities;
  readonly log: BundleCallLog;
  /** Keys of the writes of bundles. */
  readonly keys: IdempotencyStore;
  readonly kinds: DriverRegistry;
  readonly links: DriverLinks;
  readonly providers: ProviderRegistry;
  readonly journals: BundleJournals;
  readonly settings: BundleSettings;
  readonly gatewayName: string;
  /** Removes the cursors that a bundle has in the journal. */
  readonly removeCursors: (bundle: string) => Promise<void>;
  /** Milliseconds after which a call that writes ends. */
  readonly writeDeadlineMs: () => number;
  readonly clock: Clock;
}

/**
 * Connects bundles to the gateway: registers their drivers and authentication providers, and gives them access to assets and to what
 * is recorded.
 */
export class BundleBridge implements BundleHost {
  readonly #options: BundleBridgeOptions;
  readonly #reports = new Map<BundleSession, ReportedStatus>();
  readonly #settings = new Map<BundleSession, SettingsOutcome>();

  constructor(options: BundleBridgeOptions) {
    this.#options = options;
  }

  admit(bundle: Bundle): BundleError | undefined {
    return this.#options.settings.admit(bundle);
  }

  contextOf(session: BundleSession, bundle: Bundle): HostContext {
    const { gatewayName, settings } = this.#options;
    return { gateway: { name: gatewayName }, settings: settings.give(session, bundle) };
  }

  reportOf(session: BundleSession): RunningReport {
    return { report: this.#reports.get(session), settings: this.#settings.get(session) };
  }

  /** Sends changed settings to the bundles that run; one that does not take them has the status ERROR. */
  deliverSettings(): void {
    this.#options.settings.deliver((session, outcome) => {
      if (outcome.state !== 'REFUSED') {
        this.#settings.set(session, outcome);
        return;
      }
      const fault = hidePaths(outcome.detail);
      this.#settings.set(session, { state: 'REFUSED', detail: fault });
      const detail = `the new settings were not accepted: ${fault}`.slice(0, 200);
      this.#reports.set(session, { ...this.#reports.get(session), state: 'ERROR', detail });
    });
  }

  async onCall(
    session: BundleSession,
    method: string,
    params: unknown,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { access, identities, journals, log } = this.#options;
    switch (method) {
      case 'assets.read':
        return readForBundle(
          { access, log, caller: identities.callerOf(session) },
          checkMessage(BUNDLE_CALLS[method], method, params),
        );
      case 'assets.write':
        return this.#write(session, checkMessage(BUNDLE_CALLS[method], method, params), signal);
      case 'journal.tail':
        return journals.tail(session, checkMessage(BUNDLE_CALLS[method], method, params));
      case 'journal.acknowledged':
        return journals.acknowledged(session, checkMessage(BUNDLE_CALLS[method], method, params));
      case 'journal.read':
        return journals.read(session, checkMessage(BUNDLE_CALLS[method], method, params), signal);
      case 'journal.acknowledge':
        return journals.acknowledge(session, checkMessage(BUNDLE_CALLS[method], method, params));
      case 'journal.declare':
        return journals.declare(session, checkMessage(BUNDLE_CALLS[method], method, params));
      case 'journal.channels':
        return journals.channels(session, checkMessage(BUNDLE_CALLS[method], method, params));
      case 'driver.register':
        await this.#registerDriver(session, checkMessage(BUNDLE_CALLS[method], method, params));
        return undefined;
      case 'provider.register':
        this.#options.providers.register(session, checkMessage(BUNDLE_CALLS[method], method, params));
        return undefined;
      default:
        throw new NotFound({ code: 'METHOD_UNKNOWN', detail: `unknown method "${method}"` });
    }
  }

  onNotification(session: BundleSession, method: string, params: unknown): void {
    if (method === 'status') {
      this.#reports.set(session, checkMessage(BUNDLE_NOTIFICATIONS[method], method, params));
      return;
    }
    if (method !== 'driver.lost') {
      throw new BundleError('BUNDLE_PROTOCOL_VIOLATED', `unknown method "${method}"`);
    }
    const { instance, message } = checkMessage(BUNDLE_NOTIFICATIONS[method], method, params);
    this.#options.links.lose(
      session,
      instance,
      new BundleError('BUNDLE_CALL_FAILED', hidePaths(message), message),
    );
  }

  onStop(session: BundleSession): void {
    this.#options.providers.removeAll(session);
  }

  onEnd(session: BundleSession): void {
    const { kinds, links } = this.#options;
    // Providers of a bundle that exited without a stop, or that it registered after `onStop`.
    this.onStop(session);
    this.#options.settings.end(session);
    this.#reports.delete(session);
    this.#settings.delete(session);
    kinds.withdraw(session);
    links.loseAll(session, new BundleError('BUNDLE_ENDED', 'the bundle has ended'));
  }

  removeData(name: string): Promise<void> {
    return this.#options.removeCursors(name);
  }

  async #write(
    session: BundleSession,
    params: BundleCallParams<'assets.write'>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { access, identities, log, keys, writeDeadlineMs, clock } = this.#options;
    const ending = new WriteEnding(clock, writeDeadlineMs());
    const leave = (): void => ending.leave();
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      return await writeOnce(
        { access, log, keys, caller: identities.callerOf(session) },
        params,
        ending.signal,
      );
    } finally {
      signal.removeEventListener('abort', leave);
      ending.stop();
    }
  }

  async #registerDriver(
    session: BundleSession,
    declared: BundleCallParams<'driver.register'>,
  ): Promise<void> {
    const { type, settings, address } = declared;
    await this.#options.kinds.register(session, { type, bundle: session.id.name, settings, address });
  }
}
