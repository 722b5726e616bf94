import type { ErrorCode } from '../../../daemon/base/error-codes.ts';
import { codeOf, messageOf, toReasons } from '../../../daemon/base/errors.ts';
import { createReason, quoteText } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_FAILURES } from '../failure-sentences.ts';
import type { UnitStatus } from '../../../daemon/channel/driver.ts';

// A single timeout may be a lost frame; a second one in a row would cost other units a full timeout at each retry.
const TIMEOUTS_UNTIL_SUSPENDED = 2;

// All other requests wait during a probe. The timeout may be short, because a later response is recognized too.
const MINIMUM_PROBE_TIMEOUT_MS = 10;
const PROBE_TIMEOUT_FACTOR = 4;
// Time for a unit to wake up.
const MINIMUM_WAKE_UP_MS = 200;
// A gateway report that takes longer than this costs the line as much as a timeout.
const MINIMUM_SLOW_REPORT_MS = 50;
const SLOW_REPORT_FACTOR = 2;
// The duration of its reports varies.
const GATEWAY_TIMEOUT_FACTOR = 1.25;
// Each probe blocks the line of such a gateway, so the pauses keep all probes at 2 % of the line.
const GATEWAY_PAUSE_FACTOR = 50;
const MAXIMUM_PROBE_PAUSE_MS = 60_000;

/**
 * Time from one probe to the next. Together with the timeout of a probe, a unit that is back is detected within 5
 * seconds.
 */
export const PROBE_PAUSE_MS = 4000;
// A slow unit is probed less often, so that its probes leave most of the line to other units.
const PROBE_PAUSE_FACTOR = 4;
// A unit that ignored all requests so far may respond to the next one, so the next one is tried soon.
const TRIAL_PAUSE_MS = 1000;

const REMEMBERED_RESPONSES = 32;

/** A state change of a unit. */
export type HealthChange = 'SUSPENDED' | 'ANSWERING';

/** A failure for the status. */
export interface FailureText {
  readonly message: string;
  readonly code?: ErrorCode | undefined;
  readonly reasons: readonly FaultReason[];
}

/** A request that timed out. */
export interface RequestTimeout extends FailureText {
  /** Milliseconds since the epoch of the timeout. */
  readonly endMs: number;
  /** Duration of the wait, in milliseconds. */
  readonly durationMs: number;
}

/** Decides whether a unit is polled. Performs no I/O. */
export class UnitHealth {
  readonly unitId: number;
  #state: UnitStatus['state'] = 'UNKNOWN';
  #timeouts = 0;
  #lastTimeoutMs = Number.NEGATIVE_INFINITY;
  #silentSinceMs: number | undefined;
  #nextProbeAtMs: number | undefined;
  #lastError: (FailureText & { readonly atMs: number }) | undefined;
  readonly #counters = { requests: 0, answers: 0, exceptions: 0, timeouts: 0, invalidAnswers: 0 };

  constructor(unitId: number) {
    this.unitId = unitId;
  }

  get isSuspended(): boolean {
    return this.#state === 'SUSPENDED';
  }

  /** True if the newest request timed out, so that the unit may be gone. */
  get isInDoubt(): boolean {
    return this.#timeouts > 0 && this.#state !== 'SUSPENDED';
  }

  /** True if the unit answered the newest request. */
  get isAnswering(): boolean {
    return this.#timeouts === 0 && this.#state === 'ANSWERING';
  }

  /** Increments a counter of the status. */
  count(counter: 'requests' | 'exceptions' | 'timeouts' | 'invalidAnswers'): void {
    this.#counters[counter] += 1;
  }

