import type { Cancel, Clock } from '../../base/clock.ts';
import type { Startable } from '../../base/lifecycle.ts';
import type { Logger } from '../../base/logger.ts';
import { probePort } from './port-probe.ts';
import type { ProbedPort } from './port-probe.ts';
import type { ServiceManager } from './service-manager.ts';

interface WatchdogOptions {
  readonly manager: Pick<ServiceManager, 'watchdogMs' | 'beat'>;
  /** The ports that are open now. */
  readonly ports: () => readonly ProbedPort[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Notifies the service manager four times per interval that the process is alive: a blocked event loop cannot, and a port
 * that is open but not served prevents it. A port may take half of the interval to respond, as on a busy machine.
 */
export class Watchdog implements Startable {
  readonly #options: WatchdogOptions;
  #cancel: Cancel = () => undefined;
  #isRunning = false;

  constructor(options: WatchdogOptions) {
    this.#options = options;
  }

  start(): Promise<void> {
    this.#isRunning = this.#options.manager.watchdogMs !== undefined;
    if (this.#isRunning) void this.#check();
    return Promise.resolve();
  }

  stop(): Promise<void> {
    this.#isRunning = false;
    this.#cancel();
    return Promise.resolve();
  }

  async #check(): Promise<void> {
    const { manager, ports, clock, logger } = this.#options;
    const intervalMs = manager.watchdogMs ?? 0;
    const startedAtMs = clock.monotonicMs();
    const probed = ports();
    const served = await Promise.all(probed.map((port) => probePort(port, clock, intervalMs / 2)));
    if (!this.#isRunning) return;
    const silent = probed.filter((_, index) => served[index] !== true).map(({ port }) => port);
    if (silent.length === 0) manager.beat();
    else logger.error('watchdog.portNotServed', { ports: silent });
    const elapsedMs = clock.monotonicMs() - startedAtMs;
    this.#cancel = clock.schedule(Math.max(0, intervalMs / 4 - elapsedMs), () => void this.#check());
  }
}
