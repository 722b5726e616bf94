import { hasAnswerForm } from '../pdu/answer.ts';
import type { LateAnswerGuard } from './late-answer-guard.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { toLateAnswer } from './modbus-client.ts';
import type { ClientEvents, MissedRequest } from './modbus-client.ts';
import { splitFrames } from '../pdu/serial-framing.ts';
import type { ExpectedFrame, SerialFrame, SerialFraming, ReceivedBytes } from '../pdu/serial-framing.ts';

export interface StrayFramesOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly events: ClientEvents;
  readonly framing: SerialFraming;
  readonly settling: LateAnswerGuard;
}

/** A probe that was given up, and the frame that would have answered it. */
type MissedProbe = MissedRequest & { readonly expected: ExpectedFrame };

// Several for each unit: one that answers late may be probed again before it does.
const MAXIMUM_MISSED_PROBES = 256;

/** Counts the frames of a serial line that no call waits for, and finds late answers to probes among them. */
export class StrayFrames {
  readonly #options: StrayFramesOptions;
  /** What probes that got no answer in time wait for, oldest first. */
  #missedProbes: readonly MissedProbe[] = [];
  #hasForeign = false;

  constructor(options: StrayFramesOptions) {
    this.#options = options;
  }

  /** Whether others speak on the line, so that a frame of the unit that is asked need not be its answer. */
  get hasForeign(): boolean {
    return this.#hasForeign;
  }

  /** Records that a probe got no answer in time. */
  noteMissedProbe(missed: MissedProbe): void {
    const others = this.#missedProbes.filter(({ expected }) => !isSame(expected, missed.expected));
    this.#missedProbes = [...others, missed].slice(-MAXIMUM_MISSED_PROBES);
  }

  /** Records that a unit answered in time, so that nothing is to be learned from a late answer. */
  forgetProbes({ unitId }: Pick<ExpectedFrame, 'unitId'>): void {
    if (this.#missedProbes.length === 0) return;
    this.#missedProbes = this.#missedProbes.filter(({ expected }) => expected.unitId !== unitId);
  }

  /** Counts a frame, or bytes that may be one. */
  count(): void {
    const { events, settling } = this.#options;
    events.onCount('lateFrames');
    settling.extend();
  }

  /** Records a whole frame that came while a request was under way, and is not its answer. */
  noteFrame(frame: SerialFrame): void {
    this.count();
    this.#noteWhole(frame);
  }

  /**
   * Records bytes right before the answer of a unit, or right behind it.
   *
   * @returns the frames that they are; empty where they are none
   */
  noteBeside(bytes: Buffer): readonly SerialFrame[] {
    this.count();
    const frames = splitFrames(this.#options.framing, bytes) ?? [];
    for (const frame of frames) this.#noteWhole(frame);
    return frames;
  }

  /**
   * Records bytes behind the answer of a unit.
   *
   * @returns whether they are frames of others
   */
  noteBehind(bytes: Buffer, unitId: number): boolean {
    const frames = this.noteBeside(bytes);
    return frames.length > 0 && !frames.some((frame) => frame.unitId === unitId && hasAnswerForm(frame.pdu));
  }

  /**
   * Looks for late answers to probes among bytes of which some may be the answer of the unit that is asked now: on a busy
   * line frames follow one another without a pause.
   *
   * @param askedUnitId its frames are left alone
   */
  findLateProbeAnswers(bytes: Buffer, askedUnitId: number): void {
    for (const { expected } of this.#missedProbes) {
      if (expected.unitId === askedUnitId) continue;
      const frame = this.#options.framing.find(bytes, expected);
      if (frame !== undefined) this.#noteLateProbeAnswer(frame);
    }
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
    const frames = splitFrames(framing, received.bytes);
    if (frames === undefined) return;
    for (const frame of frames) this.#noteWhole(frame);
    received.clear();
  }

  // A unit that owes no answer was asked by another master, or speaks unasked.
  #noteWhole(frame: SerialFrame): void {
    const { events, settling } = this.#options;
    const isProbed = this.#missedProbes.some(({ expected }) => expected.unitId === frame.unitId);
    if (!hasAnswerForm(frame.pdu) || !(isProbed || settling.has(frame.unitId))) {
      this.#hasForeign = true;
      events.onCount('foreignFrames');
      settling.dismiss();
    } else {
      this.#noteLateProbeAnswer(frame);
    }
  }

  #noteLateProbeAnswer({ unitId, pdu }: SerialFrame): void {
    const missed = this.#missedProbes.findLast(({ expected }) => expected.unitId === unitId);
    if (missed === undefined) return;
    const { settling, events, clock } = this.#options;
    this.forgetProbes({ unitId });
    // The unit answers later than it is waited for: another answer may be on its way.
    settling.begin(unitId);
    events.onLateProbeAnswer(toLateAnswer(missed, pdu, clock.monotonicMs()));
  }
}

function isSame(a: ExpectedFrame, b: ExpectedFrame): boolean {
  return a.unitId === b.unitId && a.functionCode === b.functionCode && a.pduBytes === b.pduBytes;
}
