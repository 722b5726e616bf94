import { isSameRange, overlaps } from './entry-range.ts';
import type { EntryRange } from './entry-range.ts';
import { isRead, toProbe } from './modbus-functions.ts';
import type { ModbusRequest, ReadRequest } from './request.ts';

// Enough to find one that answers, and few enough for any number of units.
const MAXIMUM_ANSWERED = 8;
const MAXIMUM_UNPROVEN = 16;

/** Remembers what a unit answers, to choose the request that shows whether it is there; it asks nothing itself. */
export class KnownRequests {
  /** Reads that were answered and not silent since, the newest first. */
  readonly #answered: ReadRequest[] = [];
  /** Reads that were silent when they were asked last or never asked, those that were once answered first. */
  readonly #unproven: ReadRequest[] = [];
  #hasAnswered = false;

  /** Returns the read that was answered last and not silent since; undefined before the first. */
  get newestAnswered(): ReadRequest | undefined {
    return this.#answered[0];
  }

  /** Records that a request was answered. */
  noteAnswer(request: ModbusRequest): void {
    this.#hasAnswered = true;
    if (!isRead(request)) return this.noteWish(request);
    const [newest] = this.#answered;
    if (newest !== undefined && isSameRange(newest, request)) return;
    remove(this.#answered, request);
    remove(this.#unproven, request);
    this.#answered.unshift(request);
    this.#answered.length = Math.min(this.#answered.length, MAXIMUM_ANSWERED);
  }

  /** Records that a request got no answer. */
  noteSilence(request: ModbusRequest): void {
    if (!isRead(request) || !remove(this.#answered, request)) return this.noteWish(request);
    this.#unproven.unshift(request);
    this.#unproven.length = Math.min(this.#unproven.length, MAXIMUM_UNPROVEN);
  }

  /** Records that a client wants to send a request, which may show that the unit is there. */
  noteWish(request: ModbusRequest): void {
    if (this.#answered.length > 0 || this.#unproven.length === MAXIMUM_UNPROVEN) return;
    const read = isRead(request) ? request : toProbe(request);
    if (!has(this.#unproven, read)) this.#unproven.push(read);
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
   * Returns the request by which a silent unit is probed: the one that was answered last, and in every second turn another,
   * because a unit may have begun to ignore requests that it used to answer.
   *
   * @param turn counts the probes from 0
   */
  probe(turn: number): ReadRequest | undefined {
    const whole = [...this.#answered, ...this.#unproven];
    const all = [...whole, ...whole.flatMap(edgesOf)];
    const [first, ...others] = all;
    if (!this.#hasAnswered) return all[turn % all.length];
    return turn % 2 === 0 || others.length === 0 ? first : others[(turn >> 1) % others.length];
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
