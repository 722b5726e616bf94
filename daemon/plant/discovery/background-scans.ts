import type { Clock } from '../../base/clock.ts';
import { Conflict, NotFound } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import type { RandomSource } from '../../base/random.ts';
import type { ScanEvent, ScanFinding, ScanProgress, Settings } from '../../channel/discovery.ts';
import type { ScanState } from '../../interface/plant/scans.ts';
import type { ScanResult, ScanFailure } from './scan.ts';
import { describeScanFailure } from './scan.ts';
import type { PreparedScan } from './scans.ts';
import { EtaEstimator } from './eta-estimator.ts';

interface BackgroundScansOptions {
  readonly clock: Clock;
  readonly random: Pick<RandomSource, 'uuid'>;
  readonly logger: Logger;
}

/** Origin of a scan. */
interface ScanOrigin {
  /** Id of the identity that started it; hidden from all others. */
  readonly owner: string;
  /** Driver type. */
  readonly type: string;
  /** Settings as provided, with their secrets. */
  readonly settings: Settings;
  /** Returns true while the identity has the permission; otherwise the scan is stopped. */
  readonly isPermitted: () => boolean;
}

/** Current state of a scan. Times are milliseconds since the epoch. */
export interface BackgroundScan extends Pick<ScanOrigin, 'type' | 'settings'> {
  readonly id: string;
  readonly target: string;
  readonly state: ScanState;
  readonly startedAtMs: number;
  readonly endedAtMs?: number | undefined;
  readonly progress?: Omit<ScanProgress, 'type'> | undefined;
  /** Estimated time left in the current phase; absent if unknown, and after the end. */
  readonly leftMs?: number | undefined;
  /** Number of findings, including those that were dropped. */
  readonly found: number;
  readonly findings: readonly Omit<ScanFinding, 'type'>[];
  /** Present once it is ENDED. */
  readonly result?: ScanResult | undefined;
  /** Present once it is FAILED. */
  readonly failure?: ScanFailure | undefined;
}

/** Each scan sends requests without pause; a gateway has few lines. */
const MAXIMUM_RUNNING = 8;
/** Maximum of one identity: the others have as many left. */
const MAXIMUM_RUNNING_OF_OWNER = 4;
/** Including running ones; those that ended first are dropped first. */
const MAXIMUM_KEPT = 16;
/** Results remain available over a lunch break. */
const KEPT_MS = 3_600_000;
/** More than any driver type finds with its defaults. */
const MAXIMUM_FINDINGS = 5000;

/** Runs scans in the background and stores their results for an hour. */
export class BackgroundScans {
  readonly #options: BackgroundScansOptions;
  /** In the order in which they began. */
  readonly #scans = new Map<string, RunningScan>();

  constructor(options: BackgroundScansOptions) {
    this.#options = options;
  }

