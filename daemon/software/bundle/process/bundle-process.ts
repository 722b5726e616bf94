import { delay } from '../../../base/clock.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { BundleError } from '../bundle-error.ts';
import type { LaunchedBundle } from './bundle-launcher.ts';
import type { BundleLimits } from '../bundle-limits.ts';
import { BundleLog } from '../bundle-log.ts';
import type { KeepLine } from '../bundle-log.ts';
import { FramePipe } from '../message/frame-pipe.ts';
import { MessagePeer } from '../message/message-peer.ts';
import type { MessageHandler } from '../message/message-peer.ts';
import { BUNDLE_NOTIFICATIONS, checkMessage } from '../message/messages.ts';
import type { StorageLimits } from '../storage/storage-decision.ts';
import { StorageWatch } from '../storage/storage-watch.ts';
import type { StorageStatus } from '../storage/storage-watch.ts';
import { TokenBucket } from '../message/token-bucket.ts';

interface BundleProcessOptions {
  readonly launched: LaunchedBundle;
  readonly limits: BundleLimits;
  /** Returns its current storage quota. */
  readonly storageLimits: () => StorageLimits;
  /** Serves the calls and notifications of the bundle, except its log. */
  readonly handler: MessageHandler;
  /** Called before `deactivate` is sent to the bundle. */
  readonly onStop: () => void;
  /** Called with each output line. */
  readonly keep: KeepLine;
  /** Names the bundle. */
  readonly logger: Logger;
  readonly clock: Clock;
}

// Enough for a driver that each of a hundred clients calls ten times a second; parsing takes 1 % of a core at most.
const MESSAGES_PER_SECOND = 2000;
const BYTES_PER_SECOND = 4_194_304;
// Time after the end of the process for output that is still in the pipes.
const OUTPUT_LIMIT_MS = 1000;

/** Controls the process of one bundle: exchanges messages, monitors it, and stops it with all its child processes. */
export class BundleProcess {
  readonly peer: MessagePeer;
  /** Resolves with the reason when the process has exited. */
  readonly ended: Promise<BundleError>;
  readonly #options: BundleProcessOptions;
  readonly #launched: LaunchedBundle;
  readonly #pipe: FramePipe;
  readonly #storage: StorageWatch;
  #reason: BundleError | undefined;
  readonly #watching = new AbortController();

  constructor(options: BundleProcessOptions) {
    this.#options = options;
    const { launched, clock } = options;
    this.#launched = launched;
    this.ended = this.#awaitEnd();
    const log = new BundleLog(options);
    for (const { stream, level } of launched.output) log.follow(stream, level);
    this.peer = new MessagePeer({
      send: (message) => this.#pipe.send(message),
      handler: {
        onCall: (method, params, signal) => options.handler.onCall(method, params, signal),
        onNotification: (method, params) => this.#onNotification(log, method, params),
      },
      clock,
    });
    this.#pipe = new FramePipe({
      stream: launched.link,
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
    this.#storage = new StorageWatch({
      measure: (maximumEntries) => launched.measureStorage(maximumEntries),
      limits: options.storageLimits,
      intervalMs: options.limits.storageCheckIntervalMs,
      setWritable: (isWritable) => launched.setWritable(isWritable),
      onExceeded: (error) => this.#onExceeded(error),
      logger: options.logger,
      clock,
    });
    // From the beginning: code of the bundle runs before it is active.
    void this.#storage.run(this.#watching.signal);
  }

  /** Process id; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#launched.pid;
  }

  /** Returns the storage usage of the bundle; undefined before the first measurement. */
  storage(): StorageStatus | undefined {
    return this.#storage.status();
  }

  /** Starts the checks of heartbeat and memory. */
  watch(): void {
    const { heartbeatIntervalMs, memoryCheckIntervalMs } = this.#options.limits;
    void this.#repeat(heartbeatIntervalMs, () => this.#checkHeartbeat());
    void this.#repeat(memoryCheckIntervalMs, () => this.#checkMemory());
  }

  /** Kills the process. */
  kill(reason: BundleError): void {
    this.#end(reason);
    this.#launched.kill();
  }

  /** Calls `deactivate`, then terminates the process; resolves when it has exited. */
  async stop(): Promise<void> {
    const { limits, clock, onStop } = this.#options;
    this.#watching.abort();
    onStop();
    await this.#deactivate();
    this.#end(new BundleError('BUNDLE_STOPPED', 'the bundle was stopped'));
    this.#launched.terminate();
    const patience = new AbortController();
    await Promise.race([
      this.ended.then(() => patience.abort()),
      delay(clock, limits.terminationMs, patience.signal).catch(() => undefined),
    ]);
    this.#launched.kill();
    await this.ended;
  }

  /** Calls `deactivate`; a failure is logged, because the bundle may have lost what it was to store there. */
  async #deactivate(): Promise<void> {
    const { limits, logger } = this.#options;
    if (this.#reason !== undefined) return;
    try {
      await this.peer.call('deactivate', {}, { deadlineMs: limits.deactivationMs, isUrgent: true });
    } catch (error) {
      logger.warn('bundle.deactivationFailed', { error });
    }
  }

  #onNotification(log: BundleLog, method: string, params: unknown): void {
    if (method !== 'log') {
      this.#options.handler.onNotification(method, params);
      return;
    }
    const { level, message, fields } = checkMessage(BUNDLE_NOTIFICATIONS.log, method, params);
    log.write(level, message, fields);
  }

  async #checkHeartbeat(): Promise<void> {
    const deadlineMs = this.#options.limits.heartbeatDeadlineMs;
    try {
      await this.peer.call('ping', {}, { deadlineMs, isUrgent: true });
    } catch (cause) {
      const detail = `the bundle did not respond within ${deadlineMs} ms`;
      this.kill(new BundleError('BUNDLE_UNRESPONSIVE', detail, cause));
    }
  }

  async #checkMemory(): Promise<void> {
    const { residentMib } = this.#options.limits;
    const bytes = await this.#launched.readResidentBytes();
    if (bytes === undefined || bytes <= residentMib * 1_048_576) return;
    const detail = `the bundle uses more than ${residentMib} MiB of memory`;
    this.#onExceeded(new BundleError('BUNDLE_MEMORY_EXCEEDED', detail));
  }

  // A measurement may end after the stop has begun, which has its own time limits.
  #onExceeded(error: BundleError): void {
    if (!this.#watching.signal.aborted) this.kill(error);
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
    // Usually the process has exited, and its exit status says more; otherwise it is killed.
    this.#options.clock.schedule(this.#options.limits.terminationMs, () =>
      this.kill(new BundleError('BUNDLE_ENDED', 'the bundle has closed its link')),
    );
  }

  /** Records the reason why the process ends; the first one counts. */
  #end(reason: BundleError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#watching.abort();
    this.peer.end(reason);
  }

  async #awaitEnd(): Promise<BundleError> {
    const error = await this.#launched.ended;
    this.#end(error);
    this.#pipe.close();
    this.#options.clock.schedule(OUTPUT_LIMIT_MS, () => {
      for (const { stream } of this.#launched.output) stream.destroy();
    });
    return this.#reason ?? error;
  }
}
