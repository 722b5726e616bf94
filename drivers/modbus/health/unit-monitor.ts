import type { Clock } from '../../../daemon/base/clock.ts';
import { describeReasons } from '../../../daemon/base/fault-reason.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import type { SilentAddressStatus, UnitStatus } from '../../../daemon/channel/driver.ts';
import {
  AddressSuspended,
  InvalidResponse,
  LinkLost,
  NoResponse,
  UnitSuspended,
  ExceptionResponse,
  GATEWAY_REPORTS,
} from '../modbus-errors.ts';
import { ProbeCandidates } from '../pdu/probe-candidates.ts';
import { isRead, describeRange, isSameRange, isWrite, rangeOf } from '../pdu/modbus-functions.ts';
import type { EntryRange } from '../pdu/modbus-functions.ts';
import type { LateResponse } from '../link/modbus-client.ts';
import type { SilentRanges } from '../read/read-around.ts';
import type { ModbusRequest, ReadRequest } from '../pdu/request.ts';
import type { RequestSizes } from '../pdu/request-sizes.ts';
import { SilentAddresses } from './silent-addresses.ts';
import type { AddressChange } from './silent-addresses.ts';
import { ProbeSchedule } from './probe-schedule.ts';
import { ResponseTimes, slowReportMs, toFailureText, UnitHealth, wakeUpTimeoutMs } from './unit-health.ts';
import type { HealthChange, ProbeWait, RequestTimeout } from './unit-health.ts';

export interface UnitMonitorOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly responseTimeoutMsOf: (unitId: number) => number;
  /** Receives every response to a read. */
  readonly sizes: RequestSizes;
  /** Random number in 0..1, for jitter. */
  readonly random: () => number;
  /** Probes a suspended unit; reports the outcome through `recordResponse` and `recordFailure`; never rejects. */
  readonly probe: (request: ReadRequest, wait: ProbeWait) => Promise<void>;
  /** Called once per change when a unit was suspended or responds again. */
  readonly onChange: (unit: UnitStatus) => void;
}

interface MonitoredUnit {
  readonly health: UnitHealth;
  readonly candidates: ProbeCandidates;
  readonly addresses: SilentAddresses;
  readonly probes: ProbeSchedule;
  /** Time of the newest response, in monotonic milliseconds. */
  respondedMs: number;
}

/** Parameters of a wake-up request. */
export interface WakeUpTiming {
  /** Milliseconds since the newest response. */
  readonly sinceResponseMs: number;
  /** Timeout of the wake-up request. */
  readonly timeoutMs: number;
  /** A request that the unit answered; undefined before the first. */
  readonly answered: ReadRequest | undefined;
}

/** Tracks the health of every unit of a line and of its addresses, and probes suspended units in the background. */
export class UnitMonitor {
  readonly #options: UnitMonitorOptions;
  readonly #units = new Map<number, MonitoredUnit>();
  /** Grouped by timeout, so that a unit configured as slow does not lengthen the probes of other units. */
  readonly #responseTimes = new Map<number, ResponseTimes>();
  #isRunning = false;

  constructor(options: UnitMonitorOptions) {
    this.#options = options;
  }

