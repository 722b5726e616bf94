import type { Clock } from '../../daemon/base/clock.ts';
import { GatewayError } from '../../daemon/base/errors.ts';
import { toFailure } from '../../daemon/channel/call-failure.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { PlannedRequest, PreparedRead, Reading } from '../../daemon/channel/driver.ts';
import { BusyPauses, isBusy } from './busy-pauses.ts';
import { ExceptionAnswer, ILLEGAL_DATA_ADDRESS } from './exception.ts';
import type { ModbusAddress } from './modbus-address.ts';
import { InvalidAnswer, LinkLost, NoAnswer } from './modbus-errors.ts';
import type { Answer } from './exchange.ts';
import type { ModbusLine } from './modbus-line.ts';
import { describeRead } from './plan-report.ts';
import { readAround } from './read-around.ts';
import type { Piece } from './read-around.ts';
import { planReads, rejoinReads, splitRead } from './read-plan.ts';
import type { LimitsOf, PlannedRead } from './read-plan.ts';
import { decodeSpans, toReadSpan } from './read-span.ts';
import type { ReadSpan } from './read-span.ts';
import { READ_FUNCTION } from './modbus-functions.ts';
import type { ReadRequest } from './request.ts';
import type { Transport } from './transport.ts';
import type { UnitSettingsTable } from './unit-settings.ts';

export interface ReadOptions {
  readonly line: ModbusLine;
  /** Limits, pauses and retries of each unit. */
  readonly settings: UnitSettingsTable;
  readonly wire: Transport['wire'];
  /** Most requests that are sent before their answers came. */
  readonly depth: number;
  /** Reads without an answer, or with a damaged one, are sent again as well. */
  readonly repeatsUnanswered: boolean;
  readonly clock: Clock;
}

/** One request of the plan. */
interface Step extends PlannedRead<ReadSpan> {
  /** The device has none of these addresses: they fail together, without a search for the bad ones. */
  readonly isRefused?: boolean;
  /** Milliseconds from request to answer, newest exchange. */
  measuredMs?: number;
}

// A read that meets many addresses that the device does not have searches on with the next read.
const MAXIMUM_SPLITS_PER_READ = 64;

// A device can be given new registers without losing its link; after this time they are found.
const REFINEMENT_LIFETIME_MS = 300_000;

/** State of one call. */
interface Call {
  readonly signal: AbortSignal;
  readonly readings: Reading[];
  /** Links lost in a row without an answer between them. */
  losses: number;
  /** One loss of a link ends all that is under way. */
  newestLoss: LinkLost | undefined;
  splitsLeft: number;
  /** Outcome of the requests: answered, refused for good, and those to be sent again as they are. */
  readonly good: Step[];
  readonly refused: Step[];
  readonly unsettled: Step[];
  /** Requests that their units were too busy for. */
  readonly busy: Map<number, Step[]>;
  readonly pauses: BusyPauses;
  hasAnswer: boolean;
  linkError: ConnectionError | undefined;
}

/**
 * The plan with the requests that the device refused cut up, so that only the channels fail that it does not have. It has
 * at most one request per channel, and is given up with the link and after a time, because the device may change.
 */
interface Refinement {
  readonly plan: readonly Step[];
  readonly linkNumber: number;
  readonly untilMs: number;
}

/** A planned read of Modbus channels. */
export class ModbusRead implements PreparedRead {
  readonly #options: ReadOptions;
  readonly #spans: readonly ReadSpan[];
  #plan: readonly Step[];
  /** Revision of the settings that the plan follows. */
  #revision: number;
  #refined: Refinement | undefined;

  constructor(channels: readonly Channel<ModbusAddress>[], options: ReadOptions) {
    const { settings } = options;
    this.#options = options;
    this.#spans = channels.map(toReadSpan);
    this.#plan = planReads(this.#spans, (unitId) => settings.of(unitId));
    this.#revision = settings.revision;
  }

