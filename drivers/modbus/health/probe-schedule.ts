import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { ProbeCandidates } from '../pdu/probe-candidates.ts';
import type { ModbusRequest, ReadRequest } from '../pdu/request.ts';
import { PROBE_PAUSE_MS, probePauseMs, probeTimeoutMs, trialPauseMs } from './unit-health.ts';
import type { ProbeTiming, ProbeWait, UnitHealth } from './unit-health.ts';

export interface ProbeScheduleOptions {
  readonly clock: Pick<Clock, 'schedule' | 'monotonicMs' | 'epochMs'>;
  readonly health: UnitHealth;
  readonly requests: ProbeCandidates;
  /** True if the line is up, so that probes can be sent. */
  readonly isRunning: () => boolean;
  /** Returns the usual and the maximum response times. */
  readonly timing: () => Pick<ProbeTiming, 'slowestMs' | 'responseTimeoutMs'>;
  /** Sends a probe; never rejects. */
  readonly probe: (request: ReadRequest, wait: ProbeWait) => Promise<void>;
}

/** Schedules the probes of a suspended unit so that other units keep most of the line. */
export class ProbeSchedule {
  readonly #options: ProbeScheduleOptions;
  /** Counts the probes since the unit was suspended. */
  #probes = 0;
  /** Start or end of the newest probe, in monotonic milliseconds. */
  #probedMs = Number.NEGATIVE_INFINITY;
  #isProbing = false;
  #isClosed = false;
  /** Time for which a gateway blocked the line before it reported that the unit does not respond. */
  #gatewayMs = 0;
  #cancel: Cancel | undefined;

  constructor(options: ProbeScheduleOptions) {
    this.#options = options;
  }

  /** Sends the next probe after its pause; the first one at once. */
  start(): void {
    const { health, requests } = this.#options;
    if (!health.isSuspended || this.#isProbing || this.#isClosed) return;
    const timing = this.#timing();
    const pauseMs = requests.hasUntried ? trialPauseMs(timing) : probePauseMs(timing);
    this.#schedule(Math.max(0, this.#probedMs + pauseMs - this.#options.clock.monotonicMs()));
  }

  /** Stops probing until `start`. */
  stop(): void {
    this.#cancel?.();
  }

  /** Stops probing permanently. */
  close(): void {
    this.#isClosed = true;
    this.stop();
  }

  /** Records that the unit was suspended. */
  recordSuspended(): void {
    this.#probes = 0;
    this.#probedMs = Number.NEGATIVE_INFINITY;
    this.#schedule(PROBE_PAUSE_MS);
  }

  /** Records a response from the unit. */
  recordResponse(): void {
    this.#gatewayMs = 0;
    this.stop();
  }

  /** Records that a gateway reported after `durationMs` that the unit does not respond. */
  recordGatewayReport(durationMs: number): void {
    this.#gatewayMs = durationMs;
    this.start();
  }

  /** Records a request that a client wants to send. A request that was never sent is tried soon. */
  recordWanted(request: ModbusRequest): void {
    const { requests } = this.#options;
    const hadUntried = requests.hasUntried;
    requests.recordWanted(request);
    if (!hadUntried && requests.hasUntried) this.start();
  }

  #schedule(pauseMs: number): void {
    const { clock, health, isRunning } = this.#options;
    this.#cancel?.();
    if (!isRunning()) return;
    health.recordNextProbe(Math.round(clock.epochMs() + pauseMs));
    this.#cancel = clock.schedule(pauseMs, () => void this.#run());
  }

  async #run(): Promise<void> {
    const { clock, requests, probe } = this.#options;
    const { timeoutMs, responseTimeoutMs } = this.#timing();
    // The response time of a unit that never responded is unknown.
    const onQuietLinkMs = requests.hasResponded ? timeoutMs : responseTimeoutMs;
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
