import { rm } from 'node:fs/promises';

import type { ByteBudget } from '../../../base/sharing/byte-budget.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Startable } from '../../../base/lifecycle.ts';
import type { Listen } from '../../../base/network/listen.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Application } from '../application.ts';
import { ConnectionTable } from './connection-table.ts';
import { Listener } from './listener.ts';

interface LocalListenerOptions {
  /** Path of the Unix socket. */
  readonly path: string;
  /** Its permission bits. */
  readonly mode: number;
  readonly application: Application;
  /** Bounds the memory that clients may hold. */
  readonly budget: ByteBudget;
  readonly drainMs: () => number;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly listen: Listen;
}

// Longest path of a Unix socket, without the zero at its end (unix(7)).
const MAXIMUM_PATH_BYTES = 107;

/** Local Unix socket for the command line. */
export class LocalListener implements Startable {
  readonly #options: LocalListenerOptions;
  #listener: Listener | undefined;

  constructor(options: LocalListenerOptions) {
    this.#options = options;
  }

  /** @throws {ListenerError} when the socket cannot be created */
  async start(): Promise<void> {
    const { path, mode, application, budget, drainMs, logger, clock, listen } = this.#options;
    if (Buffer.byteLength(path) > MAXIMUM_PATH_BYTES) {
      logger.warn('localSocket.notOpened', {
        path,
        reason: `the path is longer than ${MAXIMUM_PATH_BYTES} bytes`,
        consequence: 'the command line requires --url',
      });
      return;
    }
    // Left by a killed process; a second daemon on the same state has already been refused.
    await rm(path, { force: true });
    const listener = new Listener({
      kind: 'local',
      host: 'localhost',
      port: 0,
      path,
      mode,
      application,
      // A client here is root or in the group penstock, and has no address.
      connections: new ConnectionTable({ budget, isProxy: () => true }),
      drainMs: drainMs(),
      clock,
      listen,
    });
    this.#listener = listener;
    await listener.start();
  }

  async stop(): Promise<void> {
    await this.#listener?.stop();
  }
}