  /** Records a response of the unit; an exception is a response. */
  recordResponse(): HealthChange | undefined {
    this.#counters.answers += 1;
    this.#timeouts = 0;
    if (this.#state === 'ANSWERING') return undefined;
    const wasSuspended = this.#state === 'SUSPENDED';
    this.#state = 'ANSWERING';
    this.#silentSinceMs = undefined;
    this.#nextProbeAtMs = undefined;
    return wasSuspended ? 'ANSWERING' : undefined;
  }

  /** Records a timeout; requests that were outstanding at the same time count as one. */
  recordTimeout({ endMs, durationMs, ...failure }: RequestTimeout): HealthChange | undefined {
    this.recordError(failure, endMs);
    if (this.#timeouts > 0 && endMs - durationMs < this.#lastTimeoutMs) return undefined;
    if (this.#timeouts === 0) this.#silentSinceMs = endMs;
    this.#lastTimeoutMs = endMs;
    this.#timeouts += 1;
    if (this.#state === 'SUSPENDED' || this.#timeouts < TIMEOUTS_UNTIL_SUSPENDED) return undefined;
    this.#state = 'SUSPENDED';
    return 'SUSPENDED';
  }

  /** Records the newest failure, for the status. */
  recordError(failure: FailureText, nowMs: number): void {
    this.#lastError = { ...failure, atMs: nowMs };
  }

  /** Records the time of the next probe. */
  recordNextProbe(atMs: number): void {
    this.#nextProbeAtMs = atMs;
  }

  /** Describes the suspension: its start, the reason and the time of the next probe. */
  explainSuspended(): readonly FaultReason[] {
    const since = toTime(this.#silentSinceMs ?? 0);
    const nextMs = this.#nextProbeAtMs;
    return [
      createReason(MODBUS_FAILURES, 'UNIT_SUSPENDED_SINCE', { unit: this.unitId, since }),
      ...(this.#lastError?.reasons ?? [quoteText(this.lastReason)]),
      nextMs === undefined
        ? createReason(MODBUS_FAILURES, 'UNIT_NEXT_PROBE_NOW', {})
        : createReason(MODBUS_FAILURES, 'UNIT_NEXT_PROBE', { time: toTime(nextMs) }),
    ];
  }

  /** Message of the newest failure. */
  get lastReason(): string {
    return this.#lastError?.message ?? 'no response';
  }

  status(): UnitStatus {
    return {
      name: nameUnit(this.unitId),
      state: this.#state,
      lastError: this.#lastError?.message,
      lastErrorCode: this.#lastError?.code,
      lastErrorReasons: this.#lastError?.reasons,
      lastErrorAtMs: this.#lastError?.atMs,
      silentSinceMs: this.isSuspended ? this.#silentSinceMs : undefined,
      nextProbeAtMs: this.#nextProbeAtMs,
      counters: { ...this.#counters },
    };
  }
}

/** Stores the durations of the newest responses of a line. */
export class ResponseTimes {
  readonly #times: number[] = [];
  #next = 0;

  note(durationMs: number): void {
    this.#times[this.#next] = durationMs;
    this.#next = (this.#next + 1) % REMEMBERED_RESPONSES;
  }

  /** Returns the median of the newest response times; 0 before the first. */
  typicalMs(): number {
    return this.#times.toSorted((a, b) => a - b)[this.#times.length >> 1] ?? 0;
  }

  /** Returns the maximum of the newest response times; 0 before the first. */
  slowestMs(): number {
    return Math.max(0, ...this.#times);
  }
}

/** Durations that determine the timing of probes, in milliseconds. */
export interface ProbeTiming {
  /** Maximum of the newest response times of the line. */
  readonly slowestMs: number;
  readonly responseTimeoutMs: number;
  /** Time for which a gateway blocked the line before it reported that the unit does not respond; 0: no such report. */
  readonly gatewayMs: number;
  /** Timeout of a probe, see `probeTimeoutMs`. */
  readonly timeoutMs: number;
}

/** Timeout of one probe, in milliseconds: longer if a timeout would close the link. */
export interface ProbeWait {
  readonly timeoutMs: number;
  readonly onQuietLinkMs: number;
}

/**
 * Returns the timeout of a probe; behind a gateway it covers the report, because the line is blocked until then anyway.
 */
export function probeTimeoutMs({
  slowestMs,
  responseTimeoutMs,
  gatewayMs,
}: Omit<ProbeTiming, 'timeoutMs'>): number {
  const patientMs = Math.max(MINIMUM_PROBE_TIMEOUT_MS, PROBE_TIMEOUT_FACTOR * slowestMs);
  return Math.min(responseTimeoutMs, Math.ceil(Math.max(patientMs, GATEWAY_TIMEOUT_FACTOR * gatewayMs)));
}

/** Returns the timeout of a request that may only wake its unit, in milliseconds. */
export function wakeUpTimeoutMs(slowestMs: number): number {
  return Math.max(MINIMUM_WAKE_UP_MS, PROBE_TIMEOUT_FACTOR * slowestMs);
}

/** Returns the time from one probe to the next, in milliseconds. */
export function probePauseMs({ timeoutMs, gatewayMs }: ProbeTiming): number {
  const costlyMs = Math.min(MAXIMUM_PROBE_PAUSE_MS, GATEWAY_PAUSE_FACTOR * gatewayMs);
  return Math.max(PROBE_PAUSE_MS, PROBE_PAUSE_FACTOR * timeoutMs, costlyMs);
}

/**
 * Returns the time from one probe to a probe with a request that was never sent, in milliseconds. It is no shorter than
 * the response timeout, so that a late response is not taken for the next one.
 */
export function trialPauseMs(timing: ProbeTiming): number {
  const { timeoutMs, responseTimeoutMs, gatewayMs } = timing;
  // A gateway report does not depend on the request.
  if (gatewayMs > 0) return probePauseMs(timing);
  return Math.max(TRIAL_PAUSE_MS, responseTimeoutMs, PROBE_PAUSE_FACTOR * timeoutMs);
}

/** Returns the duration from which a gateway report costs the line as much as a timeout. */
export function slowReportMs(typicalResponseMs: number): number {
  return Math.max(MINIMUM_SLOW_REPORT_MS, SLOW_REPORT_FACTOR * typicalResponseMs);
}

/** Returns what the status shows of a failure. */
export function toFailureText(error: unknown): FailureText {
  return { message: messageOf(error), code: codeOf(error), reasons: toReasons(error) };
}

/** Formats a time for operators and programs. */
function toTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Names a unit for operators. */
export function nameUnit(unitId: number): string {
  return `unit ${unitId}`;
}
