import type { Clock } from '../../../daemon/base/clock.ts';
import type { ModbusLine } from '../link/modbus-line.ts';
import { readAround } from './read-around.ts';
import type { Piece, SilentRanges } from './read-around.ts';
import { planReads, rejoinReads } from './read-plan.ts';
import type { LimitsOf, ReadLimits } from './read-plan.ts';
import { toRequest } from './read-span.ts';
import type { ReadSpan, Step } from './read-span.ts';
import type { UnitSettingsTable } from '../unit-settings.ts';
import { READ_FUNCTION, contains } from '../pdu/modbus-functions.ts';
import type { Table } from '../modbus-address.ts';
import type { RequestSizes } from '../pdu/request-sizes.ts';

// A device can get new registers without losing its link; they are found after this time.
const REFINEMENT_LIFETIME_MS = 300_000;

export interface ReadPlansOptions {
  readonly line: Pick<ModbusLine, 'linkNumber' | 'sizes' | 'findSilentRanges'>;
  readonly settings: UnitSettingsTable;
  readonly limits: ReadLimitsTable;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** Outcomes of the requests of a call. */
export interface StepOutcomes {
  readonly good: readonly Step[];
  /** Refused permanently: the device has none of the addresses. */
  readonly refused: readonly Step[];
  /** To be sent again unchanged. */
  readonly unsettled: readonly Step[];
  /** To be joined and sent again, because splitting was given up. */
  readonly fruitless: readonly Step[];
}

/**
 * Result of splitting refused requests, so that only missing channels fail. It expires with the link, with the settings
 * and after a time, because the device may change.
 */
interface Refinement extends StepOutcomes {
  readonly linkNumber: number;
  /** Settings revision of the requests. */
  readonly revision: number;
  readonly untilMs: number;
}

interface BuiltPlan {
  readonly steps: readonly Step[];
  readonly refinement: Refinement | undefined;
  /** Limits revision of the requests. */
  readonly revision: number;
}

/** Plans the requests of each read from the outcomes of earlier ones. Performs no I/O. */
export class ReadPlans {
  readonly #options: ReadPlansOptions;
  readonly #spans: readonly ReadSpan[];
  readonly #limitsOf: LimitsOf;
  #refinement: Refinement | undefined;
  #built: BuiltPlan | undefined;

  constructor(spans: readonly ReadSpan[], options: ReadPlansOptions) {
    this.#options = options;
    this.#spans = spans;
    this.#limitsOf = (unitId, table) => options.limits.of(unitId, table);
  }

  /**
   * Returns the requests of the next read. They omit suspended addresses, and those that timed out last time come last,
   * so that they do not delay the others.
   */
  next(): readonly Step[] {
    const { line } = this.#options;
    const steps = this.#current();
    if (steps.every(({ unitId }) => line.findSilentRanges(unitId) === undefined)) return steps;
    const pieces = steps.flatMap((step): readonly Piece<Step>[] => {
      const silentRanges = line.findSilentRanges(step.unitId);
      const isWhole = silentRanges === undefined || step.isRefused === true;
      return isWhole ? [{ read: step, isDoubtful: false }] : readAround<ReadSpan, Step>(step, silentRanges);
    });
    return pieces.toSorted((a, b) => Number(a.isDoubtful) - Number(b.isDoubtful)).map(({ read }) => read);
  }

  /**
   * Records the requests that timed out and whose parts are now read: the results show whether the length was the
   * cause.
   */
  recordTimeoutSplits(steps: readonly Step[]): void {
    for (const unitId of new Set(steps.map((step) => step.unitId))) {
      const silentRanges = this.#options.line.findSilentRanges(unitId);
      if (silentRanges !== undefined) this.#recordTimeoutSplitsOf(steps, unitId, silentRanges);
    }
  }

  /** Splits a request that became too long after it was planned. */
  splitToSize(step: Step): readonly Step[] {
    const isLimited = this.#options.line.sizes.find(toRequest(step)) !== undefined;
    if (step.isRefused === true || !isLimited) return [step];
    const pieces = planReads(step.spans, (unitId, table) => ({
      ...this.#limitsOf(unitId, table),
      maximumGap: Number.POSITIVE_INFINITY,
    }));
    return pieces.length > 1 ? pieces : [step];
  }

