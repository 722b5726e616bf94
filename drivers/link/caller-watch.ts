import type { Cancel, Clock } from '../../daemon/base/clock.ts';
import { recognizeCaller, showPacket } from './caller-identity.ts';
import type { CallerIdentity } from './caller-identity.ts';
import type { IncomingConnection } from './incoming-connection.ts';

/** Open connections of one watch; further ones are refused. */
const MAXIMUM_CALLERS = 32;
/** Longest packet, so that the configuration can contain it in hexadecimal digits. */
const MAXIMUM_PACKET_BYTES = 120;
/** Pause after which a packet is complete. */
const PACKET_END_MS = 300;
/** Time without a packet after which a caller is reported as silent. */
const SILENCE_MS = 5000;
/** Longest time that a connection is kept for its driver after the watch. */
const KEEP_MS = 10_000;

/** A device that connected to a watched port. */
export interface Caller {
  readonly address: string;
  /** First packet, as in the configuration; absent if it sent none. */
  readonly packet?: string | undefined;
  /** True if it sent the packet again over the same connection. */
  readonly hasRepeated: boolean;
}

interface Held {
  readonly connection: IncomingConnection;
  readonly address: string;
  packet: Buffer;
  hasRepeated: boolean;
  received: Buffer;
  cancel: Cancel;
}

export interface CallerWatchOptions {
  readonly clock: Clock;
  /** Called with each new caller, and again when its first packet or the repetition of it is received. */
  readonly onCaller: (caller: Caller) => void;
}

/** Collects the connections of a port that no driver expects, with the first packet of each, and keeps them open. */
export class CallerWatch {
  readonly #options: CallerWatchOptions;
  readonly #held = new Set<Held>();
  readonly #callers = new Map<string, Caller>();
  #isOver = false;

  constructor(options: CallerWatchOptions) {
    this.#options = options;
  }

  /** Returns the distinct callers, by packet, and without one by address; those that have sent nothing yet are silent. */
  listCallers(): readonly Caller[] {
    for (const held of this.#held) {
      if (held.received.length > 0) this.#onPacket(held);
      else if (held.packet.length === 0) this.#record(held);
    }
    return [...this.#callers.values()];
  }

  /**
   * Takes a connection that no driver expects.
   *
   * @param received bytes received so far
   * @returns false if the connection must be refused
   */
  take(connection: IncomingConnection, received: Buffer): boolean {
    if (this.#isOver || this.#held.size >= MAXIMUM_CALLERS) return false;
    const { address } = connection;
    const held: Held = {
      connection,
      address,
      packet: Buffer.alloc(0),
      hasRepeated: false,
      received: Buffer.alloc(0),
      cancel: this.#options.clock.schedule(SILENCE_MS, () => this.#record(held)),
    };
    this.#held.add(held);
    connection.receive({
      onChunk: (bytes) => this.#onChunk(held, bytes),
      onClose: () => this.#drop(held),
    });
    if (received.length > 0) this.#onChunk(held, received);
    return true;
  }

  /** Gives the newest connection of a device to its driver, if there is one. */
  giveTo(device: {
    readonly identity: CallerIdentity;
    readonly accept: (connection: IncomingConnection) => void;
  }): void {
    for (const held of [...this.#held].toReversed()) {
      const recognition = recognizeCaller([device], held.address, held.packet);
      if (typeof recognition === 'string') continue;
      held.cancel();
      this.#held.delete(held);
      device.accept(held.connection);
      return;
    }
  }

  /**
   * Ends the watch. Connections stay open for their drivers for a short time.
   *
   * @param onEnd called when the last connection was taken or closed
   */
  end(onEnd: () => void): void {
    this.#isOver = true;
    this.#options.clock.schedule(KEEP_MS, () => {
      this.close();
      onEnd();
    });
  }

  /** Closes all connections. */
  close(): void {
    this.#isOver = true;
    for (const held of this.#held) this.#drop(held);
  }

  #onChunk(held: Held, bytes: Buffer): void {
    held.received = Buffer.concat([held.received, bytes]).subarray(0, MAXIMUM_PACKET_BYTES);
    held.cancel();
    held.cancel = this.#options.clock.schedule(PACKET_END_MS, () => this.#onPacket(held));
  }

  #onPacket(held: Held): void {
    const { received } = held;
    held.received = Buffer.alloc(0);
    if (held.packet.length > 0 && !received.equals(held.packet)) return;
    held.hasRepeated = held.packet.length > 0;
    held.packet = received;
    this.#record(held);
  }

  #record({ address, packet, hasRepeated }: Held): void {
    const text = packet.length === 0 ? undefined : showPacket(packet, MAXIMUM_PACKET_BYTES);
    const key = text ?? `from ${address}`;
    const known = this.#callers.get(key);
    if (known !== undefined && (known.hasRepeated || !hasRepeated)) return;
    // A caller that was silent at first.
    if (text !== undefined) this.#callers.delete(`from ${address}`);
    const caller = { address, packet: text, hasRepeated };
    this.#callers.set(key, caller);
    this.#options.onCaller(caller);
  }

  #drop(held: Held): void {
    held.cancel();
    this.#held.delete(held);
    held.connection.close();
  }
}
