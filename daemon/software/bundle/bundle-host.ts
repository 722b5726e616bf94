import type { Bundle, BundleId } from './bundle.ts';
import type { BundleError } from './bundle-error.ts';
import type { BundlePermissions } from './bundle-permissions.ts';
import type { CallOptions } from './message/message-peer.ts';
import type {
  ActivationContext,
  BundleNotificationParams,
  BundleResult,
  GatewayCall,
  GatewayCallParams,
  GatewayNotificationParams,
} from './message/messages.ts';

/** Running bundle, from its first message to its end. */
export interface BundleSession {
  readonly id: BundleId;
  /** Permissions that its manifest requests and the gateway grants. */
  readonly permissions: BundlePermissions;
  /**
   * Calls the bundle.
   *
   * @returns the response, checked against its schema
   * @throws {BundleError} if there is no valid response
   */
  call<M extends GatewayCall>(
    method: M,
    params: GatewayCallParams[M],
    options: CallOptions,
  ): Promise<BundleResult<M>>;
  /** Sends a notification to the bundle; it is dropped if it cannot be sent. */
  notify<M extends keyof GatewayNotificationParams>(method: M, params: GatewayNotificationParams[M]): void;
}

/** Part of the activation context that the host provides. */
export type HostContext = Pick<ActivationContext, 'gateway' | 'settings'>;

/** Outcome of a change of settings while a bundle runs. */
export type SettingsOutcome =
  | { readonly state: 'PENDING' | 'ACCEPTED' }
  | { readonly state: 'REFUSED'; readonly detail: string };

/** What a bundle says of itself. */
export type ReportedStatus = BundleNotificationParams<'status'>;

/** What is known of a bundle that runs. */
export interface RunningReport {
  /** What it has last said of itself; undefined: nothing. */
  readonly report?: ReportedStatus | undefined;
  /** Outcome of the last change of its settings; undefined: there was none since it started. */
  readonly settings?: SettingsOutcome | undefined;
}

/** Serves the calls and notifications of bundles. */
export interface BundleHost {
  /**
   * Admits a bundle that is about to start.
   *
   * @returns the reason that it has to wait; undefined: it can start
   */
  admit(bundle: Bundle): BundleError | undefined;
  /**
   * Returns its part of the activation context.
   *
   * @throws {BundleError} `BUNDLE_SETTINGS_INVALID`
   */
  contextOf(session: BundleSession, bundle: Bundle): HostContext;
  /** Returns what is known of a bundle that runs. */
  reportOf(session: BundleSession): RunningReport;
  /**
   * Handles a call of a bundle; `params` has not been checked.
   *
   * @param signal aborts when the bundle cancels the call or has ended
   * @throws {GatewayError} that the bundle receives
   */
  onCall(session: BundleSession, method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  /** Handles a notification; an invalid one throws a `BundleError`, which ends the bundle. */
  onNotification(session: BundleSession, method: string, params: unknown): void;
  /** Called before the bundle is stopped, while it can still receive messages. */
  onStop(session: BundleSession): void;
  /** Called once, when the bundle has ended. */
  onEnd(session: BundleSession): void;
  /** Removes what the host keeps for an uninstalled bundle. */
  removeData(name: string): Promise<void>;
}
