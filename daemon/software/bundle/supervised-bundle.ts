import type { ErrorCode } from '../../base/error-codes.ts';
import type { Cancel, Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { hidePaths } from '../../base/text/hide-paths.ts';
import type { Logger } from '../../base/logger.ts';
import type { Semaphore } from '../../base/sharing/semaphore.ts';
import { BundleError } from './bundle-error.ts';
import type { BundleHost, BundleSession, RunningReport } from './bundle-host.ts';
import type { BundleLauncher, LaunchPaths } from './process/bundle-launcher.ts';
import type { BundleLimits } from './bundle-limits.ts';
import type { BundleLines } from './bundle-lines.ts';
import type { KeepLine } from './bundle-log.ts';
import { parsePermissions } from './bundle-permissions.ts';
import { BundleProcess } from './process/bundle-process.ts';
import { transition } from './bundle-state.ts';
import type { BundleEffect, BundleOccurrence } from './bundle-state.ts';
import type { BundleState } from '../../interface/software/bundle.ts';
import type { Bundle } from './bundle.ts';
import { checkDevices } from './check-devices.ts';
import { BUNDLE_RESULTS, checkMessage, PROTOCOL_VERSION } from './message/messages.ts';
import { decideRestart, NO_ENDS } from './restart-policy.ts';
import type { StorageLimits } from './storage/storage-decision.ts';
import type { StorageStatus } from './storage/storage-watch.ts';

/** State of a bundle, for operators. */
export interface BundleStatus extends RunningReport {
  readonly bundle: Bundle;
  readonly state: BundleState;
  /** Reason when it is FAILED, or waits for its settings. */
  readonly cause?: string | undefined;
  readonly causeCode?: ErrorCode | undefined;
  readonly causeReasons?: BundleError['reasons'];
  /** Time of the planned restart, in milliseconds since the epoch; absent: none is planned. */
  readonly restartAtMs?: number | undefined;
  readonly pid?: number | undefined;
  /** Storage usage; absent while it does not run. */
  readonly storage?: StorageStatus | undefined;
}

interface SupervisedBundleOptions {
  readonly bundle: Bundle;
  readonly host: BundleHost;
  readonly limits: BundleLimits;
  /** Returns its current storage quota. */
  readonly storageLimits: () => StorageLimits;
  /** Limits how many bundles start at once. */
  readonly starts: Semaphore;
  readonly launcher: BundleLauncher;
  /** Called after each change of state. */
  readonly onStateChange: (status: BundleStatus) => void;
  /** Stores its output and state changes. */
  readonly lines: BundleLines;
  /** Names the bundle. */
  readonly logger: Logger;
  readonly clock: Clock;
}

/** A process that runs, before its activation. */
interface SpawnedBundle {
  readonly process: BundleProcess;
  readonly session: BundleSession;
  readonly paths: LaunchPaths;
}

// Errors that a restart with the same files cannot fix.
const PERMANENT: ReadonlySet<ErrorCode> = new Set([
  'BUNDLE_NOT_STARTABLE',
  'BUNDLE_PERMISSIONS_INVALID',
  'BUNDLE_DEVICE_UNSUITABLE',
  'BUNDLE_DIRECTORY_UNSAFE',
  'BUNDLE_STORAGE_EXCEEDED',
  'BUNDLE_SETTINGS_INVALID',
]);

/** Supervises one bundle: starts it, restarts it when it ends, and stops it. */
export class SupervisedBundle {
  readonly #options: SupervisedBundleOptions;
  #state: BundleState;
  #cause: Pick<BundleError, 'code' | 'detail' | 'reasons'> | undefined;
  /** Reason that it does not start: it waits for its settings. */
  #obstacle: BundleError | undefined;
  #session: BundleSession | undefined;
  #restartAtMs: number | undefined;
  #cancelRestart: Cancel | undefined;
  #cancelProbation: Cancel | undefined;
  #history = NO_ENDS;
  #activeAtMs: number | undefined;
  #launching: AbortController | undefined;
  #process: BundleProcess | undefined;
  #running: Promise<void> = Promise.resolve();
  #probation: PromiseWithResolvers<void> | undefined;
  #isRestarting = false;

  constructor(options: SupervisedBundleOptions) {
    this.#options = options;
    this.#state = options.bundle.main === undefined ? 'RESOLVED' : 'INSTALLED';
  }

  status(): BundleStatus {
    const { detail: cause, code: causeCode, reasons: causeReasons } = this.#cause ?? this.#obstacle ?? {};
    return {
      bundle: this.#options.bundle,
      state: this.#state,
      cause,
      causeCode,
      causeReasons,
      restartAtMs: this.#restartAtMs,
      pid: this.#process?.pid,
      storage: this.#process?.storage(),
      ...(this.#session && this.#options.host.reportOf(this.#session)),
    };
  }

  /**
   * Starts the bundle, or waits for a start in progress; resolves when it has been ACTIVE for the probation time. A bundle without
   * a main module is not started, and one whose settings are not valid starts once they are.
   *
   * @throws {BundleError} the reason when it fails
   */
  async start(): Promise<void> {
    if (this.#state === 'STOPPING') await this.#running;
    if (this.#state === 'INSTALLED' || this.#state === 'FAILED') {
      this.#history = NO_ENDS;
      this.#forgetRestart();
      if (this.#mustWait()) return;
      this.#beginProbation();
      this.#apply('START');
    }
    await this.#probation?.promise;
  }

  /** Stops the bundle; resolves when its process has ended. */
  async stop(): Promise<void> {
    this.#isRestarting = false;
    this.#apply('STOP');
    this.#probation?.reject(new BundleError('BUNDLE_STOPPED', 'the bundle was stopped'));
    await this.#running;
  }

  /** Restarts the bundle without waiting, even after its restarts were stopped; clears its restart history. */
  restart(): void {
    // The state shows a failure; the promise of the first start has been rejected already.
    if (this.#state === 'FAILED') this.start().catch(() => undefined);
    this.#history = NO_ENDS;
    if (this.#state !== 'ACTIVE') return;
    this.#isRestarting = true;
    this.#apply('STOP');
  }

  /** Follows a change of the settings: a bundle that waits for them starts, and one that no longer has valid ones stops. */
  revise(): void {
    const { host, bundle } = this.#options;
    if (this.#obstacle !== undefined) {
      // The state shows a failure.
      this.start().catch(() => undefined);
    } else if (this.#state === 'ACTIVE' || this.#state === 'STARTING') {
      this.#obstacle = host.admit(bundle);
      if (this.#obstacle !== undefined) void this.stop();
    }
  }

  #mustWait(): boolean {
    const { host, bundle } = this.#options;
    const before = this.#obstacle?.detail;
    this.#obstacle = host.admit(bundle);
    const reason = this.#obstacle?.detail;
    if (reason !== undefined && reason !== before) {
      this.#cause = undefined;
      this.#keep({ level: 'warn', source: 'GATEWAY', message: reason });
      this.#options.logger.warn('bundle.waitsForSettings', { reason });
      this.#options.onStateChange(this.status());
    }
    return reason !== undefined;
  }

  #beginProbation(): void {
    this.#probation = Promise.withResolvers<void>();
    // A rejection without a waiting caller must not end the daemon.
    this.#probation.promise.catch(() => undefined);
  }

  #apply(occurrence: BundleOccurrence, cause?: BundleError): void {
    const { state, effect } = transition(this.#state, occurrence);
    const isChanged = state !== this.#state;
    this.#state = state;
    this.#cause = state === 'FAILED' ? (cause ?? this.#cause) : undefined;
    this.#act(effect, cause);
    if (!isChanged) return;
    const message = this.#cause === undefined ? state : `${state}: ${this.#cause.detail}`;
    this.#keep({ level: state === 'FAILED' ? 'error' : 'info', source: 'GATEWAY', message });
    this.#options.onStateChange(this.status());
  }

  #keep(line: Parameters<KeepLine>[0]): void {
    const { lines, clock, bundle } = this.#options;
    lines.add({ ...line, timeMs: clock.epochMs(), version: bundle.id.version });
  }

  #act(effect: BundleEffect, cause: BundleError | undefined): void {
    switch (effect) {
      case 'SPAWN':
        this.#running = this.#run();
        return;
      case 'TERMINATE':
        this.#launching?.abort(new BundleError('BUNDLE_STOPPED', 'the bundle was stopped'));
        void this.#process?.stop();
        return;
      case 'PLAN_RESTART':
        this.#planRestart(cause ?? new BundleError('BUNDLE_ENDED', 'the bundle has ended'));
        return;
      case 'CANCEL_RESTART':
        this.#forgetRestart();
        return;
      case 'NONE':
    }
  }

  /** Runs the process of the bundle from its start to its end; never rejects. */
  async #run(): Promise<void> {
    const { starts, host, clock, limits } = this.#options;
    let session: BundleSession | undefined;
    let end: BundleError;
    this.#launching = new AbortController();
    const { signal } = this.#launching;
    try {
      await starts.run(signal, async () => {
        const spawned = await this.#spawn(signal, (made) => {
          session = made;
          this.#session = made;
        });
        await this.#activate(spawned);
      });
      this.#activeAtMs = clock.monotonicMs();
      this.#cancelProbation = clock.schedule(limits.probationMs, () => this.#probation?.resolve());
      this.#process?.watch();
      this.#apply('ACTIVATED');
      end = (await this.#process?.ended) ?? new BundleError('BUNDLE_ENDED', 'the bundle has ended');
    } catch (thrown) {
      const error = thrown instanceof BundleError ? thrown : activationFailure(thrown);
      if (error.code === 'BUNDLE_SETTINGS_INVALID') this.#obstacle = error;
      this.#process?.kill(error);
      end = (await this.#process?.ended) ?? error;
    }
    if (session !== undefined) host.onEnd(session);
    this.#session = undefined;
    this.#process = undefined;
    this.#cancelProbation?.();
    this.#probation?.reject(end);
    if (!this.#isRestarting) {
      this.#apply('ENDED', end);
      return;
    }
    this.#isRestarting = false;
    this.#beginProbation();
    this.#apply('ENDED_FOR_RESTART');
  }

  async #spawn(stopped: AbortSignal, onSession: (session: BundleSession) => void): Promise<SpawnedBundle> {
    const { bundle, limits, storageLimits, host, launcher, logger, clock } = this.#options;
    this.#activeAtMs = undefined;
    const permissions = parsePermissions(bundle);
    await checkDevices(permissions.devices);
    const launched = await launcher.launch({ bundle, permissions, signal: stopped });
    if (stopped.aborted) {
      launched.kill();
      await launched.ended;
    }
    stopped.throwIfAborted();
    const session: BundleSession = {
      id: bundle.id,
      permissions,
      async call(method, params, options) {
        const answer = await process.peer.call(method, params, options);
        return checkMessage(BUNDLE_RESULTS[method], method, answer) as never;
      },
      notify: (method, params) => process.peer.notify(method, params),
    };
    const { memoryMib: residentMib = limits.residentMib } = bundle;
    const process: BundleProcess = new BundleProcess({
      launched,
      limits: { ...limits, residentMib },
      storageLimits,
      handler: {
        onCall: (method, params, signal) => host.onCall(session, method, params, signal),
        onNotification: (method, params) => host.onNotification(session, method, params),
      },
      onStop: () => host.onStop(session),
      keep: (line) => this.#keep(line),
      logger,
      clock,
    });
    this.#process = process;
    onSession(session);
    return { process, session, paths: launched.paths };
  }

  async #activate({ process, session, paths }: SpawnedBundle): Promise<void> {
    const { bundle, host, limits } = this.#options;
    const context = { ...bundle.id, ...paths, ...host.contextOf(session, bundle) };
    const params = { protocol: PROTOCOL_VERSION, context };
    try {
      await process.peer.call('activate', params, { deadlineMs: limits.activationMs });
    } catch (error) {
      // The end of the process says more than the failed call.
      if (error instanceof BundleError && error.code !== 'BUNDLE_CALL_FAILED') throw error;
      throw activationFailure(error);
    }
  }

  #planRestart(cause: BundleError): void {
    const { clock, logger } = this.#options;
    const nowMs = clock.monotonicMs();
    const activeMs = this.#activeAtMs === undefined ? 0 : nowMs - this.#activeAtMs;
    const { decision, history } = decideRestart(this.#history, { atMs: nowMs, activeMs });
    this.#history = history;
    const { code, detail } = cause;
    // Full error text of the bundle, for the log; clients see it without paths and stack.
    const underlying = cause.cause === undefined ? {} : { error: cause.cause };
    if (decision.kind === 'GIVE_UP' || PERMANENT.has(code)) {
      const reason = decision.kind === 'GIVE_UP' ? decision.reason : undefined;
      logger.error('bundle.failed', {
        code,
        cause: detail,
        ...underlying,
        ...(reason === undefined ? {} : { reason }),
      });
      return;
    }
    const { delayMs } = decision;
    logger.warn('bundle.exited', { code, cause: detail, ...underlying, restartInMs: delayMs });
    this.#restartAtMs = clock.epochMs() + delayMs;
    this.#cancelRestart = clock.schedule(delayMs, () => {
      this.#forgetRestart();
      this.#apply('PAUSED');
    });
  }

  #forgetRestart(): void {
    this.#cancelRestart?.();
    this.#cancelRestart = undefined;
    this.#restartAtMs = undefined;
  }
}

function activationFailure(thrown: unknown): BundleError {
  const detail = `the bundle could not be activated: ${hidePaths(messageOf(thrown))}`;
  return new BundleError('BUNDLE_ACTIVATION_FAILED', detail, thrown);
}
