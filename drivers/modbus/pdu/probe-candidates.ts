import { isRead, toProbe, isSameRange, overlaps } from './modbus-functions.ts';
import type { EntryRange } from './modbus-functions.ts';
import type { ModbusRequest, ReadRequest } from './request.ts';

// Enough to find one that is answered, and few enough for any number of units.
const MAXIMUM_ANSWERED = 8;
// A dropped request counts as never sent when a client sends it again.
const MAXIMUM_UNPROVEN = 256;
const MAXIMUM_UNSENT = 256;
const MAXIMUM_SILENT = 16;
// A unit that answers none of its requests may still answer a part of the newest.
const MAXIMUM_DIVIDED = 16;

/**
 * Stores the requests that a unit answers, to select a probe that shows whether the unit is present. Performs no I/O.
 */
export class ProbeCandidates {
  /** Reads that were answered and did not time out since, newest first. */
  #answered: ReadRequest[] = [];
  /** Reads that were once answered and timed out last, newest first. */
  #silent: ReadRequest[] = [];
  /** Reads that were never answered, newest last; a write is stored as a read of its address. */
  #unproven: ReadRequest[] = [];
  /** Reads that clients requested while the unit was suspended and that were not sent yet, newest last. */
  #unsent: ReadRequest[] = [];
  #hasResponded = false;

  /** Returns the read that was answered last and did not time out since; undefined before the first. */
  get newestAnswered(): ReadRequest | undefined {
    return this.#answered[0];
  }

  /** True if the unit answered any request. */
  get hasResponded(): boolean {
    return this.#hasResponded;
  }

  /** True if a request that was never sent may be the first that the unit answers. */
  get hasUntried(): boolean {
    return !this.#hasResponded && this.#unsent.length > 0;
  }

  /** Records that a request was answered. */
  recordResponse(request: ModbusRequest): void {
    this.#hasResponded = true;
    if (!isRead(request)) return this.#recordUnproven(toProbe(request));
    const [newest] = this.#answered;
    if (newest !== undefined && isSameRange(newest, request)) return;
    const others = this.#answered.filter((one) => !isSameRange(one, request));
    const isKnown = others.length < this.#answered.length;
    this.#answered = [request, ...others.slice(0, MAXIMUM_ANSWERED - 1)];
    // A read is in one list.
    if (isKnown) return;
    remove(this.#silent, request);
    remove(this.#unproven, request);
    remove(this.#unsent, request);
  }

  /** Records that a request timed out. */
  recordTimeout(request: ModbusRequest): void {
    if (!isRead(request)) return this.#recordUnproven(toProbe(request));
    remove(this.#unsent, request);
    if (!remove(this.#answered, request)) return this.#recordUnproven(request);
    this.#silent.unshift(request);
    this.#silent.length = Math.min(this.#silent.length, MAXIMUM_SILENT);
  }

  /** Records a request of a client that may show that the unit is present. */
  recordWanted(request: ModbusRequest): void {
    const read = isRead(request) ? request : toProbe(request);
    const known = [this.#answered, this.#silent, this.#unproven, this.#unsent];
    if (known.some((reads) => has(reads, read))) return;
    this.#unsent.push(read);
    if (this.#unsent.length > MAXIMUM_UNSENT) this.#unsent.shift();
  }

  /** Drops the reads that overlap none of `ranges`. */
  retain(ranges: readonly EntryRange[]): void {
    const isUsed = (read: ReadRequest): boolean => ranges.some((range) => overlaps(range, read));
    this.#answered = this.#answered.filter(isUsed);
    this.#silent = this.#silent.filter(isUsed);
    this.#unproven = this.#unproven.filter(isUsed);
    this.#unsent = this.#unsent.filter(isUsed);
    this.#hasResponded &&= this.#answered.length + this.#silent.length > 0;
  }

  /**
   * Returns the request that must be answered before `request` is sent to a unit that timed out. It is one that the
   * unit used to answer, preferably outside of the silent ranges: two requests for one silent address say nothing about
   * the unit.
   *
   * @param silent ranges that timed out in their last read
   * @returns undefined if the request is such a request itself, or none is known
   */
  findCheck(request: ModbusRequest, silent: readonly EntryRange[]): ReadRequest | undefined {
    const isOutside = (one: ReadRequest): boolean => !silent.some((range) => overlaps(one, range));
    const check = this.#answered.find(isOutside) ?? this.newestAnswered;
    if (!isRead(request) || !has(this.#answered, request)) return check;
    return isOutside(request) || (check !== undefined && isSameRange(check, request)) ? undefined : check;
  }

  /**
   * Returns the request for probing a silent unit. For a unit that never responded: requests that were never sent,
   * newest first, then all in turn. Otherwise the request that was answered last and, every second time, another one,
   * because a unit may have begun to ignore requests that it used to answer.
   *
   * @param turn number of the probe, from 0
   */
  takeProbe(turn: number): ReadRequest | undefined {
    const isForNewest = this.#hasResponded && turn % 2 === 0;
    return (isForNewest ? undefined : this.#takeUnsent()) ?? this.#findSent(turn);
  }

  #takeUnsent(): ReadRequest | undefined {
    const read = this.#unsent.pop();
    if (read !== undefined) this.#recordUnproven(read);
    return read;
  }

  #findSent(turn: number): ReadRequest | undefined {
    const proven = [...this.#answered, ...this.#silent];
    const divided = this.#unproven.slice(-MAXIMUM_DIVIDED).flatMap(edgesOf);
    const all = [...proven, ...proven.flatMap(edgesOf), ...this.#unproven, ...divided];
    const [first, ...others] = all;
    if (!this.#hasResponded) return all[turn % all.length];
    return turn % 2 === 0 || others.length === 0 ? first : others[(turn >> 1) % others.length];
  }

  #recordUnproven(read: ReadRequest): void {
    if ([this.#answered, this.#silent, this.#unproven].some((reads) => has(reads, read))) return;
    this.#unproven.push(read);
    if (this.#unproven.length > MAXIMUM_UNPROVEN) this.#unproven.shift();
  }
}

// The first and the last value alone: one of them is answered if only a value between them is ignored.
function edgesOf(read: ReadRequest): readonly ReadRequest[] {
  const { offset, quantity } = read;
  if (quantity === 1) return [];
  return [
    { ...read, quantity: 1 },
    { ...read, offset: offset + quantity - 1, quantity: 1 },
  ];
}

function has(reads: readonly ReadRequest[], read: ReadRequest): boolean {
  return reads.some((one) => isSameRange(one, read));
}

function remove(reads: ReadRequest[], read: ReadRequest): boolean {
  const index = reads.findIndex((one) => isSameRange(one, read));
  if (index >= 0) reads.splice(index, 1);
  return index >= 0;
}
