import { toReasons } from '../../../daemon/base/errors.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { ByteLink } from '../../link/byte-link.ts';
import { isWrite } from '../pdu/modbus-functions.ts';
import { EchoDetector } from './echo-detector.ts';
import { DeadLinkDetector } from './dead-link-detector.ts';
import { explainBytes, explainFrame, LINE_FAULTS } from './line-faults.ts';
import { interpretResponse } from './modbus-client.ts';
import type { ClientEvents, ModbusClient, TransactOptions } from './modbus-client.ts';
import { InvalidResponse, LinkLost, NoResponse } from '../modbus-errors.ts';
import { ResponseFault, PduCodec } from '../value/pdu-codec.ts';
import { countResponseBytes, hasResponseForm, sentFunctionOf } from '../pdu/response.ts';
import { measureIdentification } from '../pdu/identification-pdu.ts';
import type { LineRequest } from '../pdu/request.ts';
import type { SerialCall } from './serial-call.ts';
import { splitFrames, ReceivedBytes } from '../pdu/serial-framing.ts';
import type { LineTiming, SerialFrame, SerialFraming } from '../pdu/serial-framing.ts';
import { UnexpectedFrames } from './unexpected-frames.ts';
import type { LateResponseGuard } from './late-response-guard.ts';
import type { WarmUp } from '../health/warm-up.ts';

export interface SerialClientOptions {
  readonly link: ByteLink;
  /** Name of the line in messages. */
  readonly endpoint: string;
  readonly clock: Clock;
  readonly events: ClientEvents;
  readonly framing: SerialFraming;
  readonly timing: LineTiming;
  /** True if the line echoes everything that is sent, before the response. */
  readonly hasEcho: boolean;
  /** Outlives the link: a late response can arrive over the next one. */
  readonly settling: LateResponseGuard;
  /** For a connection to a device server; absent for a local line. */
  readonly warmUp?: WarmUp | undefined;
  /** Packet that the device sends between responses. */
  readonly heartbeat?: Buffer | undefined;
}

const CALL = 0;
const NOTHING = Buffer.alloc(0);
const nothing: Cancel = () => undefined;
const BROADCAST_UNIT = 0;
// Time for the units to carry out a broadcast (MODBUS over Serial Line V1.02, 2.4.1: 100 to 200 ms).
const BROADCAST_TURNAROUND_MS = 100;

// Adapters deliver received bytes at least every 16 ms; a longer pause is a pause on the line.
const FRAME_GAP_MS = 50;

// Maximum bytes without a response: more than any noise, but few enough not to keep the process busy.
const MAXIMUM_UNEXPECTED_BYTES = 65_536;

// Turning the line around may append a byte or two to a response; four bytes are a frame.
const MINIMUM_FRAME_BYTES = 4;

/**
 * Client for serial lines, and for RTU frames over TCP: one call at a time.
 *
 * A frame has no transaction identifier. So a response is a frame with the expected unit, function, length and checksum,
 * wherever it begins. Bytes received before the request are discarded. A unit whose call timed out is left to `settling`.
 * A broadcast is complete when it was sent. A probe that times out closes the link if nothing was received since an
 * earlier request timed out.
 */
export class SerialClient implements ModbusClient {
  readonly #options: SerialClientOptions;
  readonly #codec = new PduCodec();
  readonly #received = new ReceivedBytes();
  #pending: SerialCall | undefined;
  readonly #unexpected: UnexpectedFrames;
  readonly #echo = new EchoDetector();
  /** Time of the newest character in either direction. */
  #busyUntilMs = Number.NEGATIVE_INFINITY;
  #unexpectedBytes = 0;
  #isOpen = false;
  readonly #deadLink: DeadLinkDetector;
  readonly warmUp: WarmUp | undefined;
  #hasResponded = false;
  /** True if a write timed out and nothing shows yet that it arrived. */
  #hasLostWrite = false;

