import type { UnitStatus } from '../../../daemon/channel/driver.ts';

// One silence may be a lost frame; the second one in a row costs others a whole time-out each time it is tried again.
const SILENCES_UNTIL_SUSPENDED = 2;

// Everybody else waits while a probe does. It may be short: an answer that comes after it is noticed all the same.
const MINIMUM_PROBE_TIMEOUT_MS = 10;
const PROBE_TIMEOUT_FACTOR = 4;
// Time that a unit has to wake.
const MINIMUM_WAKE_UP_MS = 200;
// A gateway that reports a silent unit only after this time has cost the line as much as silence does.
const MINIMUM_SILENCE_MS = 50;
const SILENCE_FACTOR = 2;
// Its reports vary.
const GATEWAY_TIMEOUT_FACTOR = 1.25;
// Each probe blocks the line behind such a gateway that long, so that all take 2 % of it.
const GATEWAY_PAUSE_FACTOR = 50;
const LONGEST_PROBE_PAUSE_MS = 60_000;

/** Time from one probe to the next: with the wait for the answer, a unit that is back is noticed within 5 seconds. */
export const PROBE_PAUSE_MS = 4000;
// A slow unit is probed less often, so that its probes leave most of the line to the others.
const PROBE_PAUSE_FACTOR = 4;
// A unit that ignored all that it was asked may answer the next request; it is not kept waiting for that.
const TRIAL_PAUSE_MS = 1000;

const REMEMBERED_ANSWERS = 32;

/** A change in the state of a unit. */
export type HealthChange = 'SUSPENDED' | 'ANSWERING';

/** A request that was not answered in time. */
export interface Silence {
  readonly message: string;
  /** Milliseconds since the epoch at which it was given up. */
  readonly endMs: number;
  /** Milliseconds for which it was waited. */
  readonly durationMs: number;
}

/** Decides whether a unit is worth asking; it does nothing itself. */
export class UnitHealth {
  readonly unitId: number;
  #state: UnitStatus['state'] = 'UNKNOWN';
  #silences = 0;
  #lastSilenceMs = Number.NEGATIVE_INFINITY;
  #silentSinceMs: number | undefined;
  #nextProbeAtMs: number | undefined;
  #lastError: { readonly message: string; readonly atMs: number } | undefined;
  readonly #counters = { requests: 0, answers: 0, exceptions: 0, timeouts: 0, invalidAnswers: 0 };

  constructor(unitId: number) {
    this.unitId = unitId;
  }

  get isSuspended(): boolean {
    return this.#state === 'SUSPENDED';
  }

  /** Whether the newest request was silent, so that the unit may be gone. */
  get isInDoubt(): boolean {
    return this.#silences > 0 && this.#state !== 'SUSPENDED';
  }

  /** Whether the unit answered the newest request. */
  get isAnswering(): boolean {
    return this.#silences === 0 && this.#state === 'ANSWERING';
  }

  /** Adds one to a counter of the status. */
  count(counter: 'requests' | 'exceptions' | 'timeouts' | 'invalidAnswers'): void {
    this.#counters[counter] += 1;
  }

