import type { EndpointDescription, UserIdentityInfo } from 'node-opcua-client';
import { NodeId } from 'node-opcua-client';

import type {
  OnResponse,
  ServiceRequest,
  ServiceResponse,
  ServiceTransport,
  TransportEvents,
  TransportOptions,
  TransportSession,
} from '../../../../drivers/opcua/transport/service-transport.ts';
import type { Respond } from './answers.ts';
import type { ServerChannel } from './server-session.ts';
import type { SimulatedServer } from './simulated-server.ts';

type OnFailure = (error: Error) => void;

/** One connection to a simulated server: carries requests and answers in the time that they need. */
export class SimulatedTransport implements ServiceTransport, ServerChannel {
  readonly #options: TransportOptions;
  readonly #server: SimulatedServer;
  #events: TransportEvents | undefined;
  #state: 'NEW' | 'OPEN' | 'CLOSED' = 'NEW';
  #closeReason: Error | undefined;
  /** Ends what waits for an answer. */
  readonly #waiting = new Set<OnFailure>();
  #lastArrivalMs = 0;
  #lastReturnMs = 0;

  constructor(options: TransportOptions, server: SimulatedServer) {
    this.#options = options;
    this.#server = server;
  }

  open(events: TransportEvents): Promise<void> {
    this.#events = events;
    return this.#ask((resolve) => {
      this.#server.accept(this);
      this.#return(() => {
        this.#state = 'OPEN';
        resolve();
      });
    });
  }

  getEndpoints(): Promise<readonly EndpointDescription[]> {
    return this.#ask((resolve) => {
      const endpoints = this.#server.describeEndpoints(this.#options.endpointUrl);
      this.#return(() => resolve(endpoints));
    });
  }

  createSession(_identity: UserIdentityInfo): Promise<TransportSession> {
    return this.#ask((resolve, reject) => {
      const given = this.#server.createSession(this, this.#options.sessionTimeoutMs);
      this.#return(() => {
        // The library passes on no more than this of a session that is refused.
        if (typeof given === 'string') reject(new Error(`${given} (the session was refused)`));
        else resolve(toTransportSession(given));
      });
    });
  }

  activateSession({ authenticationToken }: TransportSession): Promise<void> {
    return this.#ask((resolve, reject) => {
      const refusal = this.#server.activateSession(this, Number(authenticationToken.value));
      this.#return(() => {
        if (refusal === undefined) resolve();
        else reject(toError(refusal));
      });
    });
  }

  get isOpen(): boolean {
    return this.#state === 'OPEN';
  }

  get isAlive(): boolean {
    return this.#state !== 'CLOSED';
  }

  send(request: ServiceRequest, _timeoutMs: number, onResponse: OnResponse): void {
    const onFailure: OnFailure = (error) => onResponse(error);
    this.#waiting.add(onFailure);
    const respond: Respond = (response) => {
      this.#return(() => {
        this.#waiting.delete(onFailure);
        const refusal = toRefusal(response);
        if (refusal === undefined) onResponse(null, response);
        else onResponse(refusal);
      });
    };
    this.#carry(() => this.#server.handle(this, request, respond));
  }

  close(reason: Error): void {
    if (this.#state === 'CLOSED') return;
    this.#closeReason = reason;
    this.#end(reason);
  }

  get closeReason(): Error | undefined {
    return this.#closeReason;
  }

  dispose(): Promise<void> {
    this.#end(new Error('the connection was closed'));
    return Promise.resolve();
  }

  /** Ends the connection from the side of the server, or on the way. */
  cut(reason: string): void {
    this.close(new Error(reason));
  }

  #end(reason: Error): void {
    if (this.#state === 'CLOSED') return;
    const wasOpen = this.#state === 'OPEN';
    this.#state = 'CLOSED';
    this.#server.release(this);
    for (const fail of this.#waiting) fail(reason);
    this.#waiting.clear();
    if (wasOpen) this.#events?.onClose(reason);
  }

  #ask<T>(work: (resolve: (result: T) => void, reject: OnFailure) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#state === 'CLOSED') return reject(new Error('the connection was closed'));
      this.#waiting.add(reject);
      const end = (): void => void this.#waiting.delete(reject);
      this.#carry(() =>
        work(
          (result) => {
            end();
            resolve(result);
          },
          (error) => {
            end();
            reject(error);
          },
        ),
      );
    });
  }

  // What is sent over one connection arrives in order.
  #carry(work: () => void): void {
    const { time } = this.#server;
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, time.monotonicMs() + this.#server.drawLatencyMs());
    time.schedule(this.#lastArrivalMs - time.monotonicMs(), () => this.#server.receive(this, work));
  }

  #return(onArrival: () => void): void {
    const { time } = this.#server;
    const delayMs = this.#server.drawLatencyMs() + this.#server.drawDelayMs();
    const arrivalMs = time.monotonicMs() + delayMs;
    this.#lastReturnMs = this.#server.isShuffled ? arrivalMs : Math.max(this.#lastReturnMs, arrivalMs);
    time.schedule(this.#lastReturnMs - time.monotonicMs(), () => {
      this.#server.deliver(() => {
        if (this.#state === 'CLOSED') return;
        this.#events?.onHeard();
        onArrival();
      });
    });
  }
}

function toTransportSession({
  token,
  timeoutMs,
}: {
  readonly token: number;
  readonly timeoutMs: number;
}): TransportSession {
  return { authenticationToken: new NodeId(NodeId.NodeIdType.NUMERIC, token, 0), timeout: timeoutMs };
}

// As the library: an answer that is a fault comes as an error that has it.
function toRefusal(response: ServiceResponse): Error | undefined {
  return response.schema.name === 'ServiceFault' ? toError(response) : undefined;
}

function toError(response: ServiceResponse): Error {
  return Object.assign(new Error('the server refused'), { response });
}
