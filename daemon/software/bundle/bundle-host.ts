import type { BundleId } from './bundle.ts';
import type { BundlePermissions } from './bundle-permissions.ts';
import type { CallOptions } from './message/message-peer.ts';
import type { BundleResult, GatewayCall, GatewayCallParams, GatewayNoteParams } from './message/messages.ts';

/** A running bundle, from its first message to its end. */
export interface BundleSession {
  readonly id: BundleId;
  /** What its manifest asks for, and the gateway grants. */
  readonly permissions: BundlePermissions;
  /**
   * Calls the bundle.
   *
   * @returns the answer, checked against its schema
   * @throws {BundleError} when there is no valid answer
   */
  call<M extends GatewayCall>(
    method: M,
    params: GatewayCallParams[M],
    options: CallOptions,
  ): Promise<BundleResult<M>>;
  /** Sends a note to the bundle; it is lost when it cannot be sent. */
  note<M extends keyof GatewayNoteParams>(method: M, params: GatewayNoteParams[M]): void;
}

/** Serves the calls and notes of bundles. */
export interface BundleHost {
  /**
   * Answers a call of a bundle; `params` has not been checked.
   *
   * @param signal aborts when the bundle cancels the call or has ended
   * @throws {GatewayError} that the bundle receives
   */
  onCall(session: BundleSession, method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  /** Handles a note; an invalid one throws a `BundleError`, which ends the bundle. */
  onNote(session: BundleSession, method: string, params: unknown): void;
  /** Called before the bundle is stopped, while it can still receive messages. */
  onStop(session: BundleSession): void;
  /** Called once, when the bundle has ended. */
  onEnd(session: BundleSession): void;
}