  /** Records that the unit answered; an exception is an answer. */
  noteAnswer(): HealthChange | undefined {
    this.#counters.answers += 1;
    this.#silences = 0;
    if (this.#state === 'ANSWERING') return undefined;
    const wasSuspended = this.#state === 'SUSPENDED';
    this.#state = 'ANSWERING';
    this.#silentSinceMs = undefined;
    this.#nextProbeAtMs = undefined;
    return wasSuspended ? 'ANSWERING' : undefined;
  }

  /** Records that the unit did not answer in time; requests that waited at the same time count as one silence. */
  noteSilence({ message, endMs, durationMs }: Silence): HealthChange | undefined {
    this.noteError(message, endMs);
    if (this.#silences > 0 && endMs - durationMs < this.#lastSilenceMs) return undefined;
    if (this.#silences === 0) this.#silentSinceMs = endMs;
    this.#lastSilenceMs = endMs;
    this.#silences += 1;
    if (this.#state === 'SUSPENDED' || this.#silences < SILENCES_UNTIL_SUSPENDED) return undefined;
    this.#state = 'SUSPENDED';
    return 'SUSPENDED';
  }

  /** Records the newest failure, for the status. */
  noteError(message: string, nowMs: number): void {
    this.#lastError = { message, atMs: nowMs };
  }

  /** Records when the unit is asked again. */
  noteNextProbe(atMs: number): void {
    this.#nextProbeAtMs = atMs;
  }

  /** Describes why the unit is not asked: since when, the reason, and the time of the next probe. */
  describeSuspended(): string {
    const since = toTime(this.#silentSinceMs ?? 0);
    const next = this.#nextProbeAtMs === undefined ? 'now' : `at ${toTime(this.#nextProbeAtMs)}`;
    return `unit ${this.unitId} is suspended, no response since ${since}: ${this.lastReason}; next probe ${next}`;
  }

  /** Text of the newest failure. */
  get lastReason(): string {
    return this.#lastError?.message ?? 'no response';
  }

  status(): UnitStatus {
    return {
      name: nameUnit(this.unitId),
      state: this.#state,
      lastError: this.#lastError?.message,
      lastErrorAtMs: this.#lastError?.atMs,
      silentSinceMs: this.isSuspended ? this.#silentSinceMs : undefined,
      nextProbeAtMs: this.#nextProbeAtMs,
      counters: { ...this.#counters },
    };
  }
}

/** Remembers how long the newest answers of a line took. */
export class AnswerTimes {
  readonly #times: number[] = [];
  #next = 0;

  note(durationMs: number): void {
    this.#times[this.#next] = durationMs;
    this.#next = (this.#next + 1) % REMEMBERED_ANSWERS;
  }

  /** Returns the median of the newest answers; 0 before the first. */
  typicalMs(): number {
    return this.#times.toSorted((a, b) => a - b)[this.#times.length >> 1] ?? 0;
  }

  /** Returns the longest of the newest answers; 0 before the first. */
  slowestMs(): number {
    return Math.max(0, ...this.#times);
  }
}

/** Durations that the probes of a unit depend on, in milliseconds. */
export interface ProbeTiming {
  /** Longest of the newest answers of the line. */
  readonly slowestMs: number;
  readonly responseTimeoutMs: number;
  /** How long a gateway blocked the line before it reported that the unit does not answer; 0: it did not. */
  readonly gatewayMs: number;
  /** How long a probe waits for its answer, see `probeTimeoutMs`. */
  readonly timeoutMs: number;
}

/** How long one probe waits for its answer, in milliseconds: longer where its silence ends the link. */
export interface ProbeWait {
  readonly timeoutMs: number;
  readonly onQuietLinkMs: number;
}

/** Returns how long a probe waits for its answer; behind a gateway, which nobody else can use meanwhile, for its report. */
export function probeTimeoutMs({
  slowestMs,
  responseTimeoutMs,
  gatewayMs,
}: Omit<ProbeTiming, 'timeoutMs'>): number {
  const patientMs = Math.max(MINIMUM_PROBE_TIMEOUT_MS, PROBE_TIMEOUT_FACTOR * slowestMs);
  return Math.min(responseTimeoutMs, Math.ceil(Math.max(patientMs, GATEWAY_TIMEOUT_FACTOR * gatewayMs)));
}

/** Returns how long a request that may only wake its unit waits for an answer, in milliseconds. */
export function wakeUpTimeoutMs(slowestMs: number): number {
  return Math.max(MINIMUM_WAKE_UP_MS, PROBE_TIMEOUT_FACTOR * slowestMs);
}

/** Returns the time from one probe to the next, in milliseconds. */
export function probePauseMs({ timeoutMs, gatewayMs }: ProbeTiming): number {
  const costlyMs = Math.min(LONGEST_PROBE_PAUSE_MS, GATEWAY_PAUSE_FACTOR * gatewayMs);
  return Math.max(PROBE_PAUSE_MS, PROBE_PAUSE_FACTOR * timeoutMs, costlyMs);
}

/**
 * Returns the time from one probe to one with a request that was never sent, in milliseconds; no shorter than an answer may
 * take, so that a late one is told from the answer to the next.
 */
export function trialPauseMs(timing: ProbeTiming): number {
  const { timeoutMs, responseTimeoutMs, gatewayMs } = timing;
  // What a gateway reports is not due to the request.
  if (gatewayMs > 0) return probePauseMs(timing);
  return Math.max(TRIAL_PAUSE_MS, responseTimeoutMs, PROBE_PAUSE_FACTOR * timeoutMs);
}

/** Returns the duration from which the report of a gateway that a unit is silent has cost the line as much as silence. */
export function silenceMs(typicalAnswerMs: number): number {
  return Math.max(MINIMUM_SILENCE_MS, SILENCE_FACTOR * typicalAnswerMs);
}

/** Writes a time as people and programs read it. */
export function toTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Names a unit for operators. */
export function nameUnit(unitId: number): string {
  return `unit ${unitId}`;
}
