import type { Clock } from '../../../base/clock.ts';
import { GatewayError, messageOf } from '../../../base/errors.ts';
import { BundleError } from '../bundle-error.ts';
import { parseEnvelope } from './envelope.ts';
import type { Envelope } from './envelope.ts';

/** Serves the calls and notifications of the peer. */
export interface MessageHandler {
  /**
   * Handles a call.
   *
   * @param signal aborts when the peer cancels the call
   * @throws {GatewayError} whose code and detail the peer receives; of any other error it receives the message
   */
  onCall(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  /** Handles a message without a response. */
  onNotification(method: string, params: unknown): void;
}

interface MessagePeerOptions {
  /** @throws {BundleError} when the message cannot be sent */
  readonly send: (message: string) => void;
  readonly handler: MessageHandler;
  readonly clock: Clock;
}

export interface CallOptions {
  readonly deadlineMs: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined;
  /** Sent even when too many calls are pending. */
  readonly isUrgent?: boolean | undefined;
}

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: BundleError) => void;
}

/** Maximum number of pending calls in one direction. */
export const MAXIMUM_CALLS = 256;

/** Makes and serves calls between gateway and bundle. Each call has an id and a deadline, and ends with the link. */
export class MessagePeer {
  readonly #options: MessagePeerOptions;
  readonly #pending = new Map<number, PendingCall>();
  readonly #served = new Map<number, AbortController>();
  #lastId = 0;
  #end: BundleError | undefined;

  constructor(options: MessagePeerOptions) {
    this.#options = options;
  }

  /**
   * Calls the peer.
   *
   * @throws {BundleError} `BUNDLE_CALL_TIMEOUT`, `BUNDLE_CALL_CANCELLED`, `BUNDLE_ENDED`, `BUNDLE_OVERLOADED`;
   *   `BUNDLE_CALL_FAILED` with the message of the error that the peer threw, and its code as cause
   */
  async call(
    method: string,
    params: unknown,
    { deadlineMs, signal, isUrgent = false }: CallOptions,
  ): Promise<unknown> {
    if (this.#end !== undefined) throw this.#end;
    if (signal?.aborted === true) throw cancelled(method);
    if (this.#pending.size >= MAXIMUM_CALLS && !isUrgent) {
      throw new BundleError('BUNDLE_OVERLOADED', 'too many calls are pending');
    }
    const id = (this.#lastId += 1);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const giveUp = (error: BundleError): void => {
      this.#trySend({ kind: 'cancel', id });
      reject(error);
    };
    const cancelDeadline = this.#options.clock.schedule(deadlineMs, () =>
      giveUp(new BundleError('BUNDLE_CALL_TIMEOUT', `no answer to ${method} within ${deadlineMs} ms`)),
    );
    const onAbort = (): void => giveUp(cancelled(method));
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#pending.set(id, { resolve, reject });
    try {
      this.#send({ kind: 'call', id, method, params });
      return await promise;
    } finally {
      this.#pending.delete(id);
      cancelDeadline();
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Sends a notification to the peer; it is dropped if it cannot be sent. */
  notify(method: string, params: unknown): void {
    this.#trySend({ kind: 'note', method, params });
  }

  /**
   * Handles one message.
   *
   * @throws {BundleError} `BUNDLE_PROTOCOL_VIOLATED` when it is not valid
   */
  receive(frame: Buffer): void {
    const envelope = parseEnvelope(frame);
    switch (envelope.kind) {
      case 'note':
        this.#options.handler.onNotification(envelope.method, envelope.params);
        return;
      case 'call':
        this.#serve(envelope.id, envelope.method, envelope.params);
        return;
      case 'cancel':
        this.#served.get(envelope.id)?.abort(cancelled('it'));
        return;
      // A response to a call that is no longer pending is ignored.
      case 'result':
        this.#pending.get(envelope.id)?.resolve(envelope.value);
        return;
      case 'error': {
        const failure = new BundleError('BUNDLE_CALL_FAILED', envelope.message, envelope.code);
        this.#pending.get(envelope.id)?.reject(failure);
      }
    }
  }

  /** Ends every pending and every later call with this error. */
  end(error: BundleError): void {
    if (this.#end !== undefined) return;
    this.#end = error;
    for (const { reject } of this.#pending.values()) reject(error);
    for (const controller of this.#served.values()) controller.abort(error);
  }

  #serve(id: number, method: string, params: unknown): void {
    if (this.#served.has(id)) {
      throw new BundleError('BUNDLE_PROTOCOL_VIOLATED', `call ${id} was sent twice`);
    }
    if (this.#served.size >= MAXIMUM_CALLS) {
      const message = 'too many calls are pending';
      this.#trySend({ kind: 'error', id, code: 'BUNDLE_OVERLOADED', message });
      return;
    }
    const controller = new AbortController();
    this.#served.set(id, controller);
    this.#answer(method, params, controller.signal)
      .then(
        (value) => this.#sendResult(id, value),
        (error: unknown) => this.#sendError(id, error),
      )
      .finally(() => this.#served.delete(id));
  }

  // `async`: an error thrown synchronously becomes a rejection as well.
  async #answer(method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    return this.#options.handler.onCall(method, params, signal);
  }

  #sendResult(id: number, value: unknown): void {
    try {
      this.#send({ kind: 'result', id, value });
    } catch (error) {
      this.#sendError(id, error);
    }
  }

  #sendError(id: number, thrown: unknown): void {
    const code = thrown instanceof GatewayError ? thrown.code : 'BUNDLE_CALL_FAILED';
    this.#trySend({ kind: 'error', id, code, message: messageOf(thrown).slice(0, 1000) });
  }

  #send(envelope: Envelope): void {
    if (this.#end !== undefined) throw this.#end;
    this.#options.send(JSON.stringify(envelope));
  }

  #trySend(envelope: Envelope): void {
    try {
      this.#send(envelope);
    } catch {
      // A closed or full link rejects its calls.
    }
  }
}

function cancelled(method: string): BundleError {
  return new BundleError('BUNDLE_CALL_CANCELLED', `${method} was cancelled`);
}
