import type { EndpointDescription, UserIdentityInfo } from 'node-opcua-client';
import type { Clock } from '../../../daemon/base/clock.ts';
import { GatewayError } from '../../../daemon/base/errors.ts';
import {
  InvalidAnswer,
  LinkLost,
  NoAnswer,
  ServiceRefused,
  describeLibraryFault,
  findStatusInText,
} from '../opcua-errors.ts';
import type {
  ServiceRequest,
  ServiceResponse,
  ServiceTransport,
  TransportSession,
} from './service-transport.ts';
import { severityOf } from '../value/status.ts';

export interface SecureChannelOptions {
  /** One that was never opened. */
  readonly transport: ServiceTransport;
  readonly endpointUrl: string;
  readonly clock: Clock;
}

export interface CallOptions {
  /** Name of the service, for messages: `Read`. */
  readonly service: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

// With these a server reports that it no longer knows the session or the channel.
const LINK_STATUSES: ReadonlySet<string> = new Set([
  'BadSessionIdInvalid',
  'BadSessionClosed',
  'BadSessionNotActivated',
  'BadSecureChannelClosed',
  'BadSecureChannelIdInvalid',
  'BadSecureChannelTokenUnknown',
  'BadConnectionClosed',
  'BadServerHalted',
  'BadShutdown',
]);

/** A secure channel to a server, and the services that are called over it. It is opened once; a lost one stays lost. */
export class SecureChannel {
  readonly #options: SecureChannelOptions;
  readonly #transport: ServiceTransport;
  /** Ends one call each that is under way. */
  readonly #pending = new Set<(error: Error) => void>();
  #lastHeardMs = 0;
  readonly #lost = Promise.withResolvers<LinkLost>();

  constructor(options: SecureChannelOptions) {
    this.#options = options;
    this.#transport = options.transport;
  }

  /** Whether calls can be made. */
  get isOpen(): boolean {
    return this.#transport.isOpen;
  }

  /** Resolves when the channel is lost or closed. */
  get lost(): Promise<LinkLost> {
    return this.#lost.promise;
  }