  async read(signal: AbortSignal): Promise<readonly Reading[]> {
    const { settings, clock } = this.#options;
    const { revision } = settings;
    const call: Call = {
      signal,
      readings: Array.from<Reading>({ length: this.#spans.length }),
      losses: 0,
      newestLoss: undefined,
      splitsLeft: MAXIMUM_SPLITS_PER_READ,
      good: [],
      refused: [],
      unsettled: [],
      busy: new Map(),
      pauses: new BusyPauses({ settings, clock, signal }),
      hasAnswer: false,
      linkError: undefined,
    };
    await this.#readAll(call, this.#nextPlan());
    await Promise.all([...call.busy.keys()].map((unitId) => this.#readBusy(call, unitId)));
    if (call.linkError !== undefined && !call.hasAnswer) throw call.linkError;
    const hasSplit = call.splitsLeft < MAXIMUM_SPLITS_PER_READ;
    if (hasSplit && revision === settings.revision) this.#refine(call);
    return call.readings;
  }

  describe(): readonly PlannedRequest[] {
    const { line, wire, settings } = this.#options;
    return this.#nextPlan().map((step) => {
      const { delayBetweenRequestsMs } = settings.of(step.unitId);
      const refusal = line.findRefusal(toRequest(step));
      return describeRead(step, { ...wire, delayBetweenRequestsMs }, refusal?.detail);
    });
  }

  // Around suspended addresses; those silent last time come last, so that they cost the others nothing.
  #nextPlan(): readonly Step[] {
    const { line } = this.#options;
    const plan = this.#currentPlan();
    if (plan.every(({ unitId }) => line.findSilences(unitId) === undefined)) return plan;
    const pieces = plan.flatMap((step): readonly Piece<Step>[] => {
      const silences = line.findSilences(step.unitId);
      const isWhole = silences === undefined || step.isRefused === true;
      return isWhole ? [{ read: step, isDoubtful: false }] : readAround<ReadSpan, Step>(step, silences);
    });
    return pieces.toSorted((a, b) => Number(a.isDoubtful) - Number(b.isDoubtful)).map(({ read }) => read);
  }

  #currentPlan(): readonly Step[] {
    const { line, clock, settings } = this.#options;
    if (this.#revision !== settings.revision) {
      this.#plan = planReads(this.#spans, (unitId) => settings.of(unitId));
      this.#revision = settings.revision;
      this.#refined = undefined;
    }
    const refined = this.#refined;
    if (refined === undefined) return this.#plan;
    if (refined.linkNumber === line.linkNumber && clock.monotonicMs() < refined.untilMs) return refined.plan;
    this.#refined = undefined;
    return this.#plan;
  }

