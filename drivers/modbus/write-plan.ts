import type { WriteRequest } from './request.ts';
import { FUNCTIONS } from './modbus-functions.ts';

/** One value on its way to a device, encoded. */
export type EncodedWrite = {
  readonly unitId: number;
  readonly offset: number;
} & (
  | { readonly kind: 'COIL'; readonly state: boolean }
  | { readonly kind: 'REGISTERS'; readonly registers: Buffer }
  /** One bit of a register: the mask has it alone set. */
  | { readonly kind: 'BIT'; readonly mask: number; readonly state: boolean }
);

/** One write request and the positions of the values in it. */
export interface PlannedWrite {
  readonly request: WriteRequest;
  readonly indices: readonly number[];
}

/**
 * Joins writes that follow each other and lie side by side into one request; the order given is kept.
 *
 * One value is written by function code 5, 6 or 22 where that does; a bit of a register is never joined, because its
 * neighbours in the register belong to others.
 */
export function planWrites(writes: readonly EncodedWrite[]): readonly PlannedWrite[] {
  const planned: PlannedWrite[] = [];
  let first = 0;
  while (first < writes.length) {
    const end = findEnd(writes, first);
    const indices = Array.from({ length: end - first }, (_, index) => first + index);
    planned.push({ request: toRequest(writes.slice(first, end)), indices });
    first = end;
  }
  return planned;
}

/**
 * Returns the request for several values (function code 15, 16) that writes the same as a request for a single one
 * (5, 6); some devices know only 15 and 16.
 *
 * @returns undefined when the request is not for a single one
 */
export function toMultipleWrite(request: WriteRequest): WriteRequest | undefined {
  const { unitId, offset } = request;
  if (request.functionCode === 5) return { functionCode: 15, unitId, offset, states: [request.state] };
  if (request.functionCode !== 6) return undefined;
  const registers = Buffer.alloc(2);
  registers.writeUInt16BE(request.register);
  return { functionCode: 16, unitId, offset, registers };
}

// Position behind the last write that can go in one request with the first.
function findEnd(writes: readonly EncodedWrite[], first: number): number {
  const start = writes[first];
  if (start === undefined || start.kind === 'BIT') return first + 1;
  const limit = start.kind === 'COIL' ? FUNCTIONS[15].maximumQuantity : FUNCTIONS[16].maximumQuantity;
  let quantity = quantityOf(start);
  let end = first + 1;
  for (; ; end += 1) {
    const next = writes[end];
    if (next?.kind !== start.kind || next.unitId !== start.unitId) return end;
    quantity += quantityOf(next);
    if (next.offset !== start.offset + quantity - quantityOf(next) || quantity > limit) return end;
  }
}

function quantityOf(write: EncodedWrite): number {
  return write.kind === 'REGISTERS' ? write.registers.length / 2 : 1;
}

function toRequest(writes: readonly EncodedWrite[]): WriteRequest {
  const first = writes[0];
  if (first === undefined) throw new RangeError('a request needs a value');
  const { unitId, offset } = first;
  switch (first.kind) {
    case 'BIT':
      // Result = (register AND andMask) OR (orMask AND NOT andMask) (V1.1b3, 6.16).
      return {
        functionCode: 22,
        unitId,
        offset,
        andMask: 0xffff & ~first.mask,
        orMask: first.state ? first.mask : 0,
      };
    case 'COIL': {
      if (writes.length === 1) return { functionCode: 5, unitId, offset, state: first.state };
      const states = writes.map((write) => write.kind === 'COIL' && write.state);
      return { functionCode: 15, unitId, offset, states };
    }
    case 'REGISTERS': {
      const registers = Buffer.concat(
        writes.map((write) => (write.kind === 'REGISTERS' ? write.registers : Buffer.alloc(0))),
      );
      if (registers.length === 2) {
        return { functionCode: 6, unitId, offset, register: registers.readUInt16BE() };
      }
      return { functionCode: 16, unitId, offset, registers };
    }
  }
}
