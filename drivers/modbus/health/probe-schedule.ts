import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { KnownRequests } from '../pdu/known-requests.ts';
import type { ModbusRequest, ReadRequest } from '../pdu/request.ts';
import { PROBE_PAUSE_MS, probePauseMs, probeTimeoutMs, trialPauseMs } from './unit-health.ts';
import type { ProbeTiming, ProbeWait, UnitHealth } from './unit-health.ts';

export interface ProbeScheduleOptions {
  readonly clock: Pick<Clock, 'schedule' | 'monotonicMs' | 'epochMs'>;
  readonly health: UnitHealth;
  readonly requests: KnownRequests;
  /** Whether the line is up, so that probes can be sent. */
  readonly isRunning: () => boolean;
  /** Returns how long answers take, and how long they may. */
  readonly timing: () => Pick<ProbeTiming, 'slowestMs' | 'responseTimeoutMs'>;
  /** Sends a probe; never rejects. */
  readonly probe: (request: ReadRequest, wait: ProbeWait) => Promise<void>;
}

/** Times the probes of one unit while it is suspended, so that they leave the line to the others. */
export class ProbeSchedule {
  readonly #options: ProbeScheduleOptions;
  /** Counts the probes since the unit was suspended. */
  #probes = 0;
  /** When the newest of them began or ended, in monotonic milliseconds. */
  #probedMs = Number.NEGATIVE_INFINITY;
  #isProbing = false;
  #isClosed = false;
  /** How long a gateway blocked the line before it reported that the unit does not answer. */
  #gatewayMs = 0;
  #cancel: Cancel | undefined;

  constructor(options: ProbeScheduleOptions) {
    this.#options = options;
  }

  /** Sends the next probe when its pause is over; at once where none was sent yet. */
  start(): void {
    const { health, requests } = this.#options;
    if (!health.isSuspended || this.#isProbing || this.#isClosed) return;
    const timing = this.#timing();
    const pauseMs = requests.hasUntried ? trialPauseMs(timing) : probePauseMs(timing);
    this.#schedule(Math.max(0, this.#probedMs + pauseMs - this.#options.clock.monotonicMs()));
  }

  /** Sends no more probes until `start`. */
  stop(): void {
    this.#cancel?.();
  }

  /** Sends no more probes. */
  close(): void {
    this.#isClosed = true;
    this.stop();
  }

  /** Records that the unit was suspended. */
  noteSuspended(): void {
    this.#probes = 0;
    this.#probedMs = Number.NEGATIVE_INFINITY;
    this.#schedule(PROBE_PAUSE_MS);
  }

  /** Records an answer of the unit. */
  noteAnswer(): void {
    this.#gatewayMs = 0;
    this.stop();
  }

  /** Records that a gateway reported after this time that the unit does not answer. */
  noteGatewayReport(durationMs: number): void {
    this.#gatewayMs = durationMs;
    this.start();
  }

  /** Records a request that a client wants to send; what was never sent before is tried soon. */
  noteWish(request: ModbusRequest): void {
    const { requests } = this.#options;
    const hadUntried = requests.hasUntried;
    requests.noteWish(request);
    if (!hadUntried && requests.hasUntried) this.start();
  }

  #schedule(pauseMs: number): void {
    const { clock, health, isRunning } = this.#options;
    this.#cancel?.();
    if (!isRunning()) return;
    health.noteNextProbe(Math.round(clock.epochMs() + pauseMs));
    this.#cancel = clock.schedule(pauseMs, () => void this.#run());
  }

  async #run(): Promise<void> {
    const { clock, requests, probe } = this.#options;
    const { timeoutMs, responseTimeoutMs } = this.#timing();
    // It is not known how fast a unit is that never answered.
    const onQuietLinkMs = requests.hasAnswered ? timeoutMs : responseTimeoutMs;
    const request = requests.takeProbe(this.#probes);
    this.#probes += 1;
    this.#probedMs = clock.monotonicMs();
    if (request !== undefined) {
      this.#isProbing = true;
      await probe(request, { timeoutMs, onQuietLinkMs });
      this.#isProbing = false;
      this.#probedMs = clock.monotonicMs();
    }
    this.start();
  }

  #timing(): ProbeTiming {
    const { slowestMs, responseTimeoutMs } = this.#options.timing();
    const timing = { slowestMs, responseTimeoutMs, gatewayMs: this.#gatewayMs };
    return { ...timing, timeoutMs: probeTimeoutMs(timing) };
  }
}
