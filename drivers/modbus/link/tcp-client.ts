import { toReasons } from '../../../daemon/base/errors.ts';
import { createReason } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { MODBUS_FAILURES } from '../failure-sentences.ts';
import type { Cancel, Clock } from '../../../daemon/base/clock.ts';
import type { ByteLink } from '../../link/byte-link.ts';
import { isWrite } from '../pdu/modbus-functions.ts';
import { encodeFrame, FrameReader, FramingFault } from '../pdu/mbap.ts';
import { countStrayBytes, TolerantFrameReader } from '../pdu/tolerant-frame-reader.ts';
import { MissedProbes } from './missed-probes.ts';
import { explainForeignUnit, interpretResponse, toLateResponse, toWord } from './modbus-client.ts';
import type { ClientEvents, ModbusClient, TransactOptions } from './modbus-client.ts';
import { InvalidResponse, LinkLost, NoResponse } from '../modbus-errors.ts';
import { ResponseFault, PduCodec } from '../value/pdu-codec.ts';
import type { LineRequest } from '../pdu/request.ts';
import type { OnFrame } from '../pdu/mbap.ts';
import type { TransactionIds } from './transaction-ids.ts';
import { WarmUp } from '../health/warm-up.ts';

export interface TcpClientOptions {
  readonly link: ByteLink;
  /** Name of the far end in messages. */
  readonly endpoint: string;
  readonly clock: Clock;
  readonly events: ClientEvents;
  /** Outlives the client. */
  readonly ids: TransactionIds;
  /** True if responses are matched by transaction identifier alone. */
  readonly ignoresUnitId: boolean;
  /** True if any frame answers the only outstanding request. Closing the link prevents late responses. */
  readonly ignoresTransactionId: boolean;
  /** True if only the device can open the link again: the first time-out of a silent link does not close it. */
  readonly keepsLink?: boolean;
  /** Maximum bytes between two frames that are no frame. */
  readonly maximumStrayBytes: number;
  /** Packet that the device sends between frames. */
  readonly heartbeat?: Buffer | undefined;
}

interface Pending {
  readonly request: LineRequest;
  readonly transactionId: number;
  /** Number of the call at the codec; reused after the call. */
  readonly call: number;
  /** Sequence number of the request on its link. */
  readonly number: number;
  readonly framesBefore: number;
  readonly sentMs: number;
  /** Transaction identifier of a response that arrived in the meantime and matches no request. */
  unexpectedId: number | undefined;
  readonly succeed: (bytes: Buffer) => void;
  readonly fail: (error: unknown) => void;
}

// Hardly any ready unit takes longer.
const USUAL_RESPONSE_MS = 1000;

// No correct server sends this many unrequested responses; more would keep the process busy.
const MAXIMUM_UNEXPECTED = 1000;
// Twice the deepest pipeline.
const MAXIMUM_GIVEN_UP = 32;

/**
 * Modbus TCP client with any number of outstanding calls.
 *
 * Responses are matched by transaction identifier. A call that times out closes the link, because its state is unknown.
 * The link stays open if other responses arrived since or are still expected, because a late response does no harm
 * then. A single probe timeout does not close it either, so that a dead unit causes no reconnects, nor does a read
 * while the device may be warming up.
 */
export class TcpClient implements ModbusClient {
  readonly #options: TcpClientOptions;
  readonly #codec = new PduCodec();
  readonly #reader: Pick<FrameReader, 'push'>;
  /** Requests that failed over the open link: their late responses are frames among other bytes. */
  readonly #givenUp = new Set<number>();
  readonly #pending = new Map<number, Pending>();
  readonly warmUp: WarmUp;
  readonly #freeCalls: number[] = [];
  readonly #missedProbes = new MissedProbes();
  /** True if nothing was received since a probe timed out. */
  #isQuiet = false;
  #requests = 0;
  #frames = 0;
  #unexpected = 0;
  #isOpen = false;
  /** The newest write that timed out and of which nothing shows yet that it arrived. */
  #lostWrite: Pending | undefined;

  constructor(options: TcpClientOptions) {
    this.#options = options;
    this.warmUp = new WarmUp(options.clock);
    const { maximumStrayBytes, heartbeat } = options;
    const onFrame: OnFrame = (transactionId, unitId, pdu) => this.#onFrame(transactionId, unitId, pdu);
    this.#reader =
      maximumStrayBytes === 0
        ? new FrameReader(onFrame)
        : new TolerantFrameReader({
            onFrame,
            isExpected: (transactionId, unitId) => this.#isExpected(transactionId, unitId),
            maximumStrayBytes,
            heartbeat,
          });
  }