  /**
   * Opens the channel; `close` ends the attempt at once.
   *
   * @throws {LinkLost}
   */
  async open(): Promise<void> {
    const { clock } = this.#options;
    try {
      await this.#transport.open({
        onHeard: () => {
          this.#lastHeardMs = clock.monotonicMs();
        },
        onClose: (reason) => this.#lost.resolve(this.#toLinkLost(reason)),
      });
    } catch (error) {
      throw this.#toLibraryLoss('OpenSecureChannel', error);
    }
  }

  /** Asks how the server can be spoken to. */
  async getEndpoints(): Promise<readonly EndpointDescription[]> {
    try {
      return await this.#transport.getEndpoints();
    } catch (error) {
      throw this.#toLibraryLoss('GetEndpoints', error);
    }
  }

  /** Creates a session; the calls that follow belong to it. */
  async createSession(identity: UserIdentityInfo): Promise<TransportSession> {
    try {
      return await this.#transport.createSession(identity);
    } catch (error) {
      throw this.#toServiceError('CreateSession', error);
    }
  }

  /**
   * Activates a session that was created over another channel; the calls that follow belong to it.
   *
   * @throws {ServiceRefused} the server does not have the session, or denies it to this channel, which stays open
   * @throws {LinkLost}
   */
  async activateSession(session: TransportSession): Promise<void> {
    try {
      await this.#transport.activateSession(session);
    } catch (error) {
      const status = this.#findStatus(error);
      throw status === undefined
        ? this.#toLibraryLoss('ActivateSession', error)
        : new ServiceRefused('ActivateSession', status);
    }
  }

  /**
   * Sends a request and waits for its answer.
   *
   * @throws {NoAnswer} the server is there and did not answer this request
   * @throws {ServiceRefused} the server answered with a bad StatusCode
   * @throws {InvalidAnswer} the server answered as if another service was called
   * @throws {LinkLost} the channel or the session is gone; also when nothing came from the server since the request
   * @throws the reason of the signal
   */
  call<Response extends ServiceResponse>(
    request: ServiceRequest,
    expected: abstract new () => Response,
    { service, timeoutMs, signal }: CallOptions,
  ): Promise<Response> {
    const { clock } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const startMs = clock.monotonicMs();
    const onAbort = (): void => reject(signal?.reason as Error);
    const cancel = clock.schedule(timeoutMs, () => {
      const noAnswer = new NoAnswer(service, timeoutMs);
      if (this.#lastHeardMs < startMs) this.close(noAnswer);
      reject(this.#lastHeardMs < startMs ? this.#toLinkLost(noAnswer) : noAnswer);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#pending.add(reject);
    try {
      signal?.throwIfAborted();
      if (!this.#transport.isOpen) throw this.#toLinkLost(new Error('it is closed'));
      this.#transport.send(request, timeoutMs, (error, response) => {
        try {
          resolve(this.#checkResponse(service, expected, error, response));
        } catch (refusal) {
          reject(refusal);
        }
      });
    } catch (error) {
      reject(error);
    }
    return promise.finally(() => {
      cancel();
      this.#pending.delete(reject);
      signal?.removeEventListener('abort', onAbort);
    });
  }

  /** Ends the calls that are under way; the channel stays. */
  endCalls(reason: Error): void {
    for (const reject of this.#pending) reject(this.#toLinkLost(reason));
  }

  /** Ends the connection at once; calls under way end with `LinkLost`. */
  close(reason: Error = new Error('it was closed')): void {
    this.#transport.close(reason);
    this.#lost.resolve(this.#toLinkLost(reason));
  }

  /** Releases all resources, after the connection has ended. */
  async dispose(): Promise<void> {
    this.close();
    await this.#transport.dispose();
  }

  #checkResponse<Response extends ServiceResponse>(
    service: string,
    expected: abstract new () => Response,
    error: Error | null,
    response: ServiceResponse | undefined,
  ): Response {
    if (error !== null) throw this.#toServiceError(service, error);
    const result = response?.responseHeader.serviceResult;
    if (result !== undefined && severityOf(result.value) === 'BAD')
      throw this.#toRefusal(service, result.name);
    if (response instanceof expected) return response;
    throw new InvalidAnswer(`it does not belong to ${service}`);
  }

  #toServiceError(service: string, error: unknown): Error {
    const status = this.#findStatus(error);
    return status === undefined ? this.#toLibraryLoss(service, error) : this.#toRefusal(service, status);
  }

  #findStatus(error: unknown): string | undefined {
    const { response } = error as { readonly response?: ServiceResponse };
    return response?.responseHeader.serviceResult.name ?? this.#findStatusInText(error);
  }

  // Of a session that is refused the library passes on a text alone.
  #findStatusInText(error: unknown): string | undefined {
    return this.#transport.closeReason === undefined ? findStatusInText(error) : undefined;
  }

  #toRefusal(service: string, status: string): Error {
    if (!LINK_STATUSES.has(status)) return new ServiceRefused(service, status);
    this.close(new Error(status));
    return new LinkLost(this.#options.endpointUrl, status, { status, isCutOff: true });
  }

  // Its own texts are no help to those who set up a driver.
  #toLibraryLoss(service: string, error: unknown): LinkLost {
    const isKnown = error instanceof GatewayError || this.#transport.closeReason !== undefined;
    if (isKnown) return this.#toLinkLost(error);
    return this.#toLinkLost(new Error(describeLibraryFault(error, service), { cause: error }));
  }

  // The library rewrites the errors of the connection; its true cause is known here.
  #toLinkLost(error: unknown): LinkLost {
    if (error instanceof LinkLost) return error;
    const reason = this.#transport.closeReason ?? error;
    const text = reason instanceof Error ? reason.message : String(reason);
    // A server that is silent would cost the same time once more.
    const isCutOff = !(reason instanceof NoAnswer);
    return new LinkLost(this.#options.endpointUrl, text, { cause: error, isCutOff });
  }
}
