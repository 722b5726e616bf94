import { systemClock } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Listen } from '../../../base/network/listen.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Application } from '../application.ts';
import type { ConnectionTable } from './connection-table.ts';
import { Listener, ListenerError } from './listener.ts';
import type { ListenerTls } from './listener.ts';
import type { ListenerKind } from './listener-server.ts';
import type { RefusedCertificate } from './refused-certificate.ts';

/** The ports that should be open. */
export interface ListenerPlan {
  readonly host: string;
  readonly ports: readonly number[];
  readonly httpsPorts: readonly number[];
  readonly httpsClientAuthPorts: readonly number[];
}

interface ListenerSetOptions {
  readonly application: Application;
  readonly connections: ConnectionTable;
  readonly drainMs: () => number;
  /** Inherited listening sockets by port; they are never closed, but served or parked. */
  readonly inheritedSockets: ReadonlyMap<number, InheritedSocket>;
  readonly logger: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Default: the ports of the host. */
  readonly listen?: Listen | undefined;
}

// A client that keeps retrying must not fill the log.
const REFUSALS_LOGGED_PER_MINUTE = 20;
const MINUTE_MS = 60_000;

/** A socket that the service manager opened. */
interface InheritedSocket {
  readonly descriptor: number;
  /** It accepts connections to every address of the machine. */
  readonly isEveryAddress: boolean;
}

/** One wanted port; an open port with the same key is the same one. */
interface Wanted {
  readonly key: string;
  readonly kind: ListenerKind;
  readonly port: number;
  readonly isParked: boolean;
}

const EVERY_ADDRESS: ReadonlySet<string> = new Set(['::', '0.0.0.0']);

/** Opens, updates and closes the ports of the gateway at run time. */
export class ListenerSet {
  readonly #options: ListenerSetOptions;
  #listeners: ReadonlyMap<string, Listener> = new Map();
  #refusals = { count: 0, sinceMs: 0 };

  constructor(options: ListenerSetOptions) {
    this.#options = options;
  }

  /** Open ports of a kind, in the order in which they are configured. */
  ports(kind: ListenerKind): readonly number[] {
    return [...this.#listeners.values()]
      .filter((listener) => listener.kind === kind && !listener.isParked)
      .map(({ port }) => port);
  }

  /**
   * Opens new ports, replaces the certificates of those that stay, and drains those no longer wanted.
   *
   * Ports that require client certificates stay closed while no authority is trusted.
   *
   * @throws {ListenerError} when a port cannot be opened; open ports stay open, and no new one does
   */
  async apply(plan: ListenerPlan, tls: ListenerTls): Promise<void> {
    const wanted = this.#listWanted(plan, tls);
    const opened = new Map<string, Listener>();
    try {
      for (const entry of wanted.filter(({ key }) => !this.#listeners.has(key))) {
        const listener = this.#createListener(entry, plan.host, tls);
        await listener.start();
        opened.set(entry.key, listener);
      }
      for (const { key } of wanted) this.#listeners.get(key)?.replaceTls(tls);
      for (const { key, isParked } of wanted) {
        const listener = this.#listeners.get(key);
        if (listener !== undefined) listener.isParked = isParked;
      }
    } catch (error) {
      await Promise.all([...opened.values()].map((listener) => listener.stop()));
      throw error;
    }
    const previous = this.#listeners;
    this.#listeners = new Map(
      wanted.flatMap(({ key }) => {
        const listener = previous.get(key) ?? opened.get(key);
        return listener === undefined ? [] : [[key, listener] as const];
      }),
    );
    const dropped = [...previous].filter(([key]) => !this.#listeners.has(key));
    await Promise.all(dropped.map(([, listener]) => listener.stop()));
  }

  /** Replaces the keys for session tickets of every port. */
  rotateTicketKeys(): void {
    for (const listener of this.#listeners.values()) listener.rotateTicketKeys();
  }

  /** Stops accepting, lets running requests finish, and closes every port. */
  async stop(): Promise<void> {
    const listeners = [...this.#listeners.values()];
    this.#listeners = new Map();
    await Promise.all(listeners.map((listener) => listener.stop()));
  }

  #listWanted(plan: ListenerPlan, tls: ListenerTls): readonly Wanted[] {
    const hasAuthorities = tls.clientCertificateAuthorities.length > 0;
    if (!hasAuthorities && plan.httpsClientAuthPorts.length > 0) {
      this.#options.logger.warn('listener.notOpened', {
        ports: plan.httpsClientAuthPorts,
        reason: 'no client certificate authority is configured; set tls.clientCertificateAuthoritiesFile',
      });
    }
    const wanted = [
      ...this.#list('http', plan, plan.ports, false),
      ...this.#list('https', plan, plan.httpsPorts, false),
      ...this.#list('https-client-auth', plan, plan.httpsClientAuthPorts, !hasAuthorities).filter(
        ({ port, isParked }) => !isParked || this.#options.inheritedSockets.has(port),
      ),
    ];
    return [...wanted, ...this.#listUnwanted(wanted)];
  }

  #list(
    kind: ListenerKind,
    { host }: ListenerPlan,
    ports: readonly number[],
    isParked: boolean,
  ): readonly Wanted[] {
    return ports.map((port, index) => {
      const origin = this.#options.inheritedSockets.has(port) ? 'inherited' : host;
      return { key: `${kind} ${origin} ${port === 0 ? `any ${index}` : port}`, kind, port, isParked };
    });
  }