  constructor(options: SerialClientOptions) {
    this.#options = options;
    this.#unexpected = new UnexpectedFrames(options);
    this.#deadLink = new DeadLinkDetector(options.warmUp);
    this.warmUp = options.warmUp;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isQuiet(): boolean {
    return this.#deadLink.isQuiet;
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.#options.link.open(signal, {
      onChunk: (bytes) => this.#onChunk(bytes),
      onClose: (cause) => this.#lose(this.#createLoss(toReasons(cause), cause)),
    });
    this.#isOpen = true;
    this.warmUp?.begin();
  }

  isResponseAmbiguous(request: LineRequest): boolean {
    const isAnswered = request.unitId !== BROADCAST_UNIT;
    return isAnswered && !this.#options.hasEcho && this.#echo.isAmbiguous(request);
  }

  close(reason: Error): void {
    this.#isOpen = false;
    this.#closeLink();
    this.#giveUp(reason);
  }

  transact(
    request: LineRequest,
    { timeoutMs, signal, isProbe = false, isExpendable = false, onSend }: TransactOptions,
  ): Promise<Buffer> {
    if (this.#pending !== undefined) throw new TypeError('one call at a time');
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#giveUp(signal?.reason);
      const settle = (): void => {
        this.#pending = undefined;
        pending.cancelTimeout();
        pending.cancelGap();
        signal?.removeEventListener('abort', onAbort);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const pending: SerialCall = {
        request,
        expected: {
          unitId: request.unitId,
          functionCode: sentFunctionOf(request),
          pduBytes: countResponseBytes(request),
          measure: request.functionCode === 43 ? measureIdentification : undefined,
        },
        timeoutMs,
        isProbe,
        isExpendable,
        beganMs: this.#options.clock.monotonicMs(),
        onSend,
        sent: undefined,
        sentMs: 0,
        awaitsEcho: this.#options.hasEcho,
        instead: undefined,
        cancelTimeout: nothing,
        cancelGap: nothing,
        succeed: (bytes) => {
          settle();
          resolve(bytes);
        },
        fail: (error) => {
          settle();
          reject(error);
        },
      };
      this.#pending = pending;
      this.#sendWhenSilent(pending);
    });
  }

  #sendWhenSilent(pending: SerialCall): void {
    const { clock, timing } = this.#options;
    const nowMs = clock.monotonicMs();
    const waitMs = this.#busyUntilMs + timing.silentIntervalMs - nowMs;
    if (waitMs <= 0) return this.#send(pending, nowMs);
    if (nowMs - pending.beganMs > pending.timeoutMs) return this.#refuse(pending, LINE_FAULTS.neverSilent);
    pending.cancelTimeout = clock.schedule(waitMs, () => this.#sendWhenSilent(pending));
  }

  #send(pending: SerialCall, nowMs: number): void {
    const { clock, framing, timing, link } = this.#options;
    const { request, expected, timeoutMs } = pending;
    const frame = framing.encode(request.unitId, this.#codec.encode(CALL, request));
    this.#received.clear();
    this.#deadLink.recordRequest();
    pending.sent = frame;
    pending.sentMs = nowMs;
    this.#busyUntilMs = nowMs + frame.length * timing.characterMs;
    pending.onSend?.();
    link.send(frame);
    const sentAfterMs = frame.length * timing.characterMs;
    if (request.unitId === BROADCAST_UNIT) {
      const doneAfterMs = sentAfterMs + BROADCAST_TURNAROUND_MS;
      pending.cancelTimeout = clock.schedule(doneAfterMs, () => pending.succeed(NOTHING));
      return;
    }
    // One timeout for the whole response, however slowly its characters arrive.
    const responseMs = framing.countCharacters(expected.pduBytes) * timing.characterMs;
    const limitMs = sentAfterMs + timeoutMs + responseMs;
    pending.cancelTimeout = clock.schedule(limitMs, () => this.#onTimeout(pending));
  }

  #onChunk(bytes: Buffer): void {
    const { clock } = this.#options;
    const nowMs = clock.monotonicMs();
    const hasPaused = nowMs - this.#busyUntilMs > FRAME_GAP_MS;
    this.#busyUntilMs = Math.max(this.#busyUntilMs, nowMs);
    this.#unexpectedBytes += bytes.length;
    this.#deadLink.recordReceived(this.#pending?.request.unitId);
    if (this.#unexpectedBytes > MAXIMUM_UNEXPECTED_BYTES) {
      this.#closeLink();
      return this.#lose(this.#createLoss([LINE_FAULTS.endless]));
    }
    const pending = this.#pending;
    // No unit responds to a broadcast.
    if (pending?.sent === undefined || pending.request.unitId === BROADCAST_UNIT) {
      return this.#unexpected.push(bytes, this.#received, hasPaused);
    }
    if (!this.#received.push(bytes)) {
      return this.#refuse(pending, explainBytes('NO_VALID_RESPONSE', this.#received.length));
    }
    this.#findResponse(pending, pending.sent);
    if (this.#pending !== pending) return;
    pending.cancelGap();
    pending.cancelGap = clock.schedule(FRAME_GAP_MS, () => this.#onGap(pending));
  }

  #findResponse(pending: SerialCall, sent: Buffer): void {
    const received = this.#received;
    this.#unexpected.findLateProbeResponses(received.bytes, pending.request.unitId);
    if (pending.awaitsEcho) {
      if (!received.dropThrough(sent)) return;
      pending.awaitsEcho = false;
    } else if (!this.#options.hasEcho && this.#echo.detect(pending.request, sent, received)) {
      this.#options.events.onCount('echoes');
      return this.#refuse(pending, LINE_FAULTS.echoed);
    }
    const frame = this.#options.framing.find(received.bytes, pending.expected);
    if (frame !== undefined) this.#onFrame(pending, frame);
  }

  #onFrame(pending: SerialCall, frame: SerialFrame): void {
    const { framing, settling } = this.#options;
    const { unitId } = frame;
    const outcome = interpretResponse(this.#codec, CALL, pending.request, frame.pdu);
    const received = this.#received.length;
    const trailing = received - frame.start - framing.countCharacters(frame.pdu.length);
    if (frame.start >= MINIMUM_FRAME_BYTES)
      this.#unexpected.recordAdjacent(this.#received.bytes.subarray(0, frame.start));
    if (outcome instanceof ResponseFault) {
      // It may be the late response to another write, or the request of another master.
      return this.#refuse(pending, outcome);
    }
    this.#hasResponded = true;
    this.#hasLostWrite = false;
    this.#unexpected.forgetProbes(frame);
    this.#echo.recordResponse(pending.request);
    if (trailing >= MINIMUM_FRAME_BYTES) {
      const isForeign = this.#unexpected.recordTrailing(
        this.#received.bytes.subarray(received - trailing),
        unitId,
      );
      if (!isForeign) settling.beginOnce(unitId);
    }
    this.#received.clear();
    this.#unexpectedBytes = 0;
    if (outcome instanceof Buffer) pending.succeed(outcome);
    else pending.fail(outcome);
  }

  // After a pause the bytes are a frame of another unit, a damaged frame or an incomplete one.
  #onGap(pending: SerialCall): void {
    const { framing, events } = this.#options;
    const { expected } = pending;
    const received = this.#received;
    if (this.#unexpected.isHeartbeat(received.bytes)) return received.clear();
    const frames = pending.awaitsEcho ? undefined : splitFrames(framing, received.bytes);
    if (frames !== undefined) return this.#onOtherFrames(pending, frames);
    if (received.length < framing.countCharacters(expected.pduBytes)) return;
    if (pending.awaitsEcho) return this.#refuse(pending, LINE_FAULTS.notEchoed);
    events.onCount('checksumErrors');
    this.#refuse(pending, explainBytes('CHECKSUM_WRONG', received.length));
  }

  // Foreign frames do not affect the request, nor do frames of its unit that answer no request of this gateway.
  #onOtherFrames(pending: SerialCall, frames: readonly SerialFrame[]): void {
    const { request, timeoutMs } = pending;
    const { unitId } = request;
    for (const frame of frames) {
      const isOwn = frame.unitId === unitId && hasResponseForm(frame.pdu);
      const outcome = isOwn ? interpretResponse(this.#codec, CALL, request, frame.pdu) : undefined;
      const isFault = outcome instanceof ResponseFault;
      const isCertain = isFault && outcome.isShort && !this.#unexpected.hasForeign;
      if (isCertain) return this.#refuse(pending, outcome);
      // Another master may have polled the unit.
      const { reasons = [LINE_FAULTS.incomplete], isShort = false } = isFault ? outcome : {};
      if (isOwn) pending.instead = new InvalidResponse(unitId, reasons, isShort);
      else this.#unexpected.recordFrame(frame);
      if (isOwn || frame.unitId !== unitId) continue;
      pending.instead ??= new NoResponse(unitId, timeoutMs, [explainFrame(frame.pdu)]);
    }
    this.#received.clear();
  }

  #onTimeout(pending: SerialCall): void {
    const { length: count } = this.#received;
    const { request, expected, sentMs } = pending;
    const remark = count === 0 ? [] : [explainBytes('RECEIVED_BYTES', count)];
    const { isProbe, isExpendable } = pending;
    if (isProbe || isExpendable) this.#unexpected.recordMissedProbe({ request, expected, sentMs });
    // A device server may keep a dead connection, and an adapter may hang until it is reopened.
    if (!isExpendable && this.#deadLink.recordUnanswered(request.unitId, isProbe)) {
      this.#isOpen = false;
      this.#closeLink();
    }
    this.#giveUp(pending.instead ?? new NoResponse(request.unitId, pending.timeoutMs, remark));
  }

  #refuse(pending: SerialCall, fault: FaultReason | ResponseFault): void {
    const { reasons, isShort, otherWord } = fault instanceof ResponseFault ? fault : new ResponseFault(fault);
    this.#giveUp(new InvalidResponse(pending.request.unitId, reasons, isShort, otherWord));
  }

  #giveUp(error: unknown): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    if (pending.sent !== undefined) {
      this.#options.settling.begin(pending.request.unitId);
      this.#hasLostWrite ||= isWrite(pending.request);
    }
    this.#received.clear();
    pending.fail(error);
  }

  // Over TCP a write that timed out must not arrive after a later one that is sent over another connection.
  #closeLink(): void {
    const pending = this.#pending;
    const isWriteOpen = pending?.sent !== undefined && isWrite(pending.request);
    this.#options.link.close(this.#hasLostWrite || isWriteOpen ? 'TAKEN_BACK' : 'LEFT');
  }

  #createLoss(reasons: readonly FaultReason[], cause?: unknown): LinkLost {
    const { endpoint } = this.#options;
    return new LinkLost({ endpoint, reasons, cause, hadResponses: this.#hasResponded });
  }

  #lose(error: LinkLost): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#pending !== undefined) this.#giveUp(error);
    else this.#options.events.onLost(error);
  }
}
