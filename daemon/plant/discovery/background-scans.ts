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

/** What is known of a scan beside what it finds. */
interface ScanOrigin {
  /** Id of the identity that began it; nobody else sees it. */
  readonly owner: string;
  /** Kind of driver. */
  readonly type: string;
  /** Settings as they were given, with their secrets. */
  readonly settings: Settings;
  /** Whether the identity may still do this; the scan is stopped when it may not. */
  readonly isPermitted: () => boolean;
}

/** A scan as it is now. Times are milliseconds since the epoch. */
export interface BackgroundScan extends Pick<ScanOrigin, 'type' | 'settings'> {
  readonly id: string;
  readonly target: string;
  readonly state: ScanState;
  readonly startedAtMs: number;
  readonly endedAtMs?: number | undefined;
  readonly progress?: Omit<ScanProgress, 'type'> | undefined;
  /** Estimate for the present stretch of the scan; absent while nobody can know, and once it has ended. */
  readonly leftMs?: number | undefined;
  /** How much was found, what is no longer kept included. */
  readonly found: number;
  readonly findings: readonly Omit<ScanFinding, 'type'>[];
  /** Present once it is ENDED. */
  readonly result?: ScanResult | undefined;
  /** Present once it is FAILED. */
  readonly failure?: ScanFailure | undefined;
}

/** Each asks a device without pause; a gateway has few lines. */
const MAXIMUM_RUNNING = 8;
/** Those of one identity: the others keep as many. */
const MAXIMUM_RUNNING_OF_OWNER = 4;
/** Those that run included; the ones that ended first are forgotten first. */
const MAXIMUM_KEPT = 16;
/** A person comes back to what was found before lunch. */
const KEPT_MS = 3_600_000;
/** More than the default of any kind of driver finds. */
const MAXIMUM_FINDINGS = 5000;

/** Runs scans for those who do not wait for them, and keeps what they find for an hour. */
export class BackgroundScans {
  readonly #options: BackgroundScansOptions;
  /** In the order in which they began. */
  readonly #scans = new Map<string, RunningScan>();

  constructor(options: BackgroundScansOptions) {
    this.#options = options;
  }

  /**
   * Begins a scan that goes on by itself.
   *
   * @throws {Conflict} `SCANS_TOO_MANY` while as many run as may, of this identity or of all
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

  /** @throws {NotFound} `SCAN_UNKNOWN`, also when it belongs to another identity */
  get(owner: string, id: string): BackgroundScan {
    return this.#get(owner, id).show();
  }

  /**
   * Ends a scan soon, which keeps what it has found; one that has ended stays as it is.
   *
   * @throws {NotFound} as `get` does
   */
  stop(owner: string, id: string): void {
    this.#get(owner, id).stop();
  }

  /**
   * Stops a scan and forgets what it has found.
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

/** One scan, from its begin until it is forgotten. */
class RunningScan {
  /** Resolves when it has ended, for whatever reason. */
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
    // Nobody's request is open, whose end would end the scan with the rights of its identity.
    if (!this.#options.origin.isPermitted()) this.stop();
    if (event.type === 'progress') {
      const { done, total, text } = event;
      this.#progress = { done, total, text };
      this.#timeLeft.note({ done, total, atMs: this.#options.clock.monotonicMs() });
      return;
    }
    const { subject, kind, text, fields } = event;
    this.#found += 1;
    if (this.#findings.length < MAXIMUM_FINDINGS) this.#findings.push({ subject, kind, text, fields });
  }
}