  // Sockets that the service manager opened and the configuration does not name; they keep their kind.
  #listUnwanted(wanted: readonly Wanted[]): readonly Wanted[] {
    const ports = [...this.#options.inheritedSockets.keys()].filter(
      (port) => !wanted.some((entry) => entry.port === port),
    );
    if (ports.length > 0) {
      const reason = 'penstock.socket opens ports that are not in the configuration; they are not served';
      this.#options.logger.warn('listener.notServed', { ports, reason });
    }
    return ports.map((port) => {
      const kind = [...this.#listeners.values()].find((listener) => listener.port === port)?.kind ?? 'http';
      return { key: `${kind} inherited ${port}`, kind, port, isParked: true };
    });
  }

  #createListener({ kind, port, isParked }: Wanted, host: string, tls: ListenerTls): Listener {
    const { application, connections, drainMs, clock, listen } = this.#options;
    return new Listener({
      kind,
      host,
      port,
      descriptor: this.#findDescriptor(port, host),
      isParked,
      tls,
      application,
      connections,
      drainMs: drainMs(),
      clock,
      listen,
      onRefusedCertificate: (refused) => this.#logRefusal(refused),
    });
  }

  #findDescriptor(port: number, host: string): number | undefined {
    const socket = this.#options.inheritedSockets.get(port);
    if (socket === undefined) return undefined;
    if (socket.isEveryAddress && !EVERY_ADDRESS.has(host)) {
      const detail = `penstock.socket opens port ${port} on every address, but http.host is ${host}; change ListenStream= in penstock.socket`;
      throw new ListenerError({ code: 'PORT_OPEN_TOO_WIDE', detail });
    }
    if ([...this.#listeners.values()].some((listener) => listener.port === port)) {
      const detail = `port ${port} belongs to penstock.socket; restart the service to change how it is served`;
      throw new ListenerError({ code: 'PORT_HELD', detail });
    }
    return socket.descriptor;
  }

  #logRefusal(refused: RefusedCertificate): void {
    const { logger, clock = systemClock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#refusals.sinceMs >= MINUTE_MS) this.#refusals = { count: 0, sinceMs: nowMs };
    this.#refusals.count += 1;
    if (this.#refusals.count <= REFUSALS_LOGGED_PER_MINUTE) {
      logger.info('clientCertificate.refused', { ...refused });
    }
  }
}
