import { toFailure } from '../../../daemon/channel/call-failure.ts';
import type { ChannelFailure } from '../../../daemon/channel/channel-record.ts';
import type { Attempt } from '../../../daemon/channel/write-step.ts';
import { ILLEGAL_FUNCTION } from '../modbus-errors.ts';
import type { UnsupportedFunctions } from '../health/unsupported-functions.ts';
import { countRequestEntries, FUNCTIONS, READ_FUNCTION } from '../pdu/modbus-functions.ts';
import { modifyRegister } from '../link/exchange.ts';
import type { ExchangingLine } from '../link/exchange.ts';
import type { MaskWrite, WriteRequest } from '../pdu/request.ts';
import { attemptWrite } from './write-attempt.ts';
import type { WriteResult } from './write-attempt.ts';
import { applyMask, toMultipleWrite } from './write-plan.ts';
import type { PlannedWrite } from './write-plan.ts';
import type { WriteRules } from './write-rules.ts';

interface WriteSenderOptions {
  readonly line: ExchangingLine;
  readonly unsupported: UnsupportedFunctions;
  /** For a value in parts, cancellation is checked only before the first part. */
  readonly attempt: Attempt;
}

/** Result of a planned write. */
export type SendResult =
  | WriteResult
  | {
      /** The device accepted only the first parts of a value. */
      readonly kind: 'PARTLY_WRITTEN';
      readonly failure: ChannelFailure;
      /** The first part that was not written, and all later ones. */
      readonly rest: PlannedWrite;
      /** Reason of the failure; absent if the unit confirmed a different value. */
      readonly error?: unknown;
    };

/** Makes one attempt to send planned writes, with functions that the unit supports. */
export class WriteSender {
  readonly #options: WriteSenderOptions;

  constructor(options: WriteSenderOptions) {
    this.#options = options;
  }

  /**
   * Sends the requests of a planned write.
   *
   * @throws {WriteCancelled} if a write was cancelled
   * @throws {GatewayError} if it was sent without a conclusive response
   */
  send(planned: PlannedWrite): Promise<SendResult> {
    const { requests, rules, written = 0, mask } = planned;
    const [request, ...others] = requests;
    if (request === undefined) throw new RangeError('a write needs a request');
    if (others.length > 0 || written > 0) return this.#sendParts(planned);
    if (mask !== undefined && request.functionCode === 16)
      return this.#modifyLong(request.registers, mask, request);
    if (request.functionCode === 22) return this.#writeBits(request, rules);
    return this.#sendInSupportedForm(request, rules, (form) => this.#sendOne(form));
  }

