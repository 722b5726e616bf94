import { toReasons } from '../../../daemon/base/errors.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import type { ByteLink } from '../../link/byte-link.ts';
import { decodeDatagram, encodeFrame } from '../pdu/mbap.ts';
import type { MbapFrame } from '../pdu/mbap.ts';
import { MissedProbes } from './missed-probes.ts';
import { explainForeignUnit, interpretResponse, toLateResponse, toWord } from './modbus-client.ts';
import type { ClientEvents, ModbusClient, TransactOptions } from './modbus-client.ts';
import { InvalidResponse, LinkLost, NoResponse } from '../modbus-errors.ts';
import { ResponseFault, PduCodec } from '../value/pdu-codec.ts';
import type { LineRequest } from '../pdu/request.ts';
import type { TransactionIds } from './transaction-ids.ts';

export interface UdpClientOptions {
  /** Each chunk is one datagram. */
  readonly link: ByteLink;
  /** Name of the far end in messages. */
  readonly endpoint: string;
  readonly clock: Clock;
  readonly events: ClientEvents;
  /** Outlives the client: an identifier must not return with the next link. */
  readonly ids: TransactionIds;
  /** True if responses are matched by transaction identifier alone. */
  readonly ignoresUnitId: boolean;
}

interface Pending {
  readonly request: LineRequest;
  /** Number of the call at the codec; reused after the call. */
  readonly call: number;
  readonly sentMs: number;
  readonly succeed: (bytes: Buffer) => void;
  readonly fail: (error: unknown) => void;
}

/** Timeouts without any datagram after which a new link resolves the host name again. */
const TIMEOUTS_UNTIL_CLOSED = 3;

/**
 * Client for Modbus TCP frames in UDP datagrams, with any number of outstanding calls.
 *
 * A datagram may be lost, duplicated or late, and overtake another. So only the transaction identifier decides which
 * request a response answers, each datagram is parsed alone, and one that answers no outstanding request is counted and
 * dropped. A timeout does not close the link.
 */
export class UdpClient implements ModbusClient {
  readonly #options: UdpClientOptions;
  readonly #codec = new PduCodec();
  readonly #pending = new Map<number, Pending>();
  readonly #freeCalls: number[] = [];
  readonly #missedProbes = new MissedProbes();
  /** Consecutive timeouts without any datagram. */
  #timeouts = 0;
  #hasResponded = false;
  #isOpen = false;

  constructor(options: UdpClientOptions) {
    this.#options = options;
  }

  /** Always false: a response carries the transaction identifier of its request. */
  isResponseAmbiguous(): boolean {
    return false;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Always false: there is no connection that could be dead. */
  get isQuiet(): boolean {
    return false;
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.#options.link.open(signal, {
      onChunk: (bytes) => this.#onDatagram(bytes),
      onClose: (cause) => this.#lose(cause),
    });
    this.#isOpen = true;
  }

  close(reason: Error): void {
    this.#isOpen = false;
    this.#options.link.close();
    for (const pending of this.#pending.values()) pending.fail(reason);
  }

  transact(request: LineRequest, options: TransactOptions): Promise<Buffer> {
    const { timeoutMs, signal, isProbe = false, isExpendable = false, onSend } = options;
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const { ids, clock, link } = this.#options;
    const transactionId = ids.next((id) => this.#pending.has(id));
    this.#missedProbes.forget(transactionId);
    const call = this.#freeCalls.pop() ?? this.#pending.size + 1;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => pending.fail(signal?.reason);
      const cancelTimeout = clock.schedule(timeoutMs, () => {
        if (isProbe || isExpendable) this.#missedProbes.record(transactionId, pending);
        pending.fail(new NoResponse(request.unitId, timeoutMs));
        this.#recordTimeout();
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
        call,
        sentMs: clock.monotonicMs(),
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
      link.send(encodeFrame(transactionId, request.unitId, this.#codec.encode(call, request)));
    });
  }

  // Also for a device that got another address.
  #recordTimeout(): void {
    this.#timeouts += 1;
    if (this.#timeouts < TIMEOUTS_UNTIL_CLOSED || this.#pending.size > 0) return;
    this.#isOpen = false;
    this.#options.link.close();
  }

  #onDatagram(bytes: Buffer): void {
    if (!this.#isOpen) return;
    this.#timeouts = 0;
    const frame = decodeDatagram(bytes);
    const pending = frame === undefined ? undefined : this.#pending.get(frame.transactionId);
    if (frame === undefined) this.#options.events.onCount('strayAnswers');
    else if (pending === undefined) this.#onUnexpected(frame);
    else this.#onResponse(pending, frame);
  }

  #onResponse(pending: Pending, { unitId, pdu }: MbapFrame): void {
    const { request, call } = pending;
    this.#hasResponded = true;
    if (!this.#isFrom(unitId, request)) {
      return pending.fail(new InvalidResponse(request.unitId, explainForeignUnit(unitId)));
    }
    const outcome = interpretResponse(this.#codec, call, request, pdu);
    if (outcome instanceof Buffer) pending.succeed(outcome);
    else if (!(outcome instanceof ResponseFault)) pending.fail(outcome);
    else if (outcome.otherWord !== undefined) pending.succeed(toWord(outcome.otherWord));
    else pending.fail(new InvalidResponse(request.unitId, outcome.reasons, outcome.isShort));
  }

  #onUnexpected({ transactionId, unitId, pdu }: MbapFrame): void {
    const { events, clock } = this.#options;
    events.onCount('strayAnswers');
    const missed = this.#missedProbes.find(transactionId);
    if (missed === undefined || !this.#isFrom(unitId, missed.request)) return;
    this.#missedProbes.forget(transactionId);
    events.onLateProbeResponse(toLateResponse(missed, pdu, clock.monotonicMs()));
  }

  #isFrom(unitId: number, requested: Pick<LineRequest, 'unitId'>): boolean {
    return this.#options.ignoresUnitId || unitId === requested.unitId;
  }

  #lose(cause: Error): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { endpoint, events } = this.#options;
    const error = new LinkLost({
      endpoint,
      reasons: toReasons(cause),
      cause,
      hadResponses: this.#hasResponded,
    });
    if (this.#pending.size === 0) return events.onLost(error);
    for (const pending of this.#pending.values()) pending.fail(error);
  }
}
