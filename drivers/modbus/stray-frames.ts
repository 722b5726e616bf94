import type { LateAnswerGuard } from './late-answer-guard.ts';
import type { ClientEvents } from './modbus-client.ts';
import type { ReceivedBytes } from './received-bytes.ts';
import type { SerialFraming } from './serial-framing.ts';

export interface StrayFramesOptions {
  readonly events: ClientEvents;
  readonly framing: SerialFraming;
  readonly settling: LateAnswerGuard;
}

/** Counts the frames of a serial line that no call waits for, and finds late answers to probes among them. */
export class StrayFrames {
  readonly #options: StrayFramesOptions;
  #missedProbeUnit: number | undefined;

  constructor(options: StrayFramesOptions) {
    this.#options = options;
  }

  /** Records that a probe of the unit got no answer in time. */
  noteMissedProbe(unitId: number): void {
    this.#missedProbeUnit = unitId;
  }

  /** Counts a frame, or bytes that may be one. */
  count(): void {
    const { events, settling } = this.#options;
    events.onCount('lateFrames');
    settling.extend();
  }

  /** Records a whole frame of a unit that came while another unit was asked. */
  noteFrame(unitId: number): void {
    this.count();
    this.#noteLateProbeAnswer(unitId);
  }

  /**
   * Takes bytes that came while no request was under way.
   *
   * @param received bytes held so far; emptied when they form a frame, or do not fit
   * @param isNewFrame the line paused before these bytes
   */
  push(bytes: Buffer, received: ReceivedBytes, isNewFrame: boolean): void {
    const { framing, settling } = this.#options;
    if (isNewFrame || received.length === 0) {
      received.clear();
      this.count();
    } else {
      settling.extend();
    }
    if (!received.push(bytes)) return received.clear();
    const whole = framing.parseWhole(received.bytes);
    if (whole === undefined) return;
    // Another one may follow.
    settling.begin(whole.unitId);
    this.#noteLateProbeAnswer(whole.unitId);
    received.clear();
  }

  #noteLateProbeAnswer(unitId: number): void {
    if (this.#missedProbeUnit !== unitId) return;
    this.#missedProbeUnit = undefined;
    this.#options.events.onLateProbeAnswer(unitId);
  }
}
