import { systemClock } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { Application } from './application.ts';
import { Listener } from './listener.ts';
import type { ListenerKind, ListenerTls, RefusedCertificate } from './listener.ts';

/** The ports that should be open. */
export interface ListenerPlan {
  readonly host: string;
  readonly ports: readonly number[];
  readonly httpsPorts: readonly number[];
  readonly httpsClientAuthPorts: readonly number[];
}

export interface ListenerSetOptions {
  readonly application: Application;
  readonly drainMs: () => number;
  /** Descriptors of sockets that listen already, by port; each is used once. */
  readonly inheritedSockets?: ReadonlyMap<number, number>;
  readonly logger: Logger;
  /** The clock of the machine unless given. */
  readonly clock?: Clock;
}

// A client that tries again and again, or a stranger, must not fill the log.
const REFUSALS_LOGGED_PER_MINUTE = 20;
const MINUTE_MS = 60_000;

/** One port as it is wanted; the key tells whether it is the same as an open one. */
interface Wanted {
  readonly key: string;
  readonly kind: ListenerKind;
  readonly port: number;
}

/** All open ports of the gateway; opens, closes and renews them while it runs. */
export class ListenerSet {
  readonly #options: ListenerSetOptions;
  #listeners: ReadonlyMap<string, Listener> = new Map();
  readonly #inheritedSockets: Map<number, number>;
  #refusals = { count: 0, sinceMs: 0 };

  constructor(options: ListenerSetOptions) {
    this.#options = options;
    this.#inheritedSockets = new Map(options.inheritedSockets);
  }

  /** Open ports of a kind, in the order in which they are configured. */
  ports(kind: ListenerKind): readonly number[] {
    return [...this.#listeners.values()].filter((listener) => listener.kind === kind).map(({ port }) => port);
  }

  /**
   * Opens what is new, gives new certificates to what stays, and drains what is no longer wanted.
   *
   * Ports that require client certificates stay closed while no authority is trusted.
   *
   * @throws {ListenerError} when a port cannot be opened; what was open before stays open, nothing new does
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
    } catch (error) {
      await Promise.all([...opened.values()].map((listener) => listener.stop()));
      throw error;
    }
    const former = this.#listeners;
    this.#listeners = new Map(
      wanted.flatMap(({ key }) => {
        const listener = former.get(key) ?? opened.get(key);
        return listener === undefined ? [] : [[key, listener] as const];
      }),
    );
    const dropped = [...former].filter(([key]) => !this.#listeners.has(key));
    await Promise.all(dropped.map(([, listener]) => listener.stop()));
  }

  /** Makes new keys for the session tickets of every port. */
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
      this.#options.logger.warn('listener.noClientAuthorities', {
        ports: plan.httpsClientAuthPorts,
        reason: 'no authority of client certificates is configured; set tls.clientCertificateAuthoritiesFile',
      });
    }
    const list = (kind: ListenerKind, ports: readonly number[]): readonly Wanted[] =>
      ports.map((port, index) => ({
        key: `${kind} ${plan.host} ${port === 0 ? `any ${index}` : port}`,
        kind,
        port,
      }));
    return [
      ...list('http', plan.ports),
      ...list('https', plan.httpsPorts),
      ...(hasAuthorities ? list('https-client-auth', plan.httpsClientAuthPorts) : []),
    ];
  }

  #createListener({ kind, port }: Wanted, host: string, tls: ListenerTls): Listener {
    const { application, drainMs } = this.#options;
    const descriptor = this.#inheritedSockets.get(port);
    this.#inheritedSockets.delete(port);
    return new Listener({
      kind,
      host,
      port,
      descriptor,
      tls,
      application,
      drainMs: drainMs(),
      onRefusedCertificate: (refused) => this.#logRefusal(refused),
    });
  }

  #logRefusal({ port, remoteAddress, reason }: RefusedCertificate): void {
    const { logger, clock = systemClock } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#refusals.sinceMs >= MINUTE_MS) this.#refusals = { count: 0, sinceMs: nowMs };
    this.#refusals.count += 1;
    if (this.#refusals.count <= REFUSALS_LOGGED_PER_MINUTE) {
      logger.info('clientCertificate.refused', { port, remoteAddress, reason });
    }
  }
}
