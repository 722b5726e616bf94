import { writeSync } from 'node:fs';

import notify from 'systemd-notify';

import type { Logger } from '../../base/logger.ts';
import { messageOf } from '../../base/errors.ts';

/** Transport of messages to the service manager. */
interface Notifier {
  /** Sends assignments such as `READY=1`, as one message (sd_notify(3)). Never throws. */
  send(assignments: readonly string[]): void;
}

/** Notifies the service manager; does nothing without one. */
export interface ServiceManager {
  /** Watchdog timeout of the manager; undefined: no watchdog. */
  readonly watchdogMs: number | undefined;
  /** The ports are open, or the reload is completed. */
  ready(status: string): void;
  /** A reload has begun; `ready` ends it. */
  reloading(): void;
  stopping(): void;
  /** The daemon exits because of an error; the manager shows the reason until the next start. */
  failed(reason: string): void;
  /** The process is alive. */
  beat(): void;
}

interface ServiceManagerOptions {
  /** Environment of the process; the variables of the protocol are removed, so that no child inherits them. */
  readonly environment: Record<string, string | undefined>;
  readonly processId: number;
  /** Nanoseconds since the machine started, as CLOCK_MONOTONIC counts them. */
  readonly monotonicNs: () => bigint;
  readonly logger: Logger;
}

const VARIABLES = ['NOTIFY_SOCKET', 'PENSTOCK_NOTIFY_FD', 'WATCHDOG_USEC', 'WATCHDOG_PID'] as const;

/**
 * Finds the service manager by the variables that it set.
 *
 * A descriptor that the launcher opened (`PENSTOCK_NOTIFY_FD`) carries every message, and the manager sees the main
 * process as its sender. Without it, READY and STATUS go through systemd-notify(1), which needs `NotifyAccess=all`.
 */
export function connectServiceManager(options: ServiceManagerOptions): ServiceManager {
  const { environment, processId, monotonicNs } = options;
  const { NOTIFY_SOCKET, PENSTOCK_NOTIFY_FD, WATCHDOG_USEC, WATCHDOG_PID } = environment;
  for (const name of VARIABLES) delete environment[name];
  const notifier = chooseNotifier(NOTIFY_SOCKET, PENSTOCK_NOTIFY_FD, options);
  const isForUs = WATCHDOG_PID === undefined || Number(WATCHDOG_PID) === processId;
  const watchdogMs = isForUs && PENSTOCK_NOTIFY_FD !== undefined ? Number(WATCHDOG_USEC) / 1000 : Number.NaN;
  return {
    watchdogMs: watchdogMs > 0 ? watchdogMs : undefined,
    ready: (status) => notifier.send(['READY=1', `STATUS=${summarize(status)}`]),
    reloading: () => notifier.send(['RELOADING=1', `MONOTONIC_USEC=${monotonicNs() / 1000n}`]),
    stopping: () => notifier.send(['STOPPING=1', 'STATUS=Stopping']),
    failed: (reason) => notifier.send([`STATUS=${summarize(reason)}`]),
    beat: () => notifier.send(['WATCHDOG=1']),
  };
}

function chooseNotifier(
  socket: string | undefined,
  descriptor: string | undefined,
  { logger }: ServiceManagerOptions,
): Notifier {
  if (descriptor !== undefined) return createSocketNotifier(Number(descriptor), logger);
  if (socket !== undefined) return createCommandNotifier(socket, logger);
  return { send: () => undefined };
}

// The manager drops a message of more than 4096 bytes (PIPE_BUF).
const MAXIMUM_REASON_CHARACTERS = 1000;

/** Returns the first of several lines, and the number of the others in the log. */
function summarize(reason: string): string {
  const [first = '', ...others] = reason.split('\n');
  const more = others.length > 0 ? ` (and ${others.length} more in the log)` : '';
  return `${toLine(first).slice(0, MAXIMUM_REASON_CHARACTERS)}${more}`;
}

// A line break would begin another assignment.
function toLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/**
 * Sends over a connected datagram socket that the process was started with: Node.js cannot open one itself.
 *
 * @param descriptor the number of the open descriptor; one datagram is one write
 */
function createSocketNotifier(descriptor: number, logger: Logger): Notifier {
  let hasFailed = false;
  return {
    send(assignments) {
      try {
        writeSync(descriptor, assignments.join('\n'));
        hasFailed = false;
      } catch (error) {
        // Without the manager the daemon continues; the warning is logged once, not with every beat.
        if (!hasFailed) logger.warn('serviceManager.notReached', { error });
        hasFailed = true;
      }
    },
  };
}

/**
 * Sends READY and STATUS through systemd-notify(1), for a process that was started without a descriptor. The other
 * messages are omitted: the package that starts the program does not support them.
 *
 * @param socket value of `NOTIFY_SOCKET`, which the program needs
 */
function createCommandNotifier(socket: string, logger: Logger): Notifier {
  let sending = Promise.resolve();
  return {
    send(assignments) {
      if (!assignments.includes('READY=1')) return;
      const status = assignments
        .find((assignment) => assignment.startsWith('STATUS='))
        ?.slice('STATUS='.length);
      // Sequential: the variable is set only while the program is started.
      sending = sending.then(() => spawnNotify(socket, status ?? '', logger));
    },
  };
}

async function spawnNotify(socket: string, status: string, logger: Logger): Promise<void> {
  process.env['NOTIFY_SOCKET'] = socket;
  try {
    const sent = notify({ ready: true, status });
    delete process.env['NOTIFY_SOCKET'];
    await sent;
  } catch (error) {
    delete process.env['NOTIFY_SOCKET'];
    logger.warn('serviceManager.notReached', { reason: messageOf(error) });
  }
}
