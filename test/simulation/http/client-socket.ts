import type { Flow, FlowTarget } from './flow.ts';

/** Why nothing more comes on a connection: nobody listens, the gateway has closed it, or given it up, or the client has. */
export type EndOfConnection = 'REFUSED' | 'ENDED' | 'RESET' | 'CLOSED';

/** Receives what a connection brings to a client. */
export interface ClientSocketTarget {
  receive(chunk: Buffer): void;
  /** Called once. */
  receiveEnd(reason: EndOfConnection): void;
}

/** The client's end of a simulated connection; its bytes are the business of whoever holds it. */
export class ClientSocket implements FlowTarget {
  /** The address from which the gateway sees the client. */
  readonly address: string;
  readonly #toServer: () => Flow;
  readonly #fromServer: () => Flow;
  #target: ClientSocketTarget | undefined;
  #end: EndOfConnection | undefined;

  constructor(options: {
    readonly address: string;
    readonly toServer: () => Flow;
    readonly fromServer: () => Flow;
  }) {
    this.address = options.address;
    this.#toServer = options.toServer;
    this.#fromServer = options.fromServer;
  }

  /** Why nothing more comes; undefined while the connection is open. */
  get ended(): EndOfConnection | undefined {
    return this.#end;
  }

  /** Says who receives what comes; nothing can have come when it is called at once. */
  set target(target: ClientSocketTarget) {
    this.#target = target;
  }

  write(bytes: Buffer): void {
    this.#toServer().send(bytes);
  }

  /** Sends nothing more, and goes on reading. */
  end(): void {
    this.#toServer().end();
  }

  /** Neither sends nor reads any more. */
  close(): void {
    this.#toServer().end();
    this.#finish('CLOSED');
    this.#fromServer().resume();
  }

  /** Gives the connection up, whatever is still on the way. */
  reset(): void {
    this.#toServer().reset();
    this.#finish('CLOSED');
  }

  /** Reads nothing for now; the gateway can send until the buffers on the way are full. */
  pauseReading(): void {
    this.#fromServer().pause();
  }

  resumeReading(): void {
    this.#fromServer().resume();
  }

  /** Called by the port that is not open. */
  refuse(): void {
    this.#finish('REFUSED');
  }

  receive(chunk: Buffer): void {
    // Nobody is there any more to take it.
    if (this.#end === 'CLOSED') this.#toServer().reset();
    else if (this.#end === undefined) this.#target?.receive(chunk);
  }

  receiveEnd(): void {
    this.#finish('ENDED');
    this.#toServer().end();
  }

  receiveReset(): void {
    this.#finish('RESET');
  }

  #finish(reason: EndOfConnection): void {
    if (this.#end !== undefined) return;
    this.#end = reason;
    this.#target?.receiveEnd(reason);
  }
}