  /** Stores the outcomes of a call that split requests. */
  refine(outcomes: StepOutcomes): void {
    const { line, clock, settings } = this.#options;
    const { refused, unsettled, fruitless } = outcomes;
    const isComplete = refused.length + unsettled.length + fruitless.length === 0;
    // All entries were answered, so that the request lengths and boundaries suffice.
    if (isComplete && !outcomes.good.some((step) => this.#bridgesGaps(step))) {
      this.#refinement = undefined;
      return;
    }
    // A search over several reads expires with its first one.
    const untilMs = this.#refinement?.untilMs ?? clock.monotonicMs() + REFINEMENT_LIFETIME_MS;
    const { linkNumber } = line;
    this.#refinement = { ...outcomes, linkNumber, revision: settings.revision, untilMs };
  }

  #current(): readonly Step[] {
    const { limits } = this.#options;
    const refinement = this.#findRefinement();
    const { revision } = limits;
    const built = this.#built;
    if (built !== undefined && built.refinement === refinement && built.revision === revision)
      return built.steps;
    const steps = refinement === undefined ? planReads(this.#spans, this.#limitsOf) : this.#build(refinement);
    this.#built = { steps, refinement, revision };
    return steps;
  }

  #findRefinement(): Refinement | undefined {
    const { line, clock, settings } = this.#options;
    const refinement = this.#refinement;
    if (refinement === undefined) return undefined;
    const { linkNumber, revision, untilMs } = refinement;
    const isSame = linkNumber === line.linkNumber && revision === settings.revision;
    const isKnown = isSame && clock.monotonicMs() < untilMs;
    if (!isKnown) this.#refinement = undefined;
    return this.#refinement;
  }

  // At most one request per channel.
  #build({ good, refused, unsettled, fruitless }: Refinement): readonly Step[] {
    const refusedRuns = rejoinReads(refused, this.#limitsOf).map((run) =>
      Object.assign({ isRefused: true }, run),
    );
    const again = rejoinReads(fruitless, this.#limitsOf);
    return [...this.#joinGood(good), ...refusedRuns, ...again, ...unsettled];
  }

  // A request answered across a gap keeps the gap; no other gap is bridged.
  #joinGood(good: readonly Step[]): readonly Step[] {
    const bridging = good.filter((step) => this.#bridgesGaps(step));
    const others = good.filter((step) => !this.#bridgesGaps(step)).flatMap(({ spans }) => spans);
    return [...rejoinReads(bridging, this.#limitsOf), ...planReads(others, this.#limitsOf)];
  }

  #bridgesGaps({ unitId }: Step): boolean {
    return this.#options.settings.of(unitId).maximumGap > 0;
  }

  #recordTimeoutSplitsOf(steps: readonly Step[], unitId: number, { suspended }: SilentRanges): void {
    const requests = steps.filter((step) => step.unitId === unitId).map(toRequest);
    for (const { range } of suspended) {
      const parts = requests.filter((request) => contains(range, request));
      const isRequested = requests.some((request) => contains(request, range));
      const [, second] = parts.toSorted((a, b) => a.offset - b.offset);
      if (isRequested || second === undefined) continue;
      const { offset, quantity } = range;
      const request = { functionCode: second.functionCode, unitId, offset, quantity };
      this.#options.line.sizes.recordSplit({ request, at: second.offset, cause: 'SILENT' });
    }
  }
}

/** Read limits of each unit: from its settings and from its responses. */
export class ReadLimitsTable {
  readonly #settings: UnitSettingsTable;
  readonly #sizes: RequestSizes;

  constructor(settings: UnitSettingsTable, sizes: RequestSizes) {
    this.#settings = settings;
    this.#sizes = sizes;
  }

  /** Changes whenever other requests may be optimal. */
  get revision(): number {
    return this.#settings.revision + this.#sizes.revision;
  }

  /** Changes with the settings. */
  get settingsRevision(): number {
    return this.#settings.revision;
  }

  /** Returns the limits of the requests for a table of a unit. */
  of(unitId: number, table: Table): ReadLimits {
    const detected = this.#sizes.find({ unitId, functionCode: READ_FUNCTION[table] });
    return { ...this.#settings.of(unitId), detected };
  }
}
