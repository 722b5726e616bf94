import type { Table } from './modbus-address.ts';
import type { ModbusRequest } from './request.ts';

/** Entries of a table that a request of one function touches. */
export interface EntryRange {
  readonly functionCode: ModbusRequest['functionCode'];
  readonly offset: number;
  readonly quantity: number;
}

const TABLE: Readonly<Record<ModbusRequest['functionCode'], Table>> = {
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

/** Returns the entries that a request touches. */
export function rangeOf(request: ModbusRequest): EntryRange {
  const { functionCode, offset } = request;
  return { functionCode, offset, quantity: countEntries(request) };
}

/** Names the entries as people look them up: `HOLDING_REGISTERS 100-109`. */
export function describeRange({ functionCode, offset, quantity }: EntryRange): string {
  return `${TABLE[functionCode]} ${quantity === 1 ? offset : `${offset}-${offset + quantity - 1}`}`;
}

/** Whether the function changes what the device holds. */
export function isWrite({ functionCode }: Pick<EntryRange, 'functionCode'>): boolean {
  return functionCode > 4;
}

/** Whether `outer` touches all that `inner` does, by the same function. */
export function contains(outer: EntryRange, inner: EntryRange): boolean {
  return (
    outer.functionCode === inner.functionCode &&
    outer.offset <= inner.offset &&
    inner.offset + inner.quantity <= outer.offset + outer.quantity
  );
}

/** Whether both are the same entries by the same function. */
export function isSameRange(a: EntryRange, b: EntryRange): boolean {
  return a.functionCode === b.functionCode && a.offset === b.offset && a.quantity === b.quantity;
}

function countEntries(request: ModbusRequest): number {
  switch (request.functionCode) {
    case 1:
    case 2:
    case 3:
    case 4:
      return request.quantity;
    case 15:
      return request.states.length;
    case 16:
      return request.registers.length / 2;
    case 5:
    case 6:
    case 22:
      return 1;
  }
}
