import type { Clock } from '../../daemon/base/clock.ts';
import type { Logger } from '../../daemon/base/logger.ts';
import { toReasons } from '../../daemon/base/errors.ts';
import { createReason, explain, ExplainedError } from '../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../daemon/base/fault-reason.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { ByteLink, ByteLinkEvents, Undelivered } from './byte-link.ts';
import { LINK_FAILURES } from './failure-sentences.ts';
import type { CallerIdentity } from './caller-identity.ts';
import type { IncomingConnection } from './incoming-connection.ts';
import type { ListenPorts, PortUser } from './listen-ports.ts';

export interface ExpectedDeviceOptions {
  readonly ports: ListenPorts;
  readonly port: number;
  readonly identity: CallerIdentity;
  /** Name of the device in messages: `DTU01 on port 5020`. */
  readonly name: string;
  /** Longest wait of a link for the device. */
  readonly waitMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Users of an expected device: the link in use, and the link that waits. */
interface Waiting {
  readonly resolve: (connection: IncomingConnection) => void;
}

/**
 * A device that connects to a port of the gateway. A new connection replaces the previous one. Without a link, it is kept for
 * the next one.
 */
export class ExpectedDevice implements PortUser {
  readonly #options: ExpectedDeviceOptions;
  #waiting: Waiting | undefined;
  #kept: IncomingConnection | undefined;
  #lose: ((cause: Error) => void) | undefined;
  #refused = 0;
  #replaced = 0;

  constructor(options: ExpectedDeviceOptions) {
    this.#options = options;
  }

  get identity(): CallerIdentity {
    return this.#options.identity;
  }

  get port(): number {
    return this.#options.port;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get logger(): Logger {
    return this.#options.logger;
  }

  /** Totals of the port since the device is expected. */
  counters(): Readonly<Record<string, number>> {
    return { refusedConnections: this.#refused, replacedConnections: this.#replaced };
  }

  /** Describes the setting with which the newest refused connection would be that of the device, while it has none. */
  get advice(): string | undefined {
    const refused = this.#options.ports.findRefused(this.port);
    if (refused === undefined || this.#kept !== undefined || this.#lose !== undefined) return undefined;
    const { address, packet } = refused;
    const [key] = Object.entries(this.identity).find(([, value]) => value !== undefined) ?? [];
    const value = key === 'address' ? address : packet;
    if (key === undefined || value === undefined) return undefined;
    const sends = packet === undefined ? '' : ` and sends ${packet} first`;
    return `${address} connects to port ${this.port}${sends}; if this is the device, set identify.${key}: ${value}`;
  }

  /** Counts a connection of an unknown device that was refused. */
  countRefused(): void {
    this.#refused += 1;
  }

  /** Takes a connection of the device. */
  accept(connection: IncomingConnection): void {
    if (this.#kept !== undefined || this.#lose !== undefined) this.#replaced += 1;
    this.#dropKept();
    const [lose, waiting] = [this.#lose, this.#waiting];
    this.#lose = undefined;
    if (waiting !== undefined) return waiting.resolve(connection);
    this.#kept = connection;
    connection.receive({
      onChunk: () => undefined,
      onClose: () => {
        if (this.#kept === connection) this.#kept = undefined;
      },
    });
    lose?.(new ExplainedError([createReason(LINK_FAILURES, 'CALLER_AGAIN', {})]));
  }

  /** Creates a link over the next connection of the device. */
  createLink(): ByteLink {
    let connection: IncomingConnection | undefined;
    let isClosed = false;
    return {
      open: async (signal, events) => {
        await this.#options.ports.expect(this);
        connection = await this.#take(signal);
        if (isClosed) {
          connection.close();
          const device = { device: this.#options.name };
          const reason = createReason(LINK_FAILURES, 'CALLER_MISSING_BEFORE_CLOSE', device);
          throw new ConnectionError({ code: 'CONNECT_ABORTED', ...explain(reason) });
        }
        this.#follow(connection, events);
      },
      send: (bytes) => connection?.send(bytes),
      close: (undelivered?: Undelivered) => {
        isClosed = true;
        if (connection === undefined) return;
        connection.close(undelivered);
        connection = undefined;
        this.#lose = undefined;
      },
    };
  }

  /** Stops expecting the device and closes its connection; closes the port if it serves no other device. */
  close(): void {
    this.#options.ports.dismiss(this);
    this.#dropKept();
  }

  #follow(connection: IncomingConnection, events: ByteLinkEvents): void {
    const lose = (cause: Error): void => {
      if (this.#lose === lose) this.#lose = undefined;
      connection.close();
      events.onClose(cause);
    };
    this.#lose = lose;
    connection.receive({ onChunk: events.onChunk, onClose: lose });
  }

  #take(signal: AbortSignal): Promise<IncomingConnection> {
    const { clock, waitMs } = this.#options;
    const kept = this.#kept;
    this.#kept = undefined;
    if (kept !== undefined) return Promise.resolve(kept);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waiting = undefined;
        cancel();
        signal.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        end();
        const missing = createReason(LINK_FAILURES, 'CALLER_MISSING_BEFORE', { device: this.#options.name });
        const details = explain(missing, ...toReasons(signal.reason));
        reject(new ConnectionError({ code: 'CONNECT_ABORTED', ...details, cause: signal.reason }));
      };
      const cancel = clock.schedule(waitMs, () => {
        end();
        reject(new ConnectionError({ code: 'DEVICE_NOT_CONNECTED', ...explain(this.#explainMissing()) }));
      });
      this.#waiting = {
        resolve: (connection) => {
          end();
          resolve(connection);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
    });
  }

  #dropKept(): void {
    this.#kept?.close();
    this.#kept = undefined;
  }

  #explainMissing(): FaultReason {
    const { ports, name: device } = this.#options;
    const refused = ports.findRefused(this.port);
    if (refused === undefined) return createReason(LINK_FAILURES, 'CALLER_MISSING', { device });
    const { address, packet } = refused;
    return packet === undefined
      ? createReason(LINK_FAILURES, 'CALLER_MISSING_AND_REFUSED', { device, address })
      : createReason(LINK_FAILURES, 'CALLER_MISSING_AND_REFUSED_WITH', { device, address, packet });
  }
}
