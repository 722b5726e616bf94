import type { Socket } from 'node:net';

import type { ByteBudget } from '../../../base/sharing/byte-budget.ts';
import { networkOf } from '../../../base/network/network-address.ts';
import { Connection } from './connection.ts';

/** Maximum number of connections of all ports. */
export const MAXIMUM_CONNECTIONS = 1024;
/** Unauthenticated connections of one network: enough for several browsers and pollers behind one router. */
export const MAXIMUM_STRANGERS_PER_NETWORK = 128;
/** Authenticated connections of one network. */
export const MAXIMUM_KNOWN_PER_NETWORK = 512;

interface ConnectionTableOptions {
  readonly budget: ByteBudget;
  /** True if the peer is a proxy; the quota of a network does not apply to it. */
  readonly isProxy: (address: string) => boolean;
}

/**
 * Shares the connections of all ports between networks, so that no network can use them up.
 *
 * If a limit is reached, an unauthenticated connection is evicted: one of the same network at the limit of that network, any
 * at the limit of all. The longest idle one goes first, then the one with the longest running request. If there is none, the
 * new connection is refused.
 */
export class ConnectionTable {
  readonly #options: ConnectionTableOptions;
  readonly #connections = new Set<Connection>();
  readonly #networks = new Map<string, NetworkCount>();
  // Connections counted as known; one beyond the quota of its network stays unknown.
  readonly #known = new Set<Connection>();
  // Both in the order in which connections became idle or busy.
  readonly #idleUnknown = new Set<Connection>();
  readonly #busyUnknown = new Set<Connection>();

  constructor(options: ConnectionTableOptions) {
    this.#options = options;
  }

  /** The number of open connections. */
  get size(): number {
    return this.#connections.size;
  }

  /**
   * Admits a connection, which may evict another one.
   *
   * @returns undefined if none can be evicted: the caller closes the socket
   */
  admit(socket: Socket): Connection | undefined {
    const network = networkOf(socket.remoteAddress ?? '');
    if (!this.#hasCapacity(socket, network)) return undefined;
    const connection = new Connection({
      socket,
      network,
      budget: this.#options.budget,
      onChange: (changed) => this.#note(changed),
    });
    this.#connections.add(connection);
    this.#count(network, 'unknown', 1);
    this.#idleUnknown.add(connection);
    socket.on('close', () => this.#remove(connection));
    return connection;
  }

  #hasCapacity(socket: Socket, network: string): boolean {
    const { unknown = 0 } = this.#networks.get(network) ?? {};
    if (unknown >= MAXIMUM_STRANGERS_PER_NETWORK && !this.#isProxy(socket)) {
      this.#evict((candidate) => candidate.network === network);
    }
    return this.#connections.size < MAXIMUM_CONNECTIONS || this.#evict(() => true);
  }

  #isProxy({ remoteAddress = '' }: Socket): boolean {
    return this.#options.isProxy(remoteAddress);
  }

  #evict(isCandidate: (connection: Connection) => boolean): boolean {
    const victim = findFirst(this.#idleUnknown, isCandidate) ?? findFirst(this.#busyUnknown, isCandidate);
    if (victim === undefined) return false;
    victim.destroy();
    this.#remove(victim);
    return true;
  }

  #note(connection: Connection): void {
    if (this.#known.has(connection) || !this.#connections.has(connection)) return;
    this.#idleUnknown.delete(connection);
    this.#busyUnknown.delete(connection);
    if (connection.isAuthenticated && this.#hasCapacityForKnown(connection)) {
      this.#known.add(connection);
      this.#count(connection.network, 'unknown', -1);
      this.#count(connection.network, 'known', 1);
    } else {
      (connection.isIdle ? this.#idleUnknown : this.#busyUnknown).add(connection);
    }
  }

  #hasCapacityForKnown({ network, socket }: Connection): boolean {
    const { known = 0 } = this.#networks.get(network) ?? {};
    return known < MAXIMUM_KNOWN_PER_NETWORK || this.#isProxy(socket);
  }

  #remove(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    this.#idleUnknown.delete(connection);
    this.#busyUnknown.delete(connection);
    this.#count(connection.network, this.#known.delete(connection) ? 'known' : 'unknown', -1);
  }

  #count(network: string, kind: keyof NetworkCount, change: 1 | -1): void {
    const count = this.#networks.get(network) ?? { unknown: 0, known: 0 };
    count[kind] += change;
    if (count.unknown + count.known > 0) this.#networks.set(network, count);
    else this.#networks.delete(network);
  }
}

function findFirst<Item>(items: Iterable<Item>, fits: (item: Item) => boolean): Item | undefined {
  for (const item of items) if (fits(item)) return item;
  return undefined;
}

interface NetworkCount {
  unknown: number;
  known: number;
}
