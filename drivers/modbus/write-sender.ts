import { toChannelFailure } from '../../daemon/channel/driver-errors.ts';
import { ExceptionAnswer, ILLEGAL_FUNCTION } from './exception.ts';
import type { MissingFunctions } from './missing-functions.ts';
import { countRequestEntries, FUNCTIONS, READ_FUNCTION } from './modbus-functions.ts';
import { modifyRegister } from './held-line.ts';
import type { ExchangingLine } from './held-line.ts';
import type { MaskWrite, WriteRequest } from './request.ts';
import type { WriteAttempts, WriteResult } from './write-attempt.ts';
import { applyMask, toMultipleWrite } from './write-plan.ts';
import type { PlannedWrite } from './write-plan.ts';
import type { WriteRules } from './write-rules.ts';

export interface WriteSenderOptions {
  readonly line: ExchangingLine;
  readonly missing: MissingFunctions;
  readonly attempts: WriteAttempts;
  /** See `ExchangeOptions`; of a value in parts, only before the first. */
  readonly checkTurn: () => void;
}

/** Sends planned writes by functions that their unit has. */
export class WriteSender {
  readonly #options: WriteSenderOptions;

  constructor(options: WriteSenderOptions) {
    this.#options = options;
  }

  /**
   * Sends the requests of a planned write.
   *
   * @throws {ConnectionError} when the link was down before anything was sent
   */
  send({ requests, rules }: PlannedWrite): Promise<WriteResult> {
    const [request, ...others] = requests;
    if (request === undefined) throw new RangeError('a write needs a request');
    if (others.length > 0) return this.#sendParts(requests);
    if (request.functionCode === 22) return this.#writeBits(request, rules);
    return this.#sendInKnownForm(request, rules, (form) => this.#sendOne(form));
  }

  // Between two parts the device holds a piece of the new value and a piece of the old one.
  async #sendParts(parts: readonly WriteRequest[]): Promise<WriteResult> {
    const total = parts.reduce((sum, part) => sum + countRequestEntries(part), 0);
    let written = 0;
    let last: WriteResult | undefined;
    for (const part of parts) {
      last = await this.#sendOne(part, written === 0);
      if (last.kind === 'UNKNOWN' || (last.kind !== 'WRITTEN' && written === 0)) return last;
      if (last.kind !== 'WRITTEN') return this.#notePartly(part, last, `${written} of ${total}`);
      written += countRequestEntries(part);
    }
    if (last === undefined) throw new RangeError('a write needs a part');
    return last;
  }

  #notePartly(
    { unitId, functionCode }: WriteRequest,
    result: Exclude<WriteResult, { readonly kind: 'WRITTEN' }>,
    share: string,
  ): WriteResult {
    const code = 'MODBUS_PARTLY_WRITTEN';
    const { message } = result.kind === 'REFUSED' ? toChannelFailure(result.error) : result.failure;
    this.#options.attempts.holdBack(unitId, code, 'took only a part of the value before');
    const entries = FUNCTIONS[functionCode].table === 'COILS' ? 'coils' : 'registers';
    return {
      kind: 'PARTLY_WRITTEN',
      failure: { code, message: `${message}; ${share} ${entries} are written` },
    };
  }

  // A unit that does not know the function for a single value gets it by that for several.
  async #sendInKnownForm(
    request: WriteRequest,
    { writeFunction }: WriteRules,
    send: (form: WriteRequest) => Promise<WriteResult>,
  ): Promise<WriteResult> {
    const { missing } = this.#options;
    const { unitId, functionCode } = request;
    const multiple = writeFunction === 'AUTO' ? toMultipleWrite(request) : undefined;
    if (multiple === undefined) return send(request);
    const isMissing = missing.has(unitId, functionCode);
    const [first, second] = isMissing ? [multiple, request] : [request, multiple];
    const result = await send(first);
    if (!isUnknownFunction(result)) return result;
    const other = await send(second);
    if (other.kind === 'WRITTEN' && !isMissing) missing.add(unitId, functionCode);
    return other;
  }

  async #writeBits(request: MaskWrite, rules: WriteRules): Promise<WriteResult> {
    const { missing } = this.#options;
    const { unitId, functionCode } = request;
    const { bitWrite } = rules;
    const isMissing = bitWrite === 'AUTO' && missing.has(unitId, functionCode);
    if (bitWrite === 'READ_MODIFY_WRITE' || isMissing) return this.#modify(request, rules);
    const result = await this.#sendOne(request);
    if (bitWrite === 'MASK' || !isUnknownFunction(result)) return result;
    const modified = await this.#modify(request, rules);
    if (modified.kind === 'WRITTEN') missing.add(unitId, functionCode);
    return modified;
  }

  // The request that is planned tells the function; its register is known when the present one has been read.
  async #modify(mask: MaskWrite, rules: WriteRules): Promise<WriteResult> {
    let registerBefore: number | undefined;
    const { line, attempts, checkTurn } = this.#options;
    const { unitId, offset } = mask;
    const read = { functionCode: READ_FUNCTION.HOLDING_REGISTERS, unitId, offset, quantity: 1 };
    const write = (functionCode: number, register: number): WriteRequest => {
      const single = { functionCode: 6, unitId, offset, register } as const;
      return (functionCode === 6 ? undefined : toMultipleWrite(single)) ?? single;
    };
    const planned = write(rules.writeFunction === 'MULTIPLE' ? 16 : 6, 0);
    const result = await this.#sendInKnownForm(planned, rules, ({ functionCode }) =>
      attempts.make(unitId, (options) => {
        const toWrite = (bytes: Buffer): WriteRequest => {
          registerBefore = bytes.readUInt16BE();
          return write(functionCode, applyMask(mask, registerBefore));
        };
        return modifyRegister(line, { read, toWrite }, { ...options, checkTurn });
      }),
    );
    return result.kind === 'WRITTEN' ? { ...result, registerBefore } : result;
  }

  #sendOne(request: WriteRequest, isChecked = true): Promise<WriteResult> {
    const { line, attempts, checkTurn } = this.#options;
    const checking = isChecked ? { checkTurn } : {};
    return attempts.make(request.unitId, (options) => line.exchange(request, { ...options, ...checking }));
  }
}

function isUnknownFunction(result: WriteResult): boolean {
  const { error } = result.kind === 'REFUSED' ? result : {};
  return error instanceof ExceptionAnswer && error.exceptionCode === ILLEGAL_FUNCTION;
}