  /**
   * Starts probing. On a new connection suspended units are probed at once, but not more often than usual: some devices
   * close each connection after one response.
   */
  start(): void {
    this.#isRunning = true;
    for (const { probes } of this.#units.values()) probes.start();
  }

  /** Stops probing; the unit states are kept. */
  stop(): void {
    this.#isRunning = false;
    for (const { probes } of this.#units.values()) probes.stop();
  }

  /** Records a client request to a suspended unit, so that a probe can use it. */
  recordWanted(request: ModbusRequest): void {
    const unit = this.#units.get(request.unitId);
    if (unit?.health.isSuspended === true) unit.probes.recordWanted(request);
  }

  /** Forgets everything about addresses outside of the given ranges, and units without any. */
  retain(entriesOf: ReadonlyMap<number, readonly EntryRange[]>): void {
    for (const [unitId, unit] of this.#units) {
      const ranges = entriesOf.get(unitId) ?? [];
      unit.candidates.retain(ranges);
      unit.addresses.retain(ranges);
      if (ranges.length > 0) continue;
      unit.probes.close();
      this.#units.delete(unitId);
    }
  }

  /** Returns the error for a request that must not be sent now. */
  findRefusal(request: ModbusRequest): UnitSuspended | AddressSuspended | undefined {
    const unit = this.#units.get(request.unitId);
    if (unit === undefined) return undefined;
    const { health, addresses } = unit;
    if (health.isSuspended) return new UnitSuspended(health.explainSuspended(), health.lastReason);
    if (addresses.isEmpty) return undefined;
    const silent = addresses.findRefusal(rangeOf(request), this.#options.clock.monotonicMs());
    if (silent === undefined) return undefined;
    return new AddressSuspended(request.unitId, {
      entries: describeRange(silent.range),
      sinceMs: silent.sinceMs,
      nextMs: this.#toEpochMs(silent.nextAttemptMs),
      reasons: silent.reasons,
    });
  }

  /** Returns the request that must be answered before this one is sent, because the unit timed out just now. */
  findCheck(request: ModbusRequest): ReadRequest | undefined {
    const unit = this.#units.get(request.unitId);
    if (unit?.health.isInDoubt !== true) return undefined;
    return unit.candidates.findCheck(request, unit.addresses.listSilent());
  }

  /** Returns a request that a unit is likely to answer; undefined if none is known to be present. */
  findResponsive(): ReadRequest | undefined {
    for (const { health, candidates } of this.#units.values()) {
      if (health.isAnswering && candidates.newestAnswered !== undefined) return candidates.newestAnswered;
    }
    return undefined;
  }

  /** Returns the silent addresses of a unit; undefined if there are none. */
  findSilentRanges(unitId: number): SilentRanges | undefined {
    const addresses = this.#units.get(unitId)?.addresses;
    if (addresses === undefined || addresses.isEmpty) return undefined;
    const nowMs = this.#options.clock.monotonicMs();
    return {
      silent: addresses.listSilent(),
      suspended: addresses
        .list()
        .map(({ range, nextAttemptMs }) => ({ range, isDue: nowMs >= nextAttemptMs })),
      mayNarrow: !addresses.isFull,
    };
  }

  /** Returns the parameters of a wake-up request to the unit. */
  wakeUpTiming(unitId: number): WakeUpTiming {
    const { respondedMs = Number.NEGATIVE_INFINITY, candidates } = this.#units.get(unitId) ?? {};
    const timeoutMs = Math.min(
      this.#options.responseTimeoutMsOf(unitId),
      wakeUpTimeoutMs(this.#responseTimesOf(unitId).slowestMs()),
    );
    const sinceResponseMs = this.#options.clock.monotonicMs() - respondedMs;
    return { sinceResponseMs, timeoutMs, answered: candidates?.newestAnswered };
  }

  /** Records that a request is sent. */
  recordRequest(request: ModbusRequest): void {
    const { health, addresses } = this.#get(request.unitId);
    health.count('requests');
    if (!addresses.isEmpty) addresses.recordAttempt(rangeOf(request), this.#options.clock.monotonicMs());
  }

  /** Records a response, `durationMs` after its request. */
  recordResponse(request: ModbusRequest, durationMs: number): void {
    this.#responseTimesOf(request.unitId).note(durationMs);
    const unit = this.#get(request.unitId);
    unit.candidates.recordResponse(request);
    this.#recordPresence(unit, request);
    if (isRead(request)) this.#recordSize(unit, request);
  }

  /** Records a late response to a probe: from the unit, or from a gateway that received none. */
  recordLateResponse({ request, exceptionCode, durationMs }: LateResponse): void {
    const unit = this.#get(request.unitId);
    if (exceptionCode !== undefined && GATEWAY_REPORTS.has(exceptionCode)) {
      unit.probes.recordGatewayReport(durationMs);
    } else {
      if (request.functionCode !== 43) unit.candidates.recordResponse(request);
      this.#recordPresence(unit, undefined);
    }
  }

  /** Records a request without a valid response. */
  recordFailure(request: ModbusRequest, error: unknown, durationMs: number): void {
    const unit = this.#get(request.unitId);
    const { health } = unit;
    const nowMs = this.#options.clock.epochMs();
    if (error instanceof NoResponse) {
      health.count('timeouts');
      // Probes have a shorter timeout than the unit.
      const reported = health.isSuspended
        ? error.within(this.#options.responseTimeoutMsOf(request.unitId))
        : error;
      this.#recordTimeout(unit, request, { ...toFailureText(reported), durationMs });
    } else if (error instanceof ExceptionResponse) {
      health.count('exceptions');
      const failure = toFailureText(error);
      health.recordError(failure, nowMs);
      if (GATEWAY_REPORTS.has(error.exceptionCode)) {
        this.#recordGatewayReport(unit, request, { ...failure, durationMs });
      } else {
        this.#responseTimesOf(request.unitId).note(durationMs);
        unit.candidates.recordResponse(request);
        this.#recordPresence(unit, request);
      }
    } else {
      if (error instanceof InvalidResponse) health.count('invalidAnswers');
      if (error instanceof LinkLost) {
        unit.addresses.recordLostAttempt(rangeOf(request), this.#options.clock.monotonicMs());
      }
      health.recordError(toFailureText(error), nowMs);
    }
  }

  /** Returns one entry per polled unit, in the order of the first requests. */
  status(): readonly UnitStatus[] {
    return [...this.#units.values()].map((unit) => this.#describe(unit));
  }

  // A timeout caused by the length of the request belongs to none of its addresses.
  #recordSize({ addresses }: MonitoredUnit, request: ReadRequest): void {
    const suspended = addresses.isEmpty ? [] : addresses.list();
    const isSilent = (range: EntryRange): boolean => suspended.some((one) => isSameRange(one.range, range));
    const answered = this.#options.sizes.recordResponse(request, isSilent);
    if (answered !== undefined) addresses.forgetLonger(request.functionCode, answered);
  }

  #describe({ health, addresses }: MonitoredUnit): UnitStatus {
    const suspended = addresses.list();
    const requestLimits = this.#options.sizes.list(health.unitId);
    const status = { ...health.status(), ...(requestLimits === undefined ? {} : { requestLimits }) };
    if (suspended.length === 0) return status;
    const silentAddresses = suspended.map(({ range, sinceMs, nextAttemptMs }): SilentAddressStatus => ({
      address: describeRange(range),
      operation: isWrite(range) ? 'WRITE' : 'READ',
      sinceMs,
      nextAttemptAtMs: this.#toEpochMs(nextAttemptMs),
    }));
    return { ...status, silentAddresses };
  }

  #toEpochMs(monotonicMs: number): number {
    const { clock } = this.#options;
    return Math.round(clock.epochMs() + monotonicMs - clock.monotonicMs());
  }

  #recordPresence(unit: MonitoredUnit, request: ModbusRequest | undefined): void {
    unit.probes.recordResponse();
    unit.respondedMs = this.#options.clock.monotonicMs();
    this.#onChange(unit, unit.health.recordResponse());
    if (unit.addresses.isEmpty) return;
    const range = request === undefined ? undefined : rangeOf(request);
    for (const change of unit.addresses.recordResponse(range, this.#options.clock.monotonicMs())) {
      this.#logAddress(unit, change);
    }
  }

  #logAddress({ health }: MonitoredUnit, { range, state, reasons }: AddressChange): void {
    const { logger } = this.#options;
    const fields = { unit: `unit ${health.unitId}`, address: describeRange(range) };
    if (state === 'SUSPENDED')
      logger.warn('modbus.addressSuspended', { ...fields, reason: describeReasons(reasons) });
    else if (state === 'NARROWED') logger.info('modbus.addressNarrowed', fields);
    else logger.info('modbus.addressResumed', fields);
  }

  // An immediate report costs the line nothing and does not prove that the unit is present. A report after a gateway
  // timeout blocks the line.
  #recordGatewayReport(
    unit: MonitoredUnit,
    request: ModbusRequest,
    timeout: Omit<RequestTimeout, 'endMs'>,
  ): void {
    const { durationMs } = timeout;
    const limitMs = slowReportMs(this.#responseTimesOf(unit.health.unitId).typicalMs());
    if (durationMs >= limitMs) unit.probes.recordGatewayReport(durationMs);
    else if (!unit.health.isSuspended) return;
    this.#recordTimeout(unit, request, timeout);
  }

  #recordTimeout(unit: MonitoredUnit, request: ModbusRequest, timeout: Omit<RequestTimeout, 'endMs'>): void {
    const { clock } = this.#options;
    const endMs = clock.epochMs();
    // A failed probe says nothing new about any address.
    if (!unit.health.isSuspended) {
      const { reasons } = timeout;
      unit.candidates.recordTimeout(request);
      unit.addresses.recordTimeout({ range: rangeOf(request), reasons, atMs: endMs }, clock.monotonicMs());
    }
    this.#onChange(unit, unit.health.recordTimeout({ ...timeout, endMs }));
  }

  #onChange(unit: MonitoredUnit, change: HealthChange | undefined): void {
    if (change === undefined) return;
    const { logger, onChange } = this.#options;
    const { name, lastError } = unit.health.status();
    if (change === 'ANSWERING') {
      logger.info('modbus.unitResumed', { unit: name });
    } else {
      unit.addresses.forgetPending();
      unit.probes.recordSuspended();
      logger.warn('modbus.unitSuspended', { unit: name, reason: lastError });
    }
    onChange(this.#describe(unit));
  }

  #responseTimesOf(unitId: number): ResponseTimes {
    const responseTimeoutMs = this.#options.responseTimeoutMsOf(unitId);
    let times = this.#responseTimes.get(responseTimeoutMs);
    if (times === undefined) this.#responseTimes.set(responseTimeoutMs, (times = new ResponseTimes()));
    return times;
  }

  #get(unitId: number): MonitoredUnit {
    let unit = this.#units.get(unitId);
    if (unit === undefined) {
      const { clock, random, probe, responseTimeoutMsOf } = this.#options;
      const health = new UnitHealth(unitId);
      const candidates = new ProbeCandidates();
      const responseTimeoutMs = (): number => responseTimeoutMsOf(unitId);
      unit = {
        health,
        candidates,
        respondedMs: Number.NEGATIVE_INFINITY,
        addresses: new SilentAddresses({ random, responseTimeoutMs }),
        probes: new ProbeSchedule({
          clock,
          health,
          requests: candidates,
          isRunning: () => this.#isRunning,
          timing: () => ({
            slowestMs: this.#responseTimesOf(unitId).slowestMs(),
            responseTimeoutMs: responseTimeoutMs(),
          }),
          probe,
        }),
      };
      this.#units.set(unitId, unit);
    }
    return unit;
  }
}
