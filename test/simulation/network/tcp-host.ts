import type { Clock } from '../../../daemon/base/clock.ts';
import type { Random } from '../world/random.ts';
import type { PathConditions } from './byte-pipe.ts';
import { TcpConnection } from './tcp-connection.ts';
import type { DeviceEnd, DeviceEvents, GatewayEvents } from './tcp-connection.ts';

/** What a device does when it has as many connections as it takes. */
export type WhenFull = 'REFUSE' | 'IGNORE' | 'CLOSE_OLDEST';

export interface TcpHostOptions {
  /** Takes a connection; called when it is established. */
  readonly accept: (end: DeviceEnd) => DeviceEvents;
  readonly latencyMs?: number;
  readonly bytesPerMs?: number;
  readonly cutProbability?: number;
  readonly maximumConnections?: number;
  readonly whenFull?: WhenFull;
}

export interface TcpHostParts {
  readonly time: Pick<Clock, 'monotonicMs' | 'schedule'>;
  readonly random: Random;
}

/** A name and port at which a device takes connections, and the way there. */
export class TcpHost {
  readonly #options: TcpHostOptions;
  readonly #parts: TcpHostParts;
  /** The conditions of the way; may be changed at any time, except for `isInterrupted`. */
  readonly path: PathConditions;
  /** Of which the device knows, oldest first. */
  #connections: readonly TcpConnection[] = [];
  /** Whether a service listens; without one a connection is refused. */
  isListening = true;
  #isTakenByOthers = false;
  #whenTaken: WhenFull = 'REFUSE';

  constructor(options: TcpHostOptions, parts: TcpHostParts) {
    this.#options = options;
    this.#parts = parts;
    const { latencyMs = 0.5, bytesPerMs = 0, cutProbability = 0 } = options;
    this.path = { latencyMs, bytesPerMs, cutProbability, isInterrupted: false };
  }

  /** Whether a packet comes through and anybody is there. */
  get isReachable(): boolean {
    return !this.path.isInterrupted;
  }

  /** Connections of which the device knows. */
  get connectionCount(): number {
    return this.#connections.length;
  }

  /** Establishes a connection; undefined when the device refuses it. */
  connect(gateway: GatewayEvents): TcpConnection | undefined {
    const { accept, maximumConnections = Number.POSITIVE_INFINITY } = this.#options;
    if (!this.isListening) return undefined;
    const isFull = this.#isTakenByOthers || this.#connections.length >= maximumConnections;
    const whenFull = this.#isTakenByOthers ? this.#whenTaken : (this.#options.whenFull ?? 'REFUSE');
    if (isFull && whenFull === 'REFUSE') return undefined;
    if (isFull && whenFull === 'CLOSE_OLDEST') this.#connections[0]?.reset();
    const { time, random } = this.#parts;
    const connection = new TcpConnection({
      time,
      random,
      path: this.path,
      onGone: (gone) => {
        this.#connections = this.#connections.filter((one) => one !== gone);
      },
    });
    const isServed = !(isFull && whenFull === 'IGNORE');
    connection.begin(isServed ? accept(connection.deviceEnd()) : undefined, gateway);
    if (isServed) this.#connections = [...this.#connections, connection];
    return connection;
  }

  /**
   * Other clients take all connections that the device has.
   *
   * @param whenFull what it does with further ones; one that it ignores stays so
   * @returns ends it
   */
  takeAll(whenFull: Exclude<WhenFull, 'CLOSE_OLDEST'>): () => void {
    this.#whenTaken = whenFull;
    this.#isTakenByOthers = true;
    this.resetAll();
    return () => {
      this.#isTakenByOthers = false;
    };
  }

  /** Breaks all connections. */
  resetAll(): void {
    for (const connection of this.#connections) connection.reset();
  }

  /** Forgets all connections without a word. */
  vanishAll(): void {
    for (const connection of this.#connections) connection.vanish();
  }

  /** Interrupts the way: what is sent meanwhile arrives after it is open again. */
  interrupt(): void {
    this.path.isInterrupted = true;
    for (const connection of this.#connections) connection.noteInterruption();
  }

  /** Opens the way again. */
  open(): void {
    this.path.isInterrupted = false;
    for (const connection of this.#connections) connection.noteOpening();
  }
}
