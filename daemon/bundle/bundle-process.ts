import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';

import { delay } from '../base/clock.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { BundleError } from './bundle-error.ts';
import type { BundleLimits } from './bundle-limits.ts';
import { BundleLog } from './bundle-log.ts';
import { FramePipe } from './frame-pipe.ts';
import { lowerPriority } from './lowest-priority.ts';
import { MessagePeer } from './message-peer.ts';
import type { MessageHandler } from './message-peer.ts';
import { BUNDLE_NOTES, checkMessage } from './messages.ts';
import { readResidentBytes } from './resident-memory.ts';
import { TokenBucket } from './token-bucket.ts';

interface BundleProcessOptions {
  /** Program and arguments; see `buildLaunchCommand`. */
  readonly command: readonly string[];
  readonly workingDirectory: string;
  readonly limits: BundleLimits;
  /** Serves what the bundle asks for; its log is served here. */
  readonly handler: MessageHandler;
  /** Called when the process is to be stopped, before the bundle hears of it. */
  readonly onStop: () => void;
  /** Names the bundle. */
  readonly logger: Logger;
  readonly clock: Clock;
}

// Enough for a driver that is asked ten times a second by each of a hundred clients; 1 % of a core to parse at most.
const MESSAGES_PER_SECOND = 2000;
const BYTES_PER_SECOND = 4_194_304;
// After the end, for what is still on its way out of the pipes.
const OUTPUT_LIMIT_MS = 1000;

/** The process of one bundle: talks to it, watches it, and ends it together with whatever it has started. */
export class BundleProcess {
  readonly peer: MessagePeer;
  /** Resolves when the process is gone, with the reason. */
  readonly ended: Promise<BundleError>;
  readonly #options: BundleProcessOptions;
  readonly #child: ChildProcess;
  readonly #pipe: FramePipe;
  #fault: BundleError | undefined;
  #isGone = false;
  readonly #watching = new AbortController();

  /** Starts the process. */
  constructor(options: BundleProcessOptions) {
    this.#options = options;
    const { command, workingDirectory, clock } = options;
    const [program = '', ...given] = command;
    this.#child = spawn(program, given, {
      cwd: workingDirectory,
      env: {},
      // A group of its own, so that it ends as a whole.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    this.ended = this.#awaitEnd();
    if (this.pid !== undefined) void lowerPriority(this.pid, clock, this.#watching.signal);
    const log = new BundleLog(options.logger, clock);
    if (this.#child.stdout !== null) log.follow(this.#child.stdout, 'info');
    if (this.#child.stderr !== null) log.follow(this.#child.stderr, 'warn');
    this.peer = new MessagePeer({
      send: (message) => this.#pipe.send(message),
      handler: {
        onCall: (method, params, signal) => options.handler.onCall(method, params, signal),
        onNote: (method, params) => this.#onNote(log, method, params),
      },
      clock,
    });
    this.#pipe = new FramePipe({
      stream: this.#child.stdio[3] as Duplex,
      pace: {
        frames: new TokenBucket({
          capacity: MESSAGES_PER_SECOND / 10,
          perSecond: MESSAGES_PER_SECOND,
          clock,
        }),
        bytes: new TokenBucket({ capacity: BYTES_PER_SECOND / 4, perSecond: BYTES_PER_SECOND, clock }),
      },
      onFrame: (frame) => this.peer.receive(frame),
      onEnd: (error) => this.#onLinkEnd(error),
      clock,
    });
  }

  /** Process id; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Begins to look whether the bundle is alive and how much memory it takes. */
  watch(): void {
    const { heartbeatIntervalMs, memoryCheckIntervalMs } = this.#options.limits;
    void this.#repeat(heartbeatIntervalMs, () => this.#checkHeartbeat());
    void this.#repeat(memoryCheckIntervalMs, () => this.#checkMemory());
  }

  /** Ends the process at once. */
  kill(reason: BundleError): void {
    this.#end(reason);
    this.#signal('SIGKILL');
  }

  /** Lets the bundle put things in order, then ends the process; resolves when it is gone. */
  async stop(): Promise<void> {
    const { limits, clock, onStop } = this.#options;
    this.#watching.abort();
    onStop();
    await this.peer
      .call('deactivate', {}, { deadlineMs: limits.deactivationMs, isUrgent: true })
      // What it does not do in time, or cannot do, it does not do.
      .catch(() => undefined);
    this.#end(new BundleError('BUNDLE_STOPPED', 'the bundle was stopped'));
    this.#signal('SIGTERM');
    const patience = new AbortController();
    await Promise.race([
      this.ended.then(() => patience.abort()),
      delay(clock, limits.terminationMs, patience.signal).catch(() => undefined),
    ]);
    this.#signal('SIGKILL');
    await this.ended;
  }

  #onNote(log: BundleLog, method: string, params: unknown): void {
    if (method !== 'log') {
      this.#options.handler.onNote(method, params);
      return;
    }
    const { level, message, fields } = checkMessage(BUNDLE_NOTES.log, method, params);
    log.write(level, message, fields);
  }