  /**
   * Starts a background scan.
   *
   * @throws {Conflict} `SCANS_TOO_MANY` at the maximum of running scans, of this identity or in total
   */
  start(prepared: PreparedScan, origin: ScanOrigin): BackgroundScan {
    const { random, clock } = this.#options;
    const running = [...this.#scans.values()].filter(({ isRunning }) => isRunning);
    const own = running.filter(({ owner }) => owner === origin.owner);
    if (own.length >= MAXIMUM_RUNNING_OF_OWNER || running.length >= MAXIMUM_RUNNING) {
      const whose = own.length >= MAXIMUM_RUNNING_OF_OWNER ? `${own.length} own` : running.length;
      const detail = `${whose} scans are in progress; stop one or wait until it ends`;
      throw new Conflict({ code: 'SCANS_TOO_MANY', detail });
    }
    const id = random.uuid();
    const scan = new RunningScan({ ...this.#options, id, prepared, origin });
    this.#scans.set(id, scan);
    const oldest = [...this.#scans.values()].find(({ isRunning }) => !isRunning);
    if (this.#scans.size > MAXIMUM_KEPT && oldest !== undefined) this.#scans.delete(oldest.id);
    void scan.ended.then(() => clock.schedule(KEPT_MS, () => this.#scans.delete(id)));
    return scan.show();
  }

  /** Lists the scans of an identity, the newest first. */
  list(owner: string): readonly BackgroundScan[] {
    const own = [...this.#scans.values()].filter((scan) => scan.owner === owner);
    return own.toReversed().map((scan) => scan.show());
  }

  /** @throws {NotFound} `SCAN_UNKNOWN`, also for scans of another identity */
  get(owner: string, id: string): BackgroundScan {
    return this.#get(owner, id).show();
  }

  /**
   * Stops a scan, which retains its findings; one that has ended stays unchanged.
   *
   * @throws {NotFound} as `get` does
   */
  stop(owner: string, id: string): void {
    this.#get(owner, id).stop();
  }

  /**
   * Stops a scan and deletes its findings.
   *
   * @throws {NotFound} as `get` does
   */
  forget(owner: string, id: string): void {
    this.stop(owner, id);
    this.#scans.delete(id);
  }

  /** Stops all scans; resolves when nothing more is sent to a device. */
  async close(): Promise<void> {
    const scans = [...this.#scans.values()];
    for (const scan of scans) scan.stop();
    await Promise.all(scans.map(({ ended }) => ended));
  }

  #get(owner: string, id: string): RunningScan {
    const scan = this.#scans.get(id);
    if (scan?.owner === owner) return scan;
    throw new NotFound({ code: 'SCAN_UNKNOWN', detail: `unknown scan "${id}"` });
  }
}

interface RunningScanOptions extends BackgroundScansOptions {
  readonly id: string;
  readonly prepared: PreparedScan;
  readonly origin: ScanOrigin;
}

/** One scan, from its start until it is deleted. */
class RunningScan {
  /** Resolves when it has ended, for any reason. */
  readonly ended: Promise<void>;
  readonly #options: RunningScanOptions;
  readonly #startedAtMs: number;
  readonly #stopping = new AbortController();
  readonly #timeLeft = new EtaEstimator();
  readonly #findings: Omit<ScanFinding, 'type'>[] = [];
  #found = 0;
  #progress: Omit<ScanProgress, 'type'> | undefined;
  #end: Pick<BackgroundScan, 'state' | 'endedAtMs' | 'result' | 'failure'> = { state: 'RUNNING' };

  constructor(options: RunningScanOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock.epochMs();
    this.ended = this.#run();
  }

  get id(): string {
    return this.#options.id;
  }

  get owner(): string {
    return this.#options.origin.owner;
  }

  get isRunning(): boolean {
    return this.#end.state === 'RUNNING';
  }

  stop(): void {
    this.#stopping.abort();
  }

  show(): BackgroundScan {
    const { id, prepared, origin, clock } = this.#options;
    const { type, settings } = origin;
    return {
      id,
      type,
      settings,
      target: prepared.target,
      startedAtMs: this.#startedAtMs,
      progress: this.#progress,
      leftMs: this.isRunning ? this.#timeLeft.estimateMs(clock.monotonicMs()) : undefined,
      found: this.#found,
      findings: this.#findings,
      ...this.#end,
    };
  }

  async #run(): Promise<void> {
    const { prepared, clock, logger } = this.#options;
    const scanning = {
      signal: this.#stopping.signal,
      report: (event: ScanEvent) => this.#take(event),
    };
    try {
      const result = await prepared.run(scanning);
      this.#end = { state: 'ENDED', endedAtMs: clock.epochMs(), result };
    } catch (error) {
      const failure = describeScanFailure(error, logger);
      this.#end = { state: 'FAILED', endedAtMs: clock.epochMs(), failure };
    }
  }

  #take(event: ScanEvent): void {
    // No request is open that would end the scan together with the rights of its identity.
    if (!this.#options.origin.isPermitted()) this.stop();
    if (event.type === 'progress') {
      const { type: _progress, ...progress } = event;
      const { done, total } = progress;
      this.#progress = progress;
      this.#timeLeft.note({ done, total, atMs: this.#options.clock.monotonicMs() });
      return;
    }
    const { type: _found, ...finding } = event;
    this.#found += 1;
    if (this.#findings.length < MAXIMUM_FINDINGS) this.#findings.push(finding);
  }
}