  // Between two parts the device holds a mixture of the new and the old value.
  async #sendParts(planned: PlannedWrite): Promise<SendResult> {
    let { written = 0 } = planned;
    let last: WriteResult | undefined;
    for (const [index, part] of planned.requests.entries()) {
      last = await this.#sendOne(part, written === 0);
      const isOpen = last.kind === 'CHANGED' && last.outcome === 'UNKNOWN';
      if (isOpen || (last.kind !== 'WRITTEN' && written === 0)) return last;
      if (last.kind !== 'WRITTEN') {
        return this.#toPartly({ ...planned, requests: planned.requests.slice(index), written }, last);
      }
      written += countRequestEntries(part);
    }
    if (last === undefined) throw new RangeError('a write needs a part');
    return last;
  }

  #toPartly(rest: PlannedWrite, result: Exclude<WriteResult, { readonly kind: 'WRITTEN' }>): SendResult {
    const { requests, written = 0 } = rest;
    const total = requests.reduce((sum, part) => sum + countRequestEntries(part), written);
    const isOfCoils = requests.some(({ functionCode }) => FUNCTIONS[functionCode].table === 'COILS');
    const share = `${written} of ${total} ${isOfCoils ? 'coils' : 'registers'} were written`;
    const error = result.kind === 'CHANGED' ? undefined : result.error;
    const { message } =
      result.kind === 'CHANGED' ? result.failure : toFailure(error, this.#options.attempt.signal);
    const failure = { code: 'MODBUS_PARTLY_WRITTEN', message: `${message}; ${share}` } as const;
    return { kind: 'PARTLY_WRITTEN', failure, rest, error };
  }

  // A unit that does not support single writes receives a multiple write.
  async #sendInSupportedForm(
    request: WriteRequest,
    { writeFunction }: WriteRules,
    send: (form: WriteRequest) => Promise<WriteResult>,
  ): Promise<WriteResult> {
    const { unsupported } = this.#options;
    const { unitId, functionCode } = request;
    const multiple = writeFunction === 'AUTO' ? toMultipleWrite(request) : undefined;
    if (multiple === undefined) return send(request);
    const isUnsupported = unsupported.has(unitId, functionCode);
    const [first, second] = isUnsupported ? [multiple, request] : [request, multiple];
    const result = await send(first);
    if (!isUnsupportedFunction(result)) return result;
    const other = await send(second);
    if (other.kind === 'WRITTEN' && !isUnsupported) unsupported.add(unitId, functionCode);
    return other;
  }

  async #writeBits(request: MaskWrite, rules: WriteRules): Promise<WriteResult> {
    const { unsupported } = this.#options;
    const { unitId, functionCode } = request;
    const { bitWrite } = rules;
    const isUnsupported = bitWrite === 'AUTO' && unsupported.has(unitId, functionCode);
    if (bitWrite === 'READ_MODIFY_WRITE' || isUnsupported) return this.#modify(request, rules);
    const result = await this.#sendOne(request);
    if (bitWrite === 'MASK' || !isUnsupportedFunction(result)) return result;
    const modified = await this.#modify(request, rules);
    if (modified.kind === 'WRITTEN') unsupported.add(unitId, functionCode);
    return modified;
  }

  // The planned request determines the function; its register value is computed after the current one was read.
  async #modify(mask: MaskWrite, rules: WriteRules): Promise<WriteResult> {
    let registersBefore: Buffer | undefined;
    const { line, attempt } = this.#options;
    const { unitId, offset } = mask;
    const read = { functionCode: READ_FUNCTION.HOLDING_REGISTERS, unitId, offset, quantity: 1 };
    const write = (functionCode: number, register: number): WriteRequest => {
      const single = { functionCode: 6, unitId, offset, register } as const;
      return (functionCode === 6 ? undefined : toMultipleWrite(single)) ?? single;
    };
    const planned = write(rules.writeFunction === 'MULTIPLE' ? 16 : 6, 0);
    const result = await this.#sendInSupportedForm(planned, rules, ({ functionCode }) => {
      const toWrite = (bytes: Buffer): WriteRequest => {
        registersBefore = bytes;
        return write(functionCode, applyMask(mask, bytes.readUInt16BE()));
      };
      return attemptWrite(unitId, (options) => modifyRegister(line, { read, toWrite }, options), attempt);
    });
    return result.kind === 'WRITTEN' ? { ...result, registersBefore } : result;
  }

  // Bits of two registers: one write of both, so that the device never has a mixture.
  async #modifyLong(bits: Buffer, mask: Buffer, { unitId, offset }: WriteRequest): Promise<WriteResult> {
    let registersBefore: Buffer | undefined;
    const { line, attempt } = this.#options;
    const quantity = mask.length / 2;
    const read = { functionCode: READ_FUNCTION.HOLDING_REGISTERS, unitId, offset, quantity };
    const toWrite = (bytes: Buffer): WriteRequest => {
      registersBefore = bytes;
      const registers = bits.map((byte, at) => byte | ((bytes[at] ?? 0) & ~(mask[at] ?? 0)));
      return { functionCode: 16, unitId, offset, registers: Buffer.from(registers) };
    };
    const result = await attemptWrite(
      unitId,
      (options) => modifyRegister(line, { read, toWrite }, options),
      attempt,
    );
    return result.kind === 'WRITTEN' ? { ...result, registersBefore } : result;
  }

  #sendOne(request: WriteRequest, isChecked = true): Promise<WriteResult> {
    const { line, attempt } = this.#options;
    const { signal, onSend } = attempt;
    const exchanging = isChecked ? attempt : { signal, onSend };
    return attemptWrite(request.unitId, (options) => line.exchange(request, options), exchanging);
  }
}

function isUnsupportedFunction(result: WriteResult): boolean {
  return result.kind === 'REFUSED' && result.error.exceptionCode === ILLEGAL_FUNCTION;
}
