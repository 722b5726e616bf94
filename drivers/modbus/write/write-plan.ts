import type { EncodedValue } from '../value/encoded-value.ts';
import type { MaskWrite, WriteRequest } from '../pdu/request.ts';
import type { WriteRules } from './write-rules.ts';

/** An encoded value and its write rules. */
export type EncodedWrite = EncodedValue & { readonly rules: WriteRules };

type BitWrite = Extract<EncodedWrite, { readonly kind: 'BIT' | 'FIELD' }>;

/** Values written together, by index. */
export interface PlannedWrite {
  /** One request, or the parts of a value that exceeds the largest request. */
  readonly requests: readonly WriteRequest[];
  readonly rules: WriteRules;
  readonly indices: readonly number[];
  /** Bits that the only request changes, for bits of two registers; absent: whole registers, or a mask write. */
  readonly mask?: Buffer | undefined;
  /** Registers or coils of a value in parts that the device has already accepted; absent: none. */
  readonly written?: number | undefined;
}

/**
 * Joins consecutive writes to adjacent addresses into one request if their rules allow it. The order is kept, and no
 * request exceeds the limits of the rules.
 *
 * A single value is written by function code 5 or 6 unless its rules require 15 or 16. Bits of one register are written
 * together by function code 22; its other bits remain unchanged.
 */
export function planWrites(writes: readonly EncodedWrite[]): readonly PlannedWrite[] {
  const planned: PlannedWrite[] = [];
  let first = 0;
  for (;;) {
    const start = writes[first];
    if (start === undefined) return planned;
    const end = findEnd(writes, start, first);
    const indices = Array.from({ length: end - first }, (_, index) => first + index);
    const requests = toRequests(start, writes.slice(first, end));
    const isLong = start.kind === 'FIELD' && start.mask.length > 2;
    planned.push({ requests, rules: start.rules, indices, ...(isLong ? { mask: start.mask } : {}) });
    first = end;
  }
}

/** Returns the register value after a mask write (V1.1b3, 6.16). */
export function applyMask({ andMask, orMask }: MaskWrite, register: number): number {
  return (register & andMask) | (orMask & ~andMask & 0xffff);
}

/**
 * Converts a single write (function code 5 or 6) to the equivalent multiple write (15 or 16); some devices support only
 * these.
 *
 * @returns undefined if the request is not a single write
 */
export function toMultipleWrite(request: WriteRequest): WriteRequest | undefined {
  const { unitId, offset } = request;
  if (request.functionCode === 5) return { functionCode: 15, unitId, offset, states: [request.state] };
  if (request.functionCode !== 6) return undefined;
  const registers = Buffer.alloc(2);
  registers.writeUInt16BE(request.register);
  return { functionCode: 16, unitId, offset, registers };
}

// Index after the last write that fits into one request with the first.
function findEnd(writes: readonly EncodedWrite[], start: EncodedWrite, first: number): number {
  if (!start.rules.joinWrites || start.kind === 'COILS') return first + 1;
  if (start.kind === 'BIT' || start.kind === 'FIELD') return findEndOfBits(writes, start, first);
  const { writeFunction, maximumBits, maximumRegisters } = start.rules;
  const limit = start.kind === 'COIL' ? maximumBits : maximumRegisters;
  let quantity = quantityOf(start);
  let end = first + 1;
  for (; ; end += 1) {
    const next = writes[end];
    if (next?.kind !== start.kind || next.unitId !== start.unitId) return end;
    if (!next.rules.joinWrites || next.rules.writeFunction !== writeFunction) return end;
    if (next.offset !== start.offset + quantity) return end;
    quantity += quantityOf(next);
    if (quantity > limit) return end;
  }
}

// A bit that is written twice must change twice, which takes two requests.
function findEndOfBits(writes: readonly EncodedWrite[], start: BitWrite, first: number): number {
  let mask = maskOf(start);
  let end = first + 1;
  if (mask === undefined) return end;
  for (; ; end += 1) {
    const next = writes[end];
    if (next?.kind !== 'BIT' && next?.kind !== 'FIELD') return end;
    if (next.unitId !== start.unitId || next.offset !== start.offset) return end;
    const other = maskOf(next);
    if (other === undefined || !next.rules.joinWrites || (mask & other) !== 0) return end;
    mask |= other;
  }
}

/** Returns the bits that a write changes in its only register; undefined if it has two. */
function maskOf(write: BitWrite): number | undefined {
  if (write.kind === 'BIT') return write.mask;
  return write.mask.length === 2 ? write.mask.readUInt16BE() : undefined;
}

function valueOf(write: BitWrite): number {
  if (write.kind === 'FIELD') return write.bits.readUInt16BE();
  return write.state ? write.mask : 0;
}

function quantityOf(write: EncodedWrite): number {
  return write.kind === 'REGISTERS' ? write.registers.length / 2 : 1;
}

function toRequests(first: EncodedWrite, writes: readonly EncodedWrite[]): readonly WriteRequest[] {
  const { unitId, offset } = first;
  switch (first.kind) {
    case 'FIELD':
    case 'BIT': {
      if (first.kind === 'FIELD' && first.mask.length > 2) {
        return [{ functionCode: 16, unitId, offset, registers: first.bits }];
      }
      let andMask = 0xffff;
      let orMask = 0;
      for (const write of writes) {
        if (write.kind !== 'BIT' && write.kind !== 'FIELD') continue;
        andMask &= ~(maskOf(write) ?? 0);
        orMask |= valueOf(write);
      }
      return [{ functionCode: 22, unitId, offset, andMask, orMask }];
    }
    case 'COIL': {
      const states = writes.map((write) => write.kind === 'COIL' && write.state);
      return toCoilRequests(first, states);
    }
    case 'COILS':
      return toCoilRequests(first, first.states);
    case 'REGISTERS': {
      const registers = Buffer.concat(
        writes.map((write) => (write.kind === 'REGISTERS' ? write.registers : Buffer.alloc(0))),
      );
      return toRegisterRequests(first, registers);
    }
  }
}

// Split into parts of the maximum size, first coils first.
function toCoilRequests(
  { unitId, offset, rules }: EncodedWrite,
  states: readonly boolean[],
): readonly WriteRequest[] {
  const partCount = Math.ceil(states.length / rules.maximumBits);
  return Array.from({ length: partCount }, (_, index): WriteRequest => {
    const start = index * rules.maximumBits;
    const part = states.slice(start, start + rules.maximumBits);
    const isSingle = part.length === 1 && rules.writeFunction !== 'MULTIPLE';
    return isSingle
      ? { functionCode: 5, unitId, offset: offset + start, state: part[0] === true }
      : { functionCode: 15, unitId, offset: offset + start, states: part };
  });
}

// Split into parts of the maximum size, first registers first.
function toRegisterRequests(
  { unitId, offset, rules }: EncodedWrite,
  registers: Buffer,
): readonly WriteRequest[] {
  const partBytes = 2 * rules.maximumRegisters;
  const starts = Array.from(
    { length: Math.ceil(registers.length / partBytes) },
    (_, index) => index * partBytes,
  );
  return starts.map((start): WriteRequest => {
    const part = registers.subarray(start, start + partBytes);
    const partOffset = offset + start / 2;
    const isSingle = part.length === 2 && rules.writeFunction !== 'MULTIPLE';
    return isSingle
      ? { functionCode: 6, unitId, offset: partOffset, register: part.readUInt16BE() }
      : { functionCode: 16, unitId, offset: partOffset, registers: part };
  });
}
