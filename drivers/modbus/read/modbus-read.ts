import type { Clock } from '../../../daemon/base/clock.ts';
import { GatewayError } from '../../../daemon/base/errors.ts';
import { toFailure } from '../../../daemon/channel/call-failure.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { PlannedRequest, PreparedRead, Reading } from '../../../daemon/channel/driver.ts';
import { BusyPauses, isBusy } from '../write/busy-pauses.ts';
import type { ModbusAddress } from '../modbus-address.ts';
import { InvalidResponse, ExceptionResponse, ILLEGAL_DATA_ADDRESS, REFUSALS } from '../modbus-errors.ts';
import type { ExchangingLine } from '../link/exchange.ts';
import { SplitPolicy, SplitBackoff } from './split-policy.ts';
import { describeRead } from './plan-report.ts';
import { ReadAttempts } from './read-attempts.ts';
import { splitRead } from './read-plan.ts';
import { ReadPlans } from './read-plans.ts';
import type { ReadLimitsTable } from './read-plans.ts';
import { decodeSpans, toReadSpan, toRequest } from './read-span.ts';
import type { Step } from './read-span.ts';
import type { Transport } from '../link/transport.ts';
import type { UnitSettingsTable } from '../unit-settings.ts';

export interface ReadOptions {
  readonly line: ExchangingLine;
  /** Pauses and retries of each unit. */
  readonly settings: UnitSettingsTable;
  readonly limits: ReadLimitsTable;
  readonly wire: Transport['wire'];
  /** Maximum outstanding requests. */
  readonly depth: number;
  /** True if reads without a valid response are retried as well. */
  readonly retriesUnanswered: boolean;
  readonly clock: Clock;
}

/** State of one call. */
interface Call {
  readonly signal: AbortSignal;
  readonly readings: Reading[];
  readonly attempts: ReadAttempts;
  readonly splitting: SplitPolicy;
  /** Outcomes of the requests, see `StepOutcomes`. */
  readonly good: Step[];
  readonly refused: Step[];
  readonly unsettled: Step[];
  /** Requests refused because the unit was busy. */
  readonly busy: Map<number, Step[]>;
  readonly pauses: BusyPauses;
}

/** Outcome of one request. If the device refused it, some of its parts may still be answered. */
type StepOutcome =
  | {
      /** BUSY: the device requests a later retry. */
      readonly kind: 'READ' | 'BUSY' | 'FAILED';
    }
  | {
      readonly kind: 'REFUSED';
      /** True if the device reports an address as the reason. */
      readonly isOfAddress: boolean;
    };

/** A planned read of Modbus channels. */
export class ModbusRead implements PreparedRead {
  readonly #options: ReadOptions;
  readonly #plans: ReadPlans;
  readonly #splitBackoff: SplitBackoff;
  /** One entry per channel. */
  readonly #noReadings: readonly Reading[];

  constructor(channels: readonly Channel<ModbusAddress>[], options: ReadOptions) {
    this.#options = options;
    this.#plans = new ReadPlans(channels.map(toReadSpan), options);
    this.#splitBackoff = new SplitBackoff(options.clock);
    this.#noReadings = Array.from<Reading>({ length: channels.length });
  }

  async read(signal: AbortSignal): Promise<readonly Reading[]> {
    const { settings, clock } = this.#options;
    const { revision } = settings;
    const call: Call = {
      signal,
      readings: this.#noReadings.slice(),
      attempts: new ReadAttempts({ ...this.#options, signal }),
      splitting: new SplitPolicy(this.#splitBackoff, clock),
      good: [],
      refused: [],
      unsettled: [],
      busy: new Map(),
      pauses: new BusyPauses({ settings, clock, signal }),
    };
    const plan = this.#plans.next();
    this.#plans.recordTimeoutSplits(plan);
    await this.#readAll(call, plan);
    if (call.busy.size > 0) {
      await Promise.all([...call.busy.keys()].map((unitId) => this.#readBusy(call, unitId)));
    }
    const { fatalError } = call.attempts;
    if (fatalError !== undefined) throw fatalError;
    if (call.splitting.hasSplit && revision === settings.revision) this.#refine(call);
    return call.readings;
  }

  describe(): readonly PlannedRequest[] {
    const { line, wire, settings } = this.#options;
    return this.#plans.next().map((step) => {
      const { delayBetweenRequestsMs } = settings.of(step.unitId);
      const refusal = line.findRefusal(toRequest(step));
      return describeRead(step, { ...wire, delayBetweenRequestsMs }, refusal);
    });
  }

  #refine({ splitting, good, refused, unsettled }: Call): void {
    const isFruitless = (step: Step): boolean => splitting.isFruitless(step);
    this.#plans.refine({
      good,
      refused: refused.filter((step) => !isFruitless(step)),
      unsettled: unsettled.filter((step) => !isFruitless(step)),
      fruitless: [...refused, ...unsettled].filter(isFruitless),
    });
  }

