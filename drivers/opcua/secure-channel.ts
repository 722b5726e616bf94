import type {
  ClientSecureChannelLayer,
  ClientSession,
  EndpointDescription,
  OPCUAClient,
  UserIdentityInfo,
} from 'node-opcua-client';

import { createLibraryClient } from './library-client.ts';
import type { SecureChannelOptions } from './library-client.ts';
import { InvalidAnswer, LinkLost, NoAnswer, ServiceRefused } from './opcua-errors.ts';
import { OpcuaTransport } from './opcua-transport.ts';
import { severityOf } from './status.ts';

/** A request of the library, before it is sent. */
export type ServiceRequest = Parameters<ClientSecureChannelLayer['performMessageTransaction']>[0];
/** An answer of the library. */
export type ServiceResponse = Parameters<
  Parameters<ClientSecureChannelLayer['performMessageTransaction']>[1]
>[1] & {};

export interface CallOptions {
  /** Name of the service, for messages: `Read`. */
  readonly service: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

// The library has its own timers. They only have to expire after ours, by which a call has long ended.
const LIBRARY_GRACE_MS = 30_000;

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
  readonly #client: OPCUAClient;
  readonly #transport: OpcuaTransport;
  #layer: ClientSecureChannelLayer | undefined;
  /** Ends one call each that is under way. */
  readonly #pending = new Set<(error: Error) => void>();
  #lastHeardMs = 0;
  readonly #lost = Promise.withResolvers<LinkLost>();

  constructor(options: SecureChannelOptions) {
    this.#options = options;
    this.#transport = new OpcuaTransport(options.library);
    this.#transport.on('chunk', () => {
      this.#lastHeardMs = options.clock.monotonicMs();
    });
    this.#client = createLibraryClient(options, this.#transport);
    this.#client.on('secure_channel_created', (layer) => {
      this.#layer = layer;
    });
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
    this.#transport.once('close', (reason: Error) => this.#lost.resolve(this.#toLinkLost(reason)));
    try {
      await this.#client.connect(this.#options.endpointUrl);
    } catch (error) {
      throw this.#toLinkLost(error);
    }
  }

  /** Asks how the server can be spoken to. */
  async getEndpoints(): Promise<readonly EndpointDescription[]> {
    try {
      return await this.#client.getEndpoints();
    } catch (error) {
      throw this.#toLinkLost(error);
    }
  }

  /** Creates a session; the calls that follow belong to it. */
  async createSession(identity: UserIdentityInfo): Promise<ClientSession> {
    try {
      return await this.#client.createSession(identity);
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
  async activateSession(session: ClientSession): Promise<void> {
    try {
      await this.#client.reactivateSession(session);
    } catch (error) {
      const status = this.#findStatus(error);
      throw status === undefined ? this.#toLinkLost(error) : new ServiceRefused('ActivateSession', status);
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
      this.#send(request, timeoutMs, (error, response) => {
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

  /** Releases the resources of the library, after the connection has ended. */
  async dispose(): Promise<void> {
    this.close();
    await this.#client.disconnect().catch(() => undefined);
  }

  #send(
    request: ServiceRequest,
    timeoutMs: number,
    callback: (error: Error | null, response?: ServiceResponse) => void,
  ): void {
    const layer = this.#layer;
    if (layer === undefined || !this.#transport.isValid()) throw this.#toLinkLost(new Error('it is closed'));
    request.requestHeader.timeoutHint = timeoutMs + LIBRARY_GRACE_MS;
    layer.performMessageTransaction(request, (error, response) => callback(error, response));
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
    return status === undefined ? this.#toLinkLost(error) : this.#toRefusal(service, status);
  }

  #findStatus(error: unknown): string | undefined {
    const { response } = error as { readonly response?: ServiceResponse };
    return response?.responseHeader.serviceResult.name ?? this.#findStatusInText(error);
  }

  // Of a session that is refused the library passes on a text alone, which begins with the status.
  #findStatusInText(error: unknown): string | undefined {
    if (this.#transport.closeReason !== undefined || !(error instanceof Error)) return undefined;
    return /^(?:Error )?(Bad[A-Za-z]+)\b/.exec(error.message)?.[1];
  }

  #toRefusal(service: string, status: string): Error {
    if (!LINK_STATUSES.has(status)) return new ServiceRefused(service, status);
    this.close(new Error(status));
    return new LinkLost(this.#options.endpointUrl, status, { status, isCutOff: true });
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