  #refine({ good, refused, unsettled }: Call): void {
    const { settings, line, clock } = this.#options;
    const limitsOf: LimitsOf = (unitId) => settings.of(unitId);
    const refusedRuns = rejoinReads(refused, limitsOf).map((run) => Object.assign({ isRefused: true }, run));
    const plan = [...rejoinReads(good, limitsOf), ...refusedRuns, ...unsettled];
    // A search that goes on over several reads has the time of its first.
    const untilMs = this.#refined?.untilMs ?? clock.monotonicMs() + REFINEMENT_LIFETIME_MS;
    this.#refined = { plan, linkNumber: line.linkNumber, untilMs };
  }

  // Units that rest between their requests are read on their own, so that the others do not wait for them.
  async #readAll(call: Call, plan: readonly Step[]): Promise<void> {
    const { settings } = this.#options;
    const groups = Map.groupBy(plan, ({ unitId }) => (settings.hasOwnPause(unitId) ? unitId : undefined));
    await Promise.all([...groups.values()].map((steps) => this.#readGroup(call, steps)));
  }

  async #readGroup(call: Call, plan: readonly Step[]): Promise<void> {
    const { depth } = this.#options;
    if (depth === 1 || plan.length === 1) {
      for (const step of plan) await this.#readStep(call, step);
      return;
    }
    // Each takes the next step as soon as it is done with the one before.
    const steps = plan.values();
    const readOn = async (): Promise<void> => {
      for (const step of steps) await this.#readStep(call, step);
    };
    await Promise.all(Array.from({ length: Math.min(depth, plan.length) }, readOn));
  }

  // When all others have been read, so that one busy unit costs them nothing.
  async #readBusy(call: Call, unitId: number): Promise<void> {
    let steps = takeBusy(call, unitId);
    while (steps.length > 0 && (await call.pauses.wait(unitId))) {
      for (const step of steps) await this.#readStep(call, step);
      steps = takeBusy(call, unitId);
    }
    call.unsettled.push(...steps);
  }

  async #readStep(call: Call, step: Step): Promise<void> {
    const outcome = await this.#readOnce(call, step);
    const halves = outcome === 'REFUSED' ? this.#split(call, step) : undefined;
    if (halves !== undefined) {
      for (const half of halves) await this.#readStep(call, half);
    } else if (outcome === 'READ') {
      call.good.push(step);
    } else if (outcome === 'BUSY') {
      call.busy.set(step.unitId, [...(call.busy.get(step.unitId) ?? []), step]);
    } else if (outcome === 'REFUSED' && (step.isRefused === true || splitRead(step) === undefined)) {
      call.refused.push(step);
    } else {
      call.unsettled.push(step);
    }
  }

  #split(call: Call, step: Step): readonly Step[] | undefined {
    if (step.isRefused === true || call.splitsLeft === 0) return undefined;
    const halves = splitRead(step);
    if (halves !== undefined) call.splitsLeft -= 1;
    return halves;
  }

  // REFUSED: the device does not have some of the addresses. BUSY: it wants to be asked again later.
  async #readOnce(call: Call, step: Step): Promise<'READ' | 'REFUSED' | 'BUSY' | 'FAILED'> {
    try {
      const answer = await this.#exchange(call, step);
      noteAnswer(call);
      call.pauses.noteReady(step.unitId);
      step.measuredMs = answer.durationMs;
      decodeSpans(call.readings, step, answer);
      return 'READ';
    } catch (error) {
      if (!(error instanceof GatewayError) && !call.signal.aborted) throw error;
      // Where the search goes on, later results replace these failures.
      this.#failAll(call, step, error);
      if (!(error instanceof ExceptionAnswer)) return 'FAILED';
      noteAnswer(call);
      if (isBusy(error)) return 'BUSY';
      call.pauses.noteReady(step.unitId);
      return error.exceptionCode === ILLEGAL_DATA_ADDRESS ? 'REFUSED' : 'FAILED';
    }
  }

  #failAll(call: Call, { spans }: Step, error: unknown): void {
    const failure = toFailure(error, call.signal);
    if (error instanceof ConnectionError && !call.signal.aborted) call.linkError = error;
    const timestampMs = this.#options.clock.epochMs();
    for (const { index } of spans) call.readings[index] = { failure, timestampMs };
  }

  async #exchange(call: Call, planned: PlannedRead): Promise<Answer> {
    const { line, settings } = this.#options;
    const { signal } = call;
    const { retries } = settings.of(planned.unitId);
    if (call.linkError !== undefined && isHopeless(call, retries)) throw call.linkError;
    const request = toRequest(planned);
    let retriesLeft = retries;
    let previous: unknown;
    for (;;) {
      try {
        return await line.exchange(request, { signal });
      } catch (error) {
        // A line that stays down fails with the same error again, and is not tried for ever.
        if (error === previous || signal.aborted) throw error;
        previous = error;
        if (error instanceof LinkLost) {
          if (!mayRepeat(call, error, retries)) throw error;
        } else if (this.#isRepeatable(error) && retriesLeft > 0) {
          retriesLeft -= 1;
        } else {
          throw error;
        }
      }
    }
  }

  // A time-out is not repeated over TCP, which has sent the request again on its own as often as it was worth. A read on a
  // serial line has no such guarantee, and does no harm when it is carried out twice.
  #isRepeatable(error: unknown): boolean {
    return this.#options.repeatsUnanswered && (error instanceof NoAnswer || error instanceof InvalidAnswer);
  }
}

function toRequest({ unitId, table, offset, quantity }: PlannedRead): ReadRequest {
  return { functionCode: READ_FUNCTION[table], unitId, offset, quantity };
}

// A link that goes after an answer may have been closed before this request came to it. Each answer renews the retries.
function mayRepeat(call: Call, loss: LinkLost, retries: number): boolean {
  if (loss !== call.newestLoss) call.losses += 1;
  call.newestLoss = loss;
  return call.losses <= Math.max(retries, loss.hadAnswers ? 1 : 0);
}

// The link cannot be opened, or goes with each request.
function isHopeless({ linkError, losses }: Call, retries: number): boolean {
  return !(linkError instanceof LinkLost) || losses >= retries + 2;
}

function takeBusy({ busy }: Call, unitId: number): readonly Step[] {
  const steps = busy.get(unitId) ?? [];
  busy.delete(unitId);
  return steps;
}

function noteAnswer(call: Call): void {
  call.hasAnswer = true;
  call.losses = 0;
}