  // Units with their own pause are read concurrently, so that the others do not wait for them.
  async #readAll(call: Call, plan: readonly Step[]): Promise<void> {
    const { settings } = this.#options;
    if (!plan.some(({ unitId }) => settings.hasOwnPause(unitId))) return this.#readGroup(call, plan);
    const groups = Map.groupBy(plan, ({ unitId }) => (settings.hasOwnPause(unitId) ? unitId : undefined));
    await Promise.all([...groups.values()].map((steps) => this.#readGroup(call, steps)));
  }

  async #readGroup(call: Call, plan: readonly Step[]): Promise<void> {
    const { depth } = this.#options;
    if (depth === 1 || plan.length === 1) return this.#readInTurn(call, plan);
    // Each worker takes the next step when its previous one is done.
    const steps = plan.values();
    const readOn = async (): Promise<void> => {
      for (const step of steps) await this.#readStep(call, step);
    };
    await Promise.all(Array.from({ length: Math.min(depth, plan.length) }, readOn));
  }

  // After all other reads, so that one busy unit does not delay them.
  async #readBusy(call: Call, unitId: number): Promise<void> {
    let steps = takeBusy(call, unitId);
    while (steps.length > 0 && (await call.pauses.wait(unitId))) {
      await this.#readInTurn(call, steps);
      steps = takeBusy(call, unitId);
    }
    call.unsettled.push(...steps);
  }

  async #readInTurn(call: Call, steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.#readStep(call, step);
  }

  async #readStep(call: Call, step: Step): Promise<void> {
    const pieces = this.#plans.splitToSize(step);
    if (pieces.length > 1) return this.#readInTurn(call, pieces);
    const outcome = await this.#readOnce(call, step);
    if (outcome.kind === 'READ') {
      call.splitting.recordResponse(step);
      call.good.push(step);
    } else if (outcome.kind === 'REFUSED') {
      await this.#splitRefused(call, step, outcome.isOfAddress);
    } else if (outcome.kind === 'BUSY') {
      call.busy.set(step.unitId, [...(call.busy.get(step.unitId) ?? []), step]);
    } else {
      call.unsettled.push(step);
    }
  }

  async #splitRefused(call: Call, step: Step, isOfAddress: boolean): Promise<void> {
    const { sizes } = this.#options.line;
    const halves = splitRead(step);
    const maySplit = call.splitting.recordRefusal(step, isOfAddress);
    if (step.isRefused === true || halves === undefined) {
      sizes.recordUnreadable(toRequest(step));
      call.refused.push(step);
    } else if (maySplit) {
      call.splitting.recordSplit();
      sizes.recordSplit({ request: toRequest(step), at: halves[1].offset, cause: 'REFUSED' });
      await this.#readInTurn(call, halves);
    } else {
      call.unsettled.push(step);
    }
  }

  async #readOnce(call: Call, step: Step): Promise<StepOutcome> {
    const { attempts, pauses, readings, signal } = call;
    try {
      const response = await attempts.exchange(toRequest(step));
      attempts.recordResponse();
      pauses.recordReady(step.unitId);
      step.measuredMs = response.durationMs;
      decodeSpans(readings, step, response);
      return { kind: 'READ' };
    } catch (error) {
      if (!(error instanceof GatewayError) && !signal.aborted) throw error;
      // If the request is split, later results replace these failures.
      this.#failAll(call, step, error);
      if (error instanceof InvalidResponse && error.isShort) return { kind: 'REFUSED', isOfAddress: false };
      if (!(error instanceof ExceptionResponse)) return { kind: 'FAILED' };
      attempts.recordResponse();
      if (isBusy(error)) return { kind: 'BUSY' };
      pauses.recordReady(step.unitId);
      const { exceptionCode } = error;
      if (!REFUSALS.has(exceptionCode)) return { kind: 'FAILED' };
      return { kind: 'REFUSED', isOfAddress: exceptionCode === ILLEGAL_DATA_ADDRESS };
    }
  }

  #failAll(call: Call, { spans }: Step, error: unknown): void {
    const failure = toFailure(error, call.signal);
    call.attempts.recordFailure(error);
    const timestampMs = this.#options.clock.epochMs();
    for (const { index } of spans) call.readings[index] = { failure, timestampMs };
  }
}

function takeBusy({ busy }: Call, unitId: number): readonly Step[] {
  const steps = busy.get(unitId) ?? [];
  busy.delete(unitId);
  return steps;
}
