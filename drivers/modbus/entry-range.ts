import { countRequestEntries, FUNCTIONS } from './modbus-functions.ts';
import type { FunctionCode } from './modbus-functions.ts';
import type { LineRequest, ModbusRequest } from './request.ts';

/** Entries of a table that a request of one function touches. */
export interface EntryRange {
  readonly functionCode: FunctionCode;
  readonly offset: number;
  readonly quantity: number;
}

/** Returns the entries that a request touches. */
export function rangeOf(request: ModbusRequest): EntryRange {
  const { functionCode, offset } = request;
  return { functionCode, offset, quantity: countRequestEntries(request) };
}

/** Names the entries as people look them up: `HOLDING_REGISTERS 100-109`. */
export function describeRange({ functionCode, offset, quantity }: EntryRange): string {
  return `${FUNCTIONS[functionCode].table} ${quantity === 1 ? offset : `${offset}-${offset + quantity - 1}`}`;
}

/** Whether the function changes values in the device. */
export function isWrite({ functionCode }: Pick<LineRequest, 'functionCode'>): boolean {
  return functionCode !== 43 && FUNCTIONS[functionCode].access === 'WRITE';
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

/** Whether both touch an entry of the same table, by whichever functions. */
export function overlaps(a: EntryRange, b: EntryRange): boolean {
  if (FUNCTIONS[a.functionCode].table !== FUNCTIONS[b.functionCode].table) return false;
  return a.offset < b.offset + b.quantity && b.offset < a.offset + a.quantity;
}
