import { GatewayError } from '../../daemon/base/errors.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { PreparedRead, Reading } from '../../daemon/channel/driver.ts';
import type { Decode } from './codec.ts';
import { ExceptionAnswer, ILLEGAL_DATA_ADDRESS } from './exception.ts';
import { toFailure } from './failure.ts';
import { countEntries, isBitTable } from './modbus-address.ts';
import type { ModbusAddress } from './modbus-address.ts';
import { LinkLost, NoAnswer } from './modbus-errors.ts';
import type { Answer, ModbusLine } from './modbus-line.ts';
import { planReads, rejoinReads, splitRead } from './read-plan.ts';
import type { PlannedRead, ReadLimits, Span } from './read-plan.ts';
import { createRegisterDecode, decodeBit } from './register-codec.ts';
import { READ_FUNCTION } from './request.ts';

export interface ReadOptions {
  readonly line: ModbusLine;
  readonly limits: ReadLimits;
  /** How often a read whose link was lost is sent again. */
  readonly retries: number;
  readonly clock: { epochMs(): number };
}

/** A channel as the plan sees it. */
interface ReadSpan extends Span {
  /** Position among the channels of the read. */
  readonly index: number;
  readonly decode: Decode;
  /** What one entry takes in an answer: 2 bytes, or 1 bit. */
  readonly stride: 1 | 2;
}

/** What one call has come to know. */
interface Call {
  readonly signal: AbortSignal;
  readonly readings: Reading[];
  /** Units that did not answer in this call; they are not waited for again. */
  readonly silent: Map<number, ChannelFailure>;
  retriesLeft: number;
  hasAnswer: boolean;
  linkError: ConnectionError | undefined;
}

/** A planned read of Modbus channels. */
export class ModbusRead implements PreparedRead {
  readonly #options: ReadOptions;
  readonly #plan: readonly PlannedRead<ReadSpan>[];
  readonly #channelCount: number;
  // A request that the device refused, cut up so that only the channels that it refuses fail. At most one request per
  // channel; given up with the link, because the device may have been changed.
  #refined: { readonly plan: readonly PlannedRead<ReadSpan>[]; readonly linkNumber: number } | undefined;

  constructor(channels: readonly Channel<ModbusAddress>[], options: ReadOptions) {
    this.#options = options;
    this.#plan = planReads(channels.map(toSpan), options.limits);
    this.#channelCount = channels.length;
  }

  async read(signal: AbortSignal): Promise<readonly Reading[]> {
    const call: Call = {
      signal,
      readings: Array.from<Reading>({ length: this.#channelCount }),
      silent: new Map(),
      retriesLeft: this.#options.retries,
      hasAnswer: false,
      linkError: undefined,
    };
    const plan = this.#currentPlan();
    const used: PlannedRead<ReadSpan>[] = [];
    for (const planned of plan) used.push(...(await this.#readPlanned(call, planned)));
    if (call.linkError !== undefined && !call.hasAnswer) throw call.linkError;
    if (used.length !== plan.length) {
      this.#refined = { plan: used, linkNumber: this.#options.line.linkNumber };
    }
    return call.readings;
  }

  #currentPlan(): readonly PlannedRead<ReadSpan>[] {
    if (this.#refined?.linkNumber === this.#options.line.linkNumber) return this.#refined.plan;
    this.#refined = undefined;
    return this.#plan;
  }

  // Gives the requests to use next time in place of this one.
  async #readPlanned(call: Call, planned: PlannedRead<ReadSpan>): Promise<readonly PlannedRead<ReadSpan>[]> {
    const outcome = await this.#readOnce(call, planned);
    if (outcome !== 'REFUSED') return [planned];
    const good: PlannedRead<ReadSpan>[] = [];
    const refused: PlannedRead<ReadSpan>[] = [];
    const pending: PlannedRead<ReadSpan>[] = [...(splitRead(planned) ?? [])];
    for (let part = pending.shift(); part !== undefined; part = pending.shift()) {
      const partOutcome = await this.#readOnce(call, part);
      const halves = partOutcome === 'REFUSED' ? splitRead(part) : undefined;
      if (partOutcome === 'FAILED') return [planned];
      if (halves !== undefined) pending.unshift(...halves);
      else (partOutcome === 'READ' ? good : refused).push(part);
    }
    return [...rejoinReads(good, this.#options.limits), ...refused];
  }

  // REFUSED: the device has no such address somewhere in a request that can be cut.
  async #readOnce(call: Call, planned: PlannedRead<ReadSpan>): Promise<'READ' | 'REFUSED' | 'FAILED'> {
    try {
      const answer = await this.#exchange(call, planned);
      call.hasAnswer = true;
      decodeAll(call, planned, answer);
      return 'READ';
    } catch (error) {
      if (!(error instanceof GatewayError) && !call.signal.aborted) throw error;
      const isRefused = error instanceof ExceptionAnswer && error.exceptionCode === ILLEGAL_DATA_ADDRESS;
      if (error instanceof ExceptionAnswer) call.hasAnswer = true;
      if (isRefused && splitRead(planned) !== undefined) return 'REFUSED';
      this.#failAll(call, planned, error);
      return isRefused ? 'REFUSED' : 'FAILED';
    }
  }

  #failAll(call: Call, planned: PlannedRead<ReadSpan>, error: unknown): void {
    const failure = call.silent.get(planned.unitId) ?? toFailure(error, call.signal);
    if (error instanceof NoAnswer) call.silent.set(planned.unitId, failure);
    if (error instanceof ConnectionError && !call.signal.aborted) call.linkError = error;
    const timestampMs = this.#options.clock.epochMs();
    for (const { index } of planned.spans) call.readings[index] = { failure, timestampMs };
  }

  async #exchange(call: Call, { unitId, table, offset, quantity }: PlannedRead): Promise<Answer> {
    const { line } = this.#options;
    const { signal } = call;
    if (call.linkError !== undefined) throw call.linkError;
    if (call.silent.has(unitId)) throw new GatewayError({ code: 'MODBUS_NO_RESPONSE', detail: '' });
    const request = { functionCode: READ_FUNCTION[table], unitId, offset, quantity };
    for (;;) {
      try {
        return await line.exchange(request, { signal });
      } catch (error) {
        // A time-out is not repeated: TCP has sent the request again on its own as often as it was worth. A read whose
        // link went has no such guarantee, and does no harm when it is carried out twice.
        if (!(error instanceof LinkLost) || signal.aborted || call.retriesLeft === 0) throw error;
        call.retriesLeft -= 1;
      }
    }
  }
}

function toSpan({ address }: Channel<ModbusAddress>, index: number): ReadSpan {
  const { unitId, table, offset } = address;
  const position = { unitId, table, offset, quantity: countEntries(address), index };
  return isBitTable(table)
    ? { ...position, decode: decodeBit, stride: 1 }
    : { ...position, decode: createRegisterDecode(address), stride: 2 };
}

function decodeAll(call: Call, planned: PlannedRead<ReadSpan>, { bytes, timestampMs }: Answer): void {
  const { readings } = call;
  for (const { index, decode, offset, stride } of planned.spans) {
    readings[index] = { value: decode(bytes, (offset - planned.offset) * stride), timestampMs };
  }
}