  /** Always false: a response carries the transaction identifier of its request. */
  isResponseAmbiguous(): boolean {
    return false;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.#options.link.open(signal, {
      onChunk: (bytes) => this.#onChunk(bytes),
      onClose: (cause) => this.#lose(this.#createLoss(toReasons(cause), cause)),
    });
    this.#isOpen = true;
    this.warmUp.begin();
  }

  close(reason: Error): void {
    this.#isOpen = false;
    this.#closeLink();
    for (const pending of this.#pending.values()) pending.fail(reason);
  }

  transact(request: LineRequest, options: TransactOptions): Promise<Buffer> {
    const { timeoutMs, signal, isProbe = false, isExpendable = false, onSend } = options;
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const transactionId = this.#takeTransactionId();
    const call = this.#freeCalls.pop() ?? this.#pending.size + 1;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#giveUp(pending, signal?.reason);
      const cancelTimeout: Cancel = this.#options.clock.schedule(timeoutMs, () => {
        const error = new NoResponse(request.unitId, timeoutMs, explainUnexpected(pending));
        const { ignoresTransactionId } = this.#options;
        if (!isExpendable) this.warmUp.recordUnanswered(request.unitId);
        if (isExpendable && !ignoresTransactionId) this.#leave(pending, error);
        else if ((isProbe || this.#options.keepsLink === true) && !ignoresTransactionId)
          this.#missProbe(pending, error);
        else this.#giveUp(pending, error);
      });
      const settle = (): void => {
        this.#pending.delete(transactionId);
        this.#freeCalls.push(call);
        cancelTimeout();
        signal?.removeEventListener('abort', onAbort);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const pending: Pending = {
        request,
        transactionId,
        call,
        number: (this.#requests += 1),
        framesBefore: this.#frames,
        sentMs: this.#options.clock.monotonicMs(),
        unexpectedId: undefined,
        succeed: (bytes) => {
          settle();
          resolve(bytes);
        },
        fail: (error) => {
          settle();
          reject(error);
        },
      };
      this.#pending.set(transactionId, pending);
      onSend?.();
      const pdu = this.#codec.encode(call, request);
      this.#options.link.send(encodeFrame(transactionId, request.unitId, pdu));
    });
  }

  #takeTransactionId(): number {
    const transactionId = this.#options.ids.next((id) => this.#pending.has(id));
    this.#missedProbes.forget(transactionId);
    this.#givenUp.delete(transactionId);
    return transactionId;
  }

  #giveUp(pending: Pending, error: unknown): void {
    pending.fail(error);
    if (this.#options.maximumStrayBytes > 0) this.#recordGivenUp(pending.transactionId);
    const { ignoresTransactionId } = this.#options;
    if (isWrite(pending.request)) this.#lostWrite = pending;
    else if (this.warmUp.isInProgress && !ignoresTransactionId) return;
    const isInOrder = this.#pending.size > 0 || this.#frames !== pending.framesBefore;
    if (isInOrder && !ignoresTransactionId) return;
    this.#isOpen = false;
    this.#closeLink();
  }

  #recordGivenUp(transactionId: number): void {
    const [oldest] = this.#givenUp;
    if (oldest !== undefined && this.#givenUp.size === MAXIMUM_GIVEN_UP) this.#givenUp.delete(oldest);
    this.#givenUp.add(transactionId);
  }

  // A write that timed out must not arrive after a later one that is sent over another connection.
  #closeLink(): void {
    const isWriteOpen = [...this.#pending.values()].some(({ request }) => isWrite(request));
    this.#options.link.close(isWriteOpen || this.#lostWrite !== undefined ? 'TAKEN_BACK' : 'LEFT');
  }

  #missProbe(pending: Pending, error: NoResponse): void {
    // A link without any bytes since the previous probe may be dead, with TCP retransmitting ever more slowly.
    if (this.#isQuiet) return this.#giveUp(pending, error);
    this.#isQuiet = true;
    if (isWrite(pending.request)) this.#lostWrite = pending;
    this.#leave(pending, error);
  }

  #leave(pending: Pending, error: NoResponse): void {
    this.#missedProbes.record(pending.transactionId, pending);
    pending.fail(error);
  }

  #onChunk(bytes: Buffer): void {
    try {
      this.#reader.push(bytes);
    } catch (error) {
      if (!(error instanceof FramingFault)) throw error;
      this.#dropIllegal([...error.reasons, ...this.#adviseStrayBytes(error)]);
    }
    // Even a partial frame: its rest would be taken for the beginning of the next one.
    this.warmUp.recordReceived();
  }

  #isExpected(transactionId: number, unitId: number): boolean {
    const request =
      this.#findPending(transactionId)?.request ?? this.#missedProbes.find(transactionId)?.request;
    if (request !== undefined) return this.#isFrom(unitId, request.unitId);
    return this.#givenUp.has(transactionId);
  }

  #adviseStrayBytes({ bytes }: FramingFault): readonly FaultReason[] {
    const isExpected = (id: number, unitId: number): boolean => this.#isExpected(id, unitId);
    const count = bytes === undefined ? undefined : countStrayBytes(bytes, isExpected);
    if (count === undefined) return [];
    return [
      createReason(MODBUS_FAILURES, 'STRAY_BYTES_BEFORE', { count }),
      createReason(MODBUS_FAILURES, 'ALLOW_STRAY_BYTES', { count }),
    ];
  }

  #onFrame(transactionId: number, unitId: number, pdu: Buffer): void {
    // Bytes after a response that closed the link.
    if (!this.#isOpen) return;
    this.#isQuiet = false;
    this.#frames += 1;
    const pending = this.#findPending(transactionId);
    if (pending !== undefined) this.warmUp.recordResponse(pending.request.unitId);
    if (pending === undefined) return this.#onUnexpected(transactionId, unitId, pdu);
    this.#unexpected = 0;
    // Earlier requests have arrived as well.
    if (this.#lostWrite !== undefined && this.#lostWrite.number < pending.number) this.#lostWrite = undefined;
    const { request, call } = pending;
    if (!this.#isFrom(unitId, request.unitId))
      return this.#refuseResponse(pending, explainForeignUnit(unitId));
    const outcome = interpretResponse(this.#codec, call, request, pdu);
    if (outcome instanceof Buffer) pending.succeed(outcome);
    else if (outcome instanceof ResponseFault && outcome.otherWord !== undefined) {
      // By its transaction identifier it is the response to this write.
      pending.succeed(toWord(outcome.otherWord));
    } else if (outcome instanceof ResponseFault)
      this.#refuseResponse(pending, outcome.reasons, outcome.isShort);
    else pending.fail(outcome);
  }

  #findPending(transactionId: number): Pending | undefined {
    const pending = this.#pending.get(transactionId);
    if (pending !== undefined || !this.#options.ignoresTransactionId) return pending;
    const [only] = this.#pending.values();
    return only;
  }

  #onUnexpected(transactionId: number, unitId: number, pdu: Buffer): void {
    const { events, clock } = this.#options;
    events.onCount('strayAnswers');
    const missed = this.#missedProbes.find(transactionId);
    if (missed !== undefined && this.#isFrom(unitId, missed.request.unitId)) {
      this.#missedProbes.forget(transactionId);
      const response = toLateResponse(missed, pdu, clock.monotonicMs());
      // A probe has a shorter timeout than a request; an even later response comes from a slow unit.
      if (response.durationMs < USUAL_RESPONSE_MS) this.warmUp.recordResponse(missed.request.unitId);
      events.onLateProbeResponse(response);
    }
    const requested = [...this.#pending.values()].find(({ request }) => this.#isFrom(unitId, request.unitId));
    if (requested !== undefined && missed === undefined) requested.unexpectedId = transactionId;
    this.#unexpected += 1;
    if (this.#unexpected > MAXIMUM_UNEXPECTED) {
      this.#dropIllegal([createReason(MODBUS_FAILURES, 'TOO_MANY_UNREQUESTED', {})]);
    }
  }

  #isFrom(received: number, requested: number): boolean {
    return this.#options.ignoresUnitId || received === requested;
  }

  // After one such response, the other responses of the server cannot be trusted.
  #refuseResponse(pending: Pending, faults: readonly FaultReason[], isShort = false): void {
    const { unitId } = pending.request;
    pending.fail(new InvalidResponse(unitId, faults, isShort));
    const reason = createReason(MODBUS_FAILURES, 'LOST_AFTER_INVALID_RESPONSE', { unit: unitId });
    this.close(this.#createLoss([reason]));
  }

  #dropIllegal(faults: readonly FaultReason[]): void {
    this.#closeLink();
    const [first] = this.#pending.values();
    if (first !== undefined) return this.#refuseResponse(first, faults);
    const foreign = createReason(MODBUS_FAILURES, 'LOST_AFTER_FOREIGN_DATA', {});
    this.#lose(this.#createLoss([foreign, ...faults]));
  }

  #createLoss(reasons: readonly FaultReason[], cause?: unknown): LinkLost {
    const { endpoint } = this.#options;
    return new LinkLost({ endpoint, reasons, cause, hadResponses: this.#frames > 0 });
  }

  #lose(error: LinkLost): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    if (this.#pending.size === 0) return this.#options.events.onLost(error);
    for (const pending of this.#pending.values()) pending.fail(error);
  }
}

function explainUnexpected({ transactionId: sent, unexpectedId }: Pending): readonly FaultReason[] {
  if (unexpectedId === undefined) return [];
  return [
    createReason(MODBUS_FAILURES, 'TRANSACTION_IDENTIFIER', { received: unexpectedId, sent }),
    createReason(MODBUS_FAILURES, 'IGNORE_TRANSACTION_IDENTIFIER', {}),
  ];
}
