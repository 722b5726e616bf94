import type { Clock } from '../../../../daemon/base/clock.ts';
import type { DeviceEnd, DeviceEvents } from '../../network/tcp-connection.ts';
import type { Random } from '../../world/random.ts';
import { distortPdu } from './distort.ts';
import type { Reply, UnitConduct } from './unit-conduct.ts';
import { encodeException, EXCEPTION } from './wire.ts';

const HEADER_BYTES = 7;
const LONGEST_PDU_BYTES = 253;
// Answers of short work keep their order; one that takes longer is overtaken by others.
const OVERTAKEN_MS = 50;

export interface ModbusTcpServerOptions {
  readonly time: Pick<Clock, 'monotonicMs' | 'schedule'>;
  readonly random: Random;
  readonly units: ReadonlyMap<number, UnitConduct>;
  /** It works on one request at a time; otherwise on all of them at once. */
  readonly isSequential: boolean;
  /** It ends each connection after this many answers. */
  readonly closesAfterAnswers?: number;
  /** It ends each connection after this long without a request, in milliseconds. */
  readonly closesAfterIdleMs?: number;
  /** What it makes of a request for a unit that it does not have: exception 10 or 11, or nothing. */
  readonly unknownUnit: 10 | 11 | 'SILENT';
}

/** A device, or a gateway to several, that speaks Modbus TCP (MODBUS Messaging on TCP/IP V1.0b, 3.1). */
export class ModbusTcpServer {
  readonly #options: ModbusTcpServerOptions;
  #freeMs = 0;

  constructor(options: ModbusTcpServerOptions) {
    this.#options = options;
  }

  /** Serves a connection. */
  accept(end: DeviceEnd): DeviceEvents {
    const session = new Session(this.#options, end, (afterMs) => this.#occupy(afterMs));
    return session;
  }

  // Returns when the work is done that takes this long.
  #occupy(workMs: number): number {
    const { isSequential, time } = this.#options;
    // It does not wait for a slow unit behind it: it gives that a place of its own.
    if (!isSequential || workMs > OVERTAKEN_MS) return workMs;
    const nowMs = time.monotonicMs();
    this.#freeMs = Math.max(this.#freeMs, nowMs) + workMs;
    return this.#freeMs - nowMs;
  }
}

class Session implements DeviceEvents {
  readonly #options: ModbusTcpServerOptions;
  readonly #end: DeviceEnd;
  readonly #occupy: (workMs: number) => number;
  #received: Buffer = Buffer.alloc(0);
  #answers = 0;
  #newestMs: number;
  /** It sends nothing any more: the rest of an answer that was cut off would be taken from the next one. */
  #isMute = false;
  #previous: Buffer | undefined;

  constructor(options: ModbusTcpServerOptions, end: DeviceEnd, occupy: (workMs: number) => number) {
    this.#options = options;
    this.#end = end;
    this.#occupy = occupy;
    this.#newestMs = options.time.monotonicMs();
    if (options.closesAfterIdleMs !== undefined) this.#watchIdle(options.closesAfterIdleMs);
  }

  onBytes(bytes: Buffer): void {
    this.#newestMs = this.#options.time.monotonicMs();
    this.#received = this.#received.length === 0 ? bytes : Buffer.concat([this.#received, bytes]);
    while (this.#received.length >= HEADER_BYTES) {
      const length = this.#received.readUInt16BE(4);
      if (this.#received.readUInt16BE(2) !== 0 || length < 3 || length > LONGEST_PDU_BYTES + 1) {
        return this.#end.close();
      }
      if (this.#received.length < 6 + length) return;
      const frame = this.#received.subarray(0, 6 + length);
      this.#received = this.#received.subarray(6 + length);
      this.#onRequest(frame);
    }
  }

  onEnd(): void {
    this.#isMute = true;
  }

  #onRequest(frame: Buffer): void {
    const unitId = frame[6] ?? 0;
    const pdu = frame.subarray(HEADER_BYTES);
    const unit = this.#options.units.get(unitId);
    const reply = unit === undefined ? this.#answerUnknown(pdu) : unit.answer(pdu);
    if (reply === undefined || this.#isMute) return;
    const afterMs = this.#occupy(reply.afterMs);
    const answer = this.#frame(frame, reply);
    if (afterMs <= OVERTAKEN_MS) return this.#send(answer, reply, afterMs);
    this.#options.time.schedule(afterMs, () => this.#send(answer, reply, 0));
  }

  #answerUnknown(pdu: Buffer): Reply | undefined {
    const { unknownUnit } = this.#options;
    if (unknownUnit === 'SILENT') return undefined;
    const afterMs = unknownUnit === EXCEPTION.gatewayTarget ? 40 : 1;
    return { pdu: encodeException(pdu[0] ?? 0, unknownUnit), afterMs };
  }

  #frame(request: Buffer, { pdu, distortion }: Reply): Buffer {
    const answer = distortPdu(pdu, distortion);
    const frame = Buffer.allocUnsafe(HEADER_BYTES + answer.length);
    request.copy(frame, 0, 0, 4);
    frame.writeUInt16BE(answer.length + 1, 4);
    frame[6] = request[6] ?? 0;
    answer.copy(frame, HEADER_BYTES);
    // Far from the identifiers of all requests that are under way.
    if (distortion === 'WRONG_TRANSACTION') frame[0] = (frame[0] ?? 0) ^ 0x40;
    if (distortion === 'WRONG_UNIT') frame[6] = (frame[6] ?? 0) ^ 0x80;
    if (distortion === 'GARBLED') this.#garble(frame);
    return frame;
  }

  // In the header alone: nothing would show what is wrong with the values, and TCP does not bring such bytes.
  #garble(frame: Buffer): void {
    const { random } = this.#options;
    if (random.chance(0.5)) frame[2] = random.integer(1, 255);
    else frame.writeUInt16BE(random.pick([0, 1, 300, 0xffff]), 4);
  }

  #send(frame: Buffer, { distortion }: Reply, afterMs: number): void {
    if (this.#isMute) return;
    const { random, closesAfterAnswers = Number.POSITIVE_INFINITY } = this.#options;
    if (distortion === 'FOREIGN') {
      if (this.#previous !== undefined) this.#end.send(this.#previous, afterMs);
      return;
    }
    if (distortion === 'CUT' || distortion === 'GARBLED') this.#isMute = true;
    if (distortion === 'CUT') {
      this.#end.send(frame.subarray(0, random.integer(1, frame.length - 1)), afterMs);
      // A connection that brings nothing any more would be a fault of all units that share it.
      if (this.#options.units.size > 1 || random.chance(0.5)) this.#end.reset();
      return;
    }
    this.#end.send(frame, afterMs);
    if (distortion === 'DOUBLED') this.#end.send(frame, afterMs);
    this.#previous = frame;
    this.#answers += 1;
    if (this.#answers >= closesAfterAnswers) this.#end.close();
  }

  #watchIdle(idleMs: number): void {
    const { time } = this.#options;
    const check = (): void => {
      if (!this.#end.isOpen) return;
      const leftMs = this.#newestMs + idleMs - time.monotonicMs();
      if (leftMs > 0) time.schedule(leftMs, check);
      else this.#end.close();
    };
    time.schedule(idleMs, check);
  }
}
