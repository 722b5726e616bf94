import type { ModbusPoint, Table } from './modbus-point.ts';
import { encodeException, EXCEPTION } from './wire.ts';
import type { WireRequest } from './wire.ts';

const TABLE_OF: Readonly<Record<number, Table>> = {
  1: 'COILS',
  2: 'DISCRETE_INPUTS',
  3: 'HOLDING_REGISTERS',
  4: 'INPUT_REGISTERS',
  5: 'COILS',
  6: 'HOLDING_REGISTERS',
  15: 'COILS',
  16: 'HOLDING_REGISTERS',
  22: 'HOLDING_REGISTERS',
};

export interface ModbusUnitOptions {
  readonly unitId: number;
  readonly points: readonly ModbusPoint[];
  /** Most registers of one request. */
  readonly maximumRegisters: number;
  /** How it refuses a longer one: as an address or as a quantity that it does not have. */
  readonly tooLongCode: 2 | 3;
  /** Entries between its points can be read, as 0. */
  readonly hasHoles: boolean;
  /** Function codes that it does not have. */
  readonly missingFunctions: readonly number[];
}

interface Entry {
  readonly point: ModbusPoint;
  /** Which of the point's entries it is. */
  readonly index: number;
}

const MAXIMUM_BITS = 2000;

/** The tables of one unit in order: what it holds, and what it makes of requests. */
export class ModbusUnit {
  readonly unitId: number;
  readonly points: readonly ModbusPoint[];
  readonly #options: ModbusUnitOptions;
  readonly #tables: Readonly<Record<Table, Map<number, Entry>>> = {
    COILS: new Map(),
    DISCRETE_INPUTS: new Map(),
    HOLDING_REGISTERS: new Map(),
    INPUT_REGISTERS: new Map(),
  };

  constructor(options: ModbusUnitOptions) {
    this.#options = options;
    this.unitId = options.unitId;
    this.points = options.points;
    for (const point of options.points) {
      for (let index = 0; index < point.entries; index += 1) {
        this.#tables[point.table].set(point.offset + index, { point, index });
      }
    }
  }

  /** Carries out a request and returns the answer, or the exception. */
  carryOut(request: WireRequest): Buffer {
    const { functionCode, quantity } = request;
    const table = TABLE_OF[functionCode];
    if (table === undefined || this.#options.missingFunctions.includes(functionCode)) {
      return encodeException(functionCode, EXCEPTION.illegalFunction);
    }
    const isBits = table === 'COILS' || table === 'DISCRETE_INPUTS';
    const maximum = isBits ? MAXIMUM_BITS : this.#options.maximumRegisters;
    if (quantity === 0 || quantity > maximum) {
      return encodeException(
        functionCode,
        quantity === 0 ? EXCEPTION.illegalValue : this.#options.tooLongCode,
      );
    }
    const entries = this.#tables[table];
    if (functionCode >= 5) return this.#write(request, entries);
    return isBits ? this.#readBits(request, entries) : this.#readRegisters(request, entries);
  }

  /** The unit starts anew, with other values. */
  reboot(): void {
    for (const point of this.points) point.reboot();
  }

  /** Whether a request touches an entry of the table. */
  touches({ functionCode, offset, quantity }: WireRequest, table: Table, entry: number): boolean {
    return TABLE_OF[functionCode] === table && offset <= entry && entry < offset + quantity;
  }

  #readRegisters({ functionCode, offset, quantity }: WireRequest, entries: Map<number, Entry>): Buffer {
    const answer = Buffer.allocUnsafe(2 + 2 * quantity);
    answer[0] = functionCode;
    answer[1] = 2 * quantity;
    for (let done = 0; done < quantity;) {
      const entry = entries.get(offset + done);
      if (entry === undefined) {
        if (!this.#options.hasHoles) return encodeException(functionCode, EXCEPTION.illegalAddress);
        answer.writeUInt16BE(0, 2 + 2 * done);
        done += 1;
        continue;
      }
      const { point, index } = entry;
      const count = Math.min(point.entries - index, quantity - done);
      point.readRegisters().copy(answer, 2 + 2 * done, 2 * index, 2 * (index + count));
      done += count;
    }
    return answer;
  }

  #readBits({ functionCode, offset, quantity }: WireRequest, entries: Map<number, Entry>): Buffer {
    const byteCount = Math.ceil(quantity / 8);
    const answer = Buffer.alloc(2 + byteCount);
    answer[0] = functionCode;
    answer[1] = byteCount;
    for (let done = 0; done < quantity; done += 1) {
      const entry = entries.get(offset + done);
      if (entry === undefined && !this.#options.hasHoles) {
        return encodeException(functionCode, EXCEPTION.illegalAddress);
      }
      if (entry?.point.readBit(entry.index) !== true) continue;
      answer[2 + (done >> 3)] = (answer[2 + (done >> 3)] ?? 0) | (1 << (done & 7));
    }
    return answer;
  }

  #write({ functionCode, offset, quantity, values }: WireRequest, entries: Map<number, Entry>): Buffer {
    if (functionCode === 22)
      return this.#mask({ functionCode, offset, quantity, values }, entries.get(offset));
    const touched = Array.from({ length: quantity }, (_, done) => entries.get(offset + done));
    if (touched.some((entry) => entry?.point.nextValue === undefined)) {
      return encodeException(functionCode, EXCEPTION.illegalAddress);
    }
    const answer = Buffer.allocUnsafe(5);
    answer[0] = functionCode;
    answer.writeUInt16BE(offset, 1);
    const isBits = functionCode === 5 || functionCode === 15;
    const written = isBits ? unpack(values, quantity) : values;
    for (let done = 0; done < quantity;) {
      const entry = touched[done];
      if (entry === undefined) break;
      const { point, index } = entry;
      const count = Math.min(point.entries - index, quantity - done);
      point.write(written.subarray(2 * done, 2 * (done + count)), index);
      done += count;
    }
    if (functionCode === 5) answer.writeUInt16BE(values[0] === 1 ? 0xff00 : 0, 3);
    else if (functionCode === 6) values.copy(answer, 3);
    else answer.writeUInt16BE(quantity, 3);
    return answer;
  }

  #mask({ functionCode, offset, values }: WireRequest, entry: Entry | undefined): Buffer {
    if (entry?.point.nextValue === undefined || entry.point.entries > 1) {
      return encodeException(functionCode, EXCEPTION.illegalAddress);
    }
    const [and, or] = [values.readUInt16BE(), values.readUInt16BE(2)];
    const register = Buffer.alloc(2);
    register.writeUInt16BE((entry.point.readRegisters().readUInt16BE() & and) | (or & ~and & 0xffff));
    entry.point.write(register);
    const answer = Buffer.allocUnsafe(7);
    answer[0] = functionCode;
    answer.writeUInt16BE(offset, 1);
    values.copy(answer, 3);
    return answer;
  }
}

// The states of coils in the form of registers.
function unpack(packed: Buffer, quantity: number): Buffer {
  const entries = Buffer.alloc(2 * quantity);
  for (let index = 0; index < quantity; index += 1) {
    entries[2 * index + 1] = ((packed[index >> 3] ?? 0) >> (index & 7)) & 1;
  }
  return entries;
}
