import type { Cancel, Clock } from '../../daemon/base/clock.ts';
import type { Logger } from '../../daemon/base/logger.ts';
import type { UnitStatus } from '../../daemon/channel/driver.ts';
import { ExceptionAnswer, GATEWAY_TARGET_SILENT } from './exception.ts';
import { InvalidAnswer, NoAnswer, UnitSetAside } from './modbus-errors.ts';
import { messageOf } from '../../daemon/base/errors.ts';
import { toProbe } from './request.ts';
import type { ModbusRequest, ReadRequest } from './request.ts';
import { AnswerTimes, PROBE_PAUSE_MS, probeTimeoutMs, silenceMs, UnitHealth } from './unit-health.ts';
import type { HealthChange, Silence } from './unit-health.ts';

export interface UnitWatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly responseTimeoutMs: number;
  /** Asks a unit that is set aside; reports what comes of it through `noteAnswer` and `noteFailure`; never rejects. */
  readonly probe: (request: ReadRequest, timeoutMs: number) => Promise<void>;
  /** Takes note that a unit was set aside or answers again, once per change. */
  readonly onChange: (unit: UnitStatus) => void;
}

interface Watched {
  readonly health: UnitHealth;
  probe?: ReadRequest;
  cancelProbe?: Cancel | undefined;
}

/** Keeps the health of every unit of a line and has those that are set aside probed in the background. */
export class UnitWatch {
  readonly #options: UnitWatchOptions;
  readonly #units = new Map<number, Watched>();
  readonly #answerTimes = new AnswerTimes();
  #isRunning = false;

  constructor(options: UnitWatchOptions) {
    this.#options = options;
  }

  /** Begins to probe; units that are set aside at once, because the line is new. */
  start(): void {
    this.#isRunning = true;
    for (const unit of this.#units.values()) if (unit.health.isSetAside) this.#scheduleProbe(unit, 0);
  }

  /** Stops probing; what is known of the units is kept. */
  stop(): void {
    this.#isRunning = false;
    for (const unit of this.#units.values()) unit.cancelProbe?.();
  }

  /** Gives the error for a unit that is not to be asked now. */
  findRefusal(unitId: number): UnitSetAside | undefined {
    const health = this.#units.get(unitId)?.health;
    if (health?.isSetAside !== true) return undefined;
    return new UnitSetAside(health.describeSetAside(), health.lastReason);
  }

  /** Takes note that a request goes out. */
  noteRequest(unitId: number): void {
    this.#get(unitId).health.count('requests');
  }

  /** Takes note of an answer, `durationMs` after its request; undefined for one that came too late. */
  noteAnswer(unitId: number, durationMs: number | undefined): void {
    if (durationMs !== undefined) this.#answerTimes.note(durationMs);
    const unit = this.#get(unitId);
    this.#onChange(unit, unit.health.noteAnswer());
  }

  /** Takes note of a request that brought no good answer. */
  noteFailure(request: ModbusRequest, error: unknown, durationMs: number): void {
    const unit = this.#get(request.unitId);
    const { health } = unit;
    const nowMs = this.#options.clock.epochMs();
    if (error instanceof NoAnswer) {
      health.count('timeouts');
      this.#noteSilence(unit, request, { message: error.detail, durationMs });
    } else if (error instanceof ExceptionAnswer) {
      health.count('exceptions');
      if (this.#isSilenceBehindGateway(unit, error, durationMs)) {
        this.#noteSilence(unit, request, { message: error.detail, durationMs });
      } else {
        health.noteError(error.detail, nowMs);
        this.noteAnswer(request.unitId, durationMs);
      }
    } else {
      if (error instanceof InvalidAnswer) health.count('invalidAnswers');
      health.noteError(messageOf(error), nowMs);
    }
  }

  /** One entry per unit that was ever asked, in the order of the first request. */
  status(): readonly UnitStatus[] {
    return [...this.#units.values()].map(({ health }) => health.status());
  }

  // A gateway that says so at once costs the line nothing; one that waits for the dead unit each time blocks it.
  #isSilenceBehindGateway({ health }: Watched, error: ExceptionAnswer, durationMs: number): boolean {
    if (error.exceptionCode !== GATEWAY_TARGET_SILENT) return false;
    const limitMs = silenceMs(this.#answerTimes.slowestMs(), this.#options.responseTimeoutMs);
    return health.isSetAside || durationMs >= limitMs;
  }

  #noteSilence(unit: Watched, request: ModbusRequest, silence: Omit<Silence, 'endMs'>): void {
    unit.probe = toProbe(request);
    this.#onChange(unit, unit.health.noteSilence({ ...silence, endMs: this.#options.clock.epochMs() }));
  }

  #onChange(unit: Watched, change: HealthChange | undefined): void {
    if (change === undefined) return;
    const { logger, onChange } = this.#options;
    const { name, lastError } = unit.health.status();
    if (change === 'ANSWERING') {
      unit.cancelProbe?.();
      logger.info('modbus.unitAnswering', { unit: name });
    } else {
      this.#scheduleProbe(unit, PROBE_PAUSE_MS);
      logger.warn('modbus.unitSetAside', { unit: name, reason: lastError });
    }
    onChange(unit.health.status());
  }

  #scheduleProbe(unit: Watched, pauseMs: number): void {
    const { clock } = this.#options;
    unit.cancelProbe?.();
    if (!this.#isRunning) return;
    unit.health.noteNextProbe(clock.epochMs() + pauseMs);
    unit.cancelProbe = clock.schedule(pauseMs, () => void this.#runProbe(unit));
  }

  async #runProbe(unit: Watched): Promise<void> {
    const timeoutMs = probeTimeoutMs(this.#answerTimes.slowestMs(), this.#options.responseTimeoutMs);
    if (unit.probe !== undefined) await this.#options.probe(unit.probe, timeoutMs);
    if (unit.health.isSetAside) this.#scheduleProbe(unit, PROBE_PAUSE_MS);
  }

  #get(unitId: number): Watched {
    let unit = this.#units.get(unitId);
    if (unit === undefined) {
      unit = { health: new UnitHealth(unitId) };
      this.#units.set(unitId, unit);
    }
    return unit;
  }
}
