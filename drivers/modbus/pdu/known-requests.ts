import { isRead, toProbe, isSameRange, overlaps } from './modbus-functions.ts';
import type { EntryRange } from './modbus-functions.ts';
import type { ModbusRequest, ReadRequest } from './request.ts';

// Enough to find one that answers, and few enough for any number of units.
const MAXIMUM_ANSWERED = 8;
// A request that is dropped is one that was never sent when a client wants it again.
const MAXIMUM_UNPROVEN = 256;
const MAXIMUM_UNSENT = 256;
const MAXIMUM_SILENT = 16;
// A unit that answers none of its requests whole may answer a part of the newest.
const MAXIMUM_DIVIDED = 16;

/** Remembers what a unit answers, to choose the request that shows whether it is there; it asks nothing itself. */
export class KnownRequests {
  /** Reads that were answered and not silent since, the newest first. */
  #answered: ReadRequest[] = [];
  /** Reads that were once answered, and silent when they were asked last; the newest first. */
  #silent: ReadRequest[] = [];
  /** Reads that were never answered, the newest last; a write stands for a read of what it wrote. */
  #unproven: ReadRequest[] = [];
  /** Reads that clients wanted while the unit was suspended and that were not sent yet, the newest last. */
  #unsent: ReadRequest[] = [];
  #hasAnswered = false;

  /** Returns the read that was answered last and not silent since; undefined before the first. */
  get newestAnswered(): ReadRequest | undefined {
    return this.#answered[0];
  }

  /** Whether the unit answered any request. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Whether a request that was never sent may be the first that the unit answers. */
  get hasUntried(): boolean {
    return !this.#hasAnswered && this.#unsent.length > 0;
  }

  /** Records that a request was answered. */
  noteAnswer(request: ModbusRequest): void {
    this.#hasAnswered = true;
    if (!isRead(request)) return this.#noteUnproven(toProbe(request));
    const [newest] = this.#answered;
    if (newest !== undefined && isSameRange(newest, request)) return;
    remove(this.#answered, request);
    remove(this.#silent, request);
    remove(this.#unproven, request);
    remove(this.#unsent, request);
    this.#answered.unshift(request);
    this.#answered.length = Math.min(this.#answered.length, MAXIMUM_ANSWERED);
  }

  /** Records that a request got no answer. */
  noteSilence(request: ModbusRequest): void {
    if (!isRead(request)) return this.#noteUnproven(toProbe(request));
    remove(this.#unsent, request);
    if (!remove(this.#answered, request)) return this.#noteUnproven(request);
    this.#silent.unshift(request);
    this.#silent.length = Math.min(this.#silent.length, MAXIMUM_SILENT);
  }

  /** Records that a client wants to send a request, which may show that the unit is there. */
  noteWish(request: ModbusRequest): void {
    const read = isRead(request) ? request : toProbe(request);
    const known = [this.#answered, this.#silent, this.#unproven, this.#unsent];
    if (known.some((reads) => has(reads, read))) return;
    this.#unsent.push(read);
    if (this.#unsent.length > MAXIMUM_UNSENT) this.#unsent.shift();
  }

  /** Drops the reads that touch none of some ranges. */
  retain(ranges: readonly EntryRange[]): void {
    const isUsed = (read: ReadRequest): boolean => ranges.some((range) => overlaps(range, read));
    this.#answered = this.#answered.filter(isUsed);
    this.#silent = this.#silent.filter(isUsed);
    this.#unproven = this.#unproven.filter(isUsed);
    this.#unsent = this.#unsent.filter(isUsed);
    this.#hasAnswered &&= this.#answered.length + this.#silent.length > 0;
  }

  /**
   * Returns the request that has to be answered before `request` is sent to a unit that was silent: one that it used to
   * answer, best outside of what was silent: two requests for one silent address say nothing about the unit.
   *
   * @param silent ranges that were silent when they were read last
   * @returns undefined when the request is such a one itself, or none is known
   */
  findCheck(request: ModbusRequest, silent: readonly EntryRange[]): ReadRequest | undefined {
    const isOutside = (one: ReadRequest): boolean => !silent.some((range) => overlaps(one, range));
    const check = this.#answered.find(isOutside) ?? this.newestAnswered;
    if (!isRead(request) || !has(this.#answered, request)) return check;
    return isOutside(request) || (check !== undefined && isSameRange(check, request)) ? undefined : check;
  }

  /**
   * Returns the request by which a silent unit is probed. Of a unit that never answered: what was never sent, the newest
   * first, then all in turn. Of another: the request that was answered last, and in every second turn another, because a unit
   * may have begun to ignore requests that it used to answer.
   *
   * @param turn counts the probes from 0
   */
  takeProbe(turn: number): ReadRequest | undefined {
    const isForNewest = this.#hasAnswered && turn % 2 === 0;
    return (isForNewest ? undefined : this.#takeUnsent()) ?? this.#findSent(turn);
  }

  #takeUnsent(): ReadRequest | undefined {
    const read = this.#unsent.pop();
    if (read !== undefined) this.#noteUnproven(read);
    return read;
  }

  #findSent(turn: number): ReadRequest | undefined {
    const proven = [...this.#answered, ...this.#silent];
    const divided = this.#unproven.slice(-MAXIMUM_DIVIDED).flatMap(edgesOf);
    const all = [...proven, ...proven.flatMap(edgesOf), ...this.#unproven, ...divided];
    const [first, ...others] = all;
    if (!this.#hasAnswered) return all[turn % all.length];
    return turn % 2 === 0 || others.length === 0 ? first : others[(turn >> 1) % others.length];
  }

  #noteUnproven(read: ReadRequest): void {
    if ([this.#answered, this.#silent, this.#unproven].some((reads) => has(reads, read))) return;
    this.#unproven.push(read);
    if (this.#unproven.length > MAXIMUM_UNPROVEN) this.#unproven.shift();
  }
}

// Its first and its last entry alone: one of them answers when something between them does not.
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