  async #checkHeartbeat(): Promise<void> {
    const deadlineMs = this.#options.limits.heartbeatDeadlineMs;
    try {
      await this.peer.call('ping', {}, { deadlineMs, isUrgent: true });
    } catch (cause) {
      const detail = `the bundle did not answer within ${deadlineMs} ms`;
      this.kill(new BundleError('BUNDLE_UNRESPONSIVE', detail, cause));
    }
  }

  async #checkMemory(): Promise<void> {
    const { residentMib } = this.#options.limits;
    const bytes = this.pid === undefined ? undefined : await readResidentBytes(this.pid);
    if (bytes === undefined || bytes <= residentMib * 1_048_576) return;
    const detail = `the bundle takes more than ${residentMib} MiB of memory`;
    this.kill(new BundleError('BUNDLE_MEMORY_EXCEEDED', detail));
  }

  async #repeat(intervalMs: number, check: () => Promise<void>): Promise<void> {
    const { signal } = this.#watching;
    while (!signal.aborted) {
      await delay(this.#options.clock, intervalMs, signal).catch(() => undefined);
      if (!signal.aborted) await check();
    }
  }

  #onLinkEnd(error: BundleError | undefined): void {
    if (error !== undefined) {
      this.kill(error);
      return;
    }
    // As a rule the process has ended and its status says more; one that lives on is of no use.
    this.#options.clock.schedule(this.#options.limits.terminationMs, () =>
      this.kill(new BundleError('BUNDLE_ENDED', 'the bundle has closed its link')),
    );
  }

  /** Notes why the process ends; the first reason counts. */
  #end(reason: BundleError): void {
    if (this.#fault !== undefined) return;
    this.#fault = reason;
    this.#watching.abort();
    this.peer.end(reason);
  }

  async #awaitEnd(): Promise<BundleError> {
    const reason = await new Promise<string>((resolve) => {
      this.#child.once('exit', (status, signal) => {
        resolve(signal === null ? `the bundle ended with status ${status}` : `the bundle ended by ${signal}`);
      });
      this.#child.once('error', (error) => resolve(`the bundle cannot be started: ${error.message}`));
    });
    // Whatever it has started and left behind.
    this.#signal('SIGKILL');
    this.#isGone = true;
    const fault = new BundleError('BUNDLE_ENDED', reason);
    this.#end(fault);
    this.#pipe.close();
    this.#options.clock.schedule(OUTPUT_LIMIT_MS, () => {
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
    });
    return this.#fault ?? fault;
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#isGone || this.#child.pid === undefined) return;
    try {
      process.kill(-this.#child.pid, signal);
    } catch {
      // There is no process left in the group.
    }
  }
}
