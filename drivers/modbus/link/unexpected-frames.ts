import { hasResponseForm } from '../pdu/response.ts';
import type { LateResponseGuard } from './late-response-guard.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { toLateResponse } from './modbus-client.ts';
import type { ClientEvents, MissedRequest } from './modbus-client.ts';
import { splitFrames } from '../pdu/serial-framing.ts';
import type { ExpectedFrame, SerialFrame, SerialFraming, ReceivedBytes } from '../pdu/serial-framing.ts';

export interface UnexpectedFramesOptions {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly events: ClientEvents;
  readonly framing: SerialFraming;
  readonly settling: LateResponseGuard;
  /** Packet that the device sends between responses. */
  readonly heartbeat?: Buffer | undefined;
}

/** A probe that timed out, and the frame that would have answered it. */
type MissedProbe = MissedRequest & { readonly expected: ExpectedFrame };

// Several per unit: a slow unit may be probed again before it responds.
const MAXIMUM_MISSED_PROBES = 256;

/** Counts the unexpected frames of a serial line and finds late responses to probes among them. */
export class UnexpectedFrames {
  readonly #options: UnexpectedFramesOptions;
  /** Responses that timed-out probes wait for, oldest first. */
  #missedProbes: readonly MissedProbe[] = [];
  #hasForeign = false;

  constructor(options: UnexpectedFramesOptions) {
    this.#options = options;
  }

  /** True if other masters use the line, so that a frame of the polled unit need not be its response. */
  get hasForeign(): boolean {
    return this.#hasForeign;
  }

  /**
   * True if all bytes are heartbeats. Only bytes that are not part of a response may be checked: a response can end like
   * a heartbeat.
   */
  isHeartbeat(bytes: Buffer): boolean {
    const { heartbeat } = this.#options;
    if (heartbeat === undefined || bytes.length === 0 || bytes.length % heartbeat.length !== 0) return false;
    for (let start = 0; start < bytes.length; start += heartbeat.length) {
      if (!heartbeat.equals(bytes.subarray(start, start + heartbeat.length))) return false;
    }
    return true;
  }

  /** Records a probe that timed out. */
  recordMissedProbe(missed: MissedProbe): void {
    const others = this.#missedProbes.filter(({ expected }) => !isSame(expected, missed.expected));
    this.#missedProbes = [...others, missed].slice(-MAXIMUM_MISSED_PROBES);
  }

  /** Records that a unit responded in time, so that a late response would show nothing new. */
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

  /** Records a complete frame that is not the response to the outstanding request. */
  recordFrame(frame: SerialFrame): void {
    this.count();
    this.#classify(frame);
  }

  /**
   * Records bytes adjacent to the response of a unit.
   *
   * @returns the frames in these bytes; empty if there are none
   */
  recordAdjacent(bytes: Buffer): readonly SerialFrame[] {
    if (this.isHeartbeat(bytes)) return [];
    this.count();
    const frames = splitFrames(this.#options.framing, bytes) ?? [];
    for (const frame of frames) this.#classify(frame);
    return frames;
  }

  /**
   * Records bytes after the response of a unit.
   *
   * @returns true if they are foreign frames or heartbeats
   */
  recordTrailing(bytes: Buffer, unitId: number): boolean {
    if (this.isHeartbeat(bytes)) return true;
    const frames = this.recordAdjacent(bytes);
    return (
      frames.length > 0 && !frames.some((frame) => frame.unitId === unitId && hasResponseForm(frame.pdu))
    );
  }

  /**
   * Finds late responses to probes among bytes that may include the response of the polled unit: on a busy line frames
   * follow one another without a pause.
   *
   * @param requestedUnitId unit whose frames are ignored
   */
  findLateProbeResponses(bytes: Buffer, requestedUnitId: number): void {
    for (const { expected } of this.#missedProbes) {
      if (expected.unitId === requestedUnitId) continue;
      const frame = this.#options.framing.find(bytes, expected);
      if (frame !== undefined) this.#recordLateProbeResponse(frame);
    }
  }

  /**
   * Processes bytes received while no request was outstanding.
   *
   * @param received buffered bytes; cleared when they form a frame or overflow
   * @param isNewFrame true if the line paused before these bytes
   */
  push(bytes: Buffer, received: ReceivedBytes, isNewFrame: boolean): void {
    if (this.isHeartbeat(bytes)) return;
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
    for (const frame of frames) this.#classify(frame);
    received.clear();
  }

  // A unit that owes no response was polled by another master, or sends unrequested frames.
  #classify(frame: SerialFrame): void {
    const { events, settling } = this.#options;
    const isProbed = this.#missedProbes.some(({ expected }) => expected.unitId === frame.unitId);
    if (!hasResponseForm(frame.pdu) || !(isProbed || settling.has(frame.unitId))) {
      this.#hasForeign = true;
      events.onCount('foreignFrames');
      settling.dismiss();
    } else {
      this.#recordLateProbeResponse(frame);
    }
  }

  #recordLateProbeResponse({ unitId, pdu }: SerialFrame): void {
    const missed = this.#missedProbes.findLast(({ expected }) => expected.unitId === unitId);
    if (missed === undefined) return;
    const { settling, events, clock } = this.#options;
    this.forgetProbes({ unitId });
    // The unit responds after its timeout: another response may still arrive.
    settling.begin(unitId);
    events.onLateProbeResponse(toLateResponse(missed, pdu, clock.monotonicMs()));
  }
}

function isSame(a: ExpectedFrame, b: ExpectedFrame): boolean {
  return a.unitId === b.unitId && a.functionCode === b.functionCode && a.pduBytes === b.pduBytes;
}
