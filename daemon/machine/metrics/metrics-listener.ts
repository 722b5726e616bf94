import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describeBindFailure } from '../../base/network/bind-failure.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Startable } from '../../base/lifecycle.ts';
import { listenOnMachine } from '../../base/network/listen.ts';
import type { Listen } from '../../base/network/listen.ts';
import type { Logger } from '../../base/logger.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';

/** The metrics port could not be opened. */
class MetricsError extends GatewayError {}

/** Address of the metrics; `port` null: not served. */
interface MetricsSettings {
  readonly host: string;
  readonly port: number | null;
}

interface MetricsListenerOptions {
  readonly settings: MetricsSettings;
  readonly metrics: Pick<GatewayMetrics, 'contentType' | 'render'>;
  /** Returns the reason to refuse a request before routing; undefined: accept it. */
  readonly findRefusal: (
    request: IncomingMessage,
  ) => { readonly status: number; readonly message: string } | undefined;
  readonly logger: Logger;
  /** Default: the ports of the system. */
  readonly listen?: Listen;
}

const MAXIMUM_CONNECTIONS = 16;
const REQUEST_TIMEOUT_MS = 10_000;

/** Serves the metrics on a separate port, without credentials: by default on the loopback address only. */
export class MetricsListener implements Startable {
  readonly #options: MetricsListenerOptions;
  #settings: MetricsSettings;
  #server: Server | undefined;

  constructor(options: MetricsListenerOptions) {
    this.#options = options;
    this.#settings = options.settings;
  }

  /** The port that is open. */
  get port(): number | undefined {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port;
  }

  /** @throws {MetricsError} when the port cannot be opened */
  async start(): Promise<void> {
    const { host, port } = this.#settings;
    if (port === null) return;
    const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
      void this.#answer(request, response);
    });
    server.maxConnections = MAXIMUM_CONNECTIONS;
    const { listen = listenOnMachine } = this.#options;
    await listen(server, { host, port }).catch((cause: unknown) => {
      const detail = `metrics: ${describeBindFailure({ host, port }, cause).text}`;
      throw new MetricsError({ code: 'METRICS_PORT_UNAVAILABLE', detail, cause });
    });
    this.#server = server;
    this.#options.logger.info('metrics.listening', { host, port: this.port });
  }

  /**
   * Moves to a different address.
   *
   * @throws {MetricsError} when the port cannot be opened; the metrics are then not served
   */
  async apply(settings: MetricsSettings): Promise<void> {
    const { host, port } = this.#settings;
    if (settings.host === host && settings.port === port) return;
    await this.stop();
    this.#settings = settings;
    await this.start();
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { metrics, findRefusal, logger } = this.#options;
    const refusal = findRefusal(request);
    if (refusal !== undefined) {
      const { status, message } = refusal;
      response
        .writeHead(status, { 'Content-Type': 'application/json', 'X-Content-Type-Options': 'nosniff' })
        .end(JSON.stringify({ message }));
      return;
    }
    if (request.url !== '/metrics') {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('metrics are at /metrics\n');
      return;
    }
    try {
      const text = await metrics.render();
      response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text);
    } catch (error) {
      logger.error('metrics.failed', { error });
      response.writeHead(500).end();
    }
  }
}
