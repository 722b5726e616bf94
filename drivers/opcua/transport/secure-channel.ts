import { toReasons } from '../../../daemon/base/errors.ts';
import { ExplainedError } from '../../../daemon/base/fault-reason.ts';
import type { EndpointDescription, UserIdentityInfo } from 'node-opcua-client';
import type { Clock } from '../../../daemon/base/clock.ts';
import { GatewayError } from '../../../daemon/base/errors.ts';
import {
  ClosedByServer,
  InvalidResponse,
  LinkLost,
  NoResponse,
  ServiceRefused,
  explainLibraryFault,
  explainStatus,
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
  /** Never opened before. */
  readonly transport: ServiceTransport;
  readonly endpointUrl: string;
  readonly clock: Clock;
}

export interface CallOptions {
  /** Service name for messages: `Read`. */
  readonly service: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

// StatusCodes by which a server reports that the session or channel is gone.
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

/** A secure channel to a server and its services. It is opened once; a lost channel stays lost. */
export class SecureChannel {
  readonly #options: SecureChannelOptions;
  readonly #transport: ServiceTransport;
  /** Each entry aborts one outstanding call. */
  readonly #pending = new Set<(error: Error) => void>();
  #lastHeardMs = 0;
  readonly #lost = Promise.withResolvers<LinkLost>();

  constructor(options: SecureChannelOptions) {
    this.#options = options;
    this.#transport = options.transport;
  }

  /** True if calls are possible. */
  get isOpen(): boolean {
    return this.#transport.isOpen;
  }

  /** Resolves when the channel is lost or closed. */
  get lost(): Promise<LinkLost> {
    return this.#lost.promise;
  }

  /**
   * Opens the channel; `close` aborts the attempt.
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

  /** Requests the endpoints of the server. */
  async getEndpoints(): Promise<readonly EndpointDescription[]> {
    try {
      return await this.#transport.getEndpoints();
    } catch (error) {
      throw this.#toLibraryLoss('GetEndpoints', error);
    }
  }

  /** Creates a session; later calls belong to it. */
  async createSession(identity: UserIdentityInfo): Promise<TransportSession> {
    try {
      return await this.#transport.createSession(identity);
    } catch (error) {
      throw this.#toServiceError('CreateSession', error);
    }
  }

  /**
   * Activates a session that was created over another channel; later calls belong to it.
   *
   * @throws {ServiceRefused} the server does not have the session or denies it to this channel, which stays open
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
   * Sends a request and waits for its response.
   *
   * @throws {NoResponse} the server is reachable but did not respond to this request
   * @throws {ServiceRefused} the server returned a bad StatusCode
   * @throws {InvalidResponse} the response belongs to another service
   * @throws {LinkLost} the channel or session is gone, or nothing was received since the request
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
      const noAnswer = new NoResponse(service, timeoutMs);
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

  /** Fails the outstanding calls; the channel stays open. */
  endCalls(reason: Error): void {
    for (const reject of this.#pending) reject(this.#toLinkLost(reason));
  }

  /** Closes the connection at once; outstanding calls fail with `LinkLost`. */
  close(reason: Error = new Error('it was closed')): void {
    this.#transport.close(reason);
    this.#lost.resolve(this.#toLinkLost(reason));
  }

  /** Releases all resources after the connection was closed. */
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
    throw new InvalidResponse(`it does not belong to ${service}`);
  }

  #toServiceError(service: string, error: unknown): Error {
    const status = this.#findStatus(error);
    return status === undefined ? this.#toLibraryLoss(service, error) : this.#toRefusal(service, status);
  }

  #findStatus(error: unknown): string | undefined {
    const { response } = error as { readonly response?: ServiceResponse };
    return response?.responseHeader.serviceResult.name ?? this.#findStatusInText(error);
  }

  // For a refused session the library provides only a text.
  #findStatusInText(error: unknown): string | undefined {
    return this.#transport.closeReason === undefined ? findStatusInText(error) : undefined;
  }

  #toRefusal(service: string, status: string): Error {
    if (!LINK_STATUSES.has(status)) return new ServiceRefused(service, status);
    this.close(new ExplainedError([explainStatus(status)]));
    return new LinkLost(this.#options.endpointUrl, [explainStatus(status)], { status, isCutOff: true });
  }

  // The library's own texts do not help operators.
  #toLibraryLoss(service: string, error: unknown): LinkLost {
    const isKnown = error instanceof GatewayError || this.#transport.closeReason !== undefined;
    if (isKnown) return this.#toLinkLost(error);
    return this.#toLinkLost(new ExplainedError([explainLibraryFault(error, service)], { cause: error }));
  }

  // The library rewrites connection errors; the actual cause is known here.
  #toLinkLost(error: unknown): LinkLost {
    if (error instanceof LinkLost) return error;
    const reason = this.#transport.closeReason ?? error;
    // A silent server would cost the same time again.
    const isCutOff = !(reason instanceof NoResponse);
    const isClosedByServer = reason instanceof ClosedByServer;
    return new LinkLost(this.#options.endpointUrl, toReasons(reason), {
      cause: error,
      isCutOff,
      isClosedByServer,
    });
  }
}
