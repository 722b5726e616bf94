import type { BundleId } from './bundle.ts';
import type { CallOptions } from './message-peer.ts';
import type { BundleResult, GatewayCall, GatewayCallParams, GatewayNoteParams } from './messages.ts';

/** A running bundle, from its first message to its end. */
export interface BundleSession {
  readonly id: BundleId;
  /**
   * Asks the bundle.
   *
   * @returns what it answered, in the shape that it has to have
   * @throws {BundleError} when there is no such answer, for whatever reason
   */
  call<M extends GatewayCall>(
    method: M,
    params: GatewayCallParams[M],
    options: CallOptions,
  ): Promise<BundleResult<M>>;
  /** Tells the bundle something; what cannot be sent is lost. */
  note<M extends keyof GatewayNoteParams>(method: M, params: GatewayNoteParams[M]): void;
}

/** What bundles talk to. */
export interface BundleHost {
  /**
   * Answers a bundle; nothing of `params` has been checked.
   *
   * @param signal aborts when the bundle wants no answer any more, or has ended
   * @throws {GatewayError} that the bundle gets to see
   */
  onCall(session: BundleSession, method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  /** Takes note; what is not understood throws `BundleError` and ends the bundle. */
  onNote(session: BundleSession, method: string, params: unknown): void;
  /** Called when the bundle is about to be stopped, as long as it can still be told something. */
  onStop(session: BundleSession): void;
  /** Called once, when the bundle has ended. */
  onEnd(session: BundleSession): void;
}
