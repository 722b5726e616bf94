import { contains, isSameRange, overlaps } from '../pdu/modbus-functions.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import type { EntryRange } from '../pdu/modbus-functions.ts';

// A single timeout may be a lost frame.
const TIMEOUTS_UNTIL_SUSPENDED = 2;

/** Pause before the first retry of a suspended address; it doubles with each failed attempt. */
export const FIRST_PAUSE_MS = 2000;
const MAXIMUM_PAUSE_MS = 60_000;
// Maximum share of the line that all suspended addresses of a unit take in the long run.
const MAXIMUM_LINE_SHARE = 0.05;

// No useful device has more; the oldest entry is dropped.
const MAXIMUM_ADDRESSES = 100;
const MAXIMUM_PENDING = 32;

/** A state change of an address. */
export interface AddressChange {
  readonly range: EntryRange;
  /** NARROWED: a part of a suspended range remains suspended; the rest is polled again. */
  readonly state: 'SUSPENDED' | 'NARROWED' | 'ANSWERING';
  readonly reasons: readonly FaultReason[];
}

/** A suspended address. */
export interface SilentAddress {
  readonly range: EntryRange;
  /** Time of the first timeout, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Sentences about the newest failure. */
  readonly reasons: readonly FaultReason[];
  /** Time of the next attempt, in monotonic milliseconds. */
  readonly nextAttemptMs: number;
}

/** A request without a response. */
interface RangeTimeout {
  readonly range: EntryRange;
  readonly reasons: readonly FaultReason[];
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

interface Entry {
  readonly range: EntryRange;
  sinceMs: number;
  reasons: readonly FaultReason[];
  timeouts: number;
  isSuspended: boolean;
  attempts: number;
  nextAttemptMs: number;
}

export interface SilentAddressesOptions {
  readonly responseTimeoutMs: () => number;
  /** Random number in 0..1, for jitter. */
  readonly random: () => number;
}

const NO_CHANGES: readonly AddressChange[] = [];

/**
 * Detects the addresses of one unit that do not respond while the unit does. Performs no I/O.
 *
 * A timeout is attributed to an address only if the unit responds to a later request. If a part of a suspended range
 * does not respond, the part replaces the range. So the search converges on the addresses that the device ignores.
 */
export class SilentAddresses {
  readonly #options: SilentAddressesOptions;
  #entries: Entry[] = [];
  /** Timeouts since the newest response of the unit, not attributed yet. */
  #pending: RangeTimeout[] = [];

  constructor(options: SilentAddressesOptions) {
    this.#options = options;
  }

  /** True if every request that timed out has been answered since. */
  get isEmpty(): boolean {
    return this.#entries.length === 0 && this.#pending.length === 0;
  }

  /** True if no more addresses can be tracked. */
  get isFull(): boolean {
    return this.#entries.length >= MAXIMUM_ADDRESSES;
  }

  /** Records a request without a response. */
  recordTimeout(timeout: RangeTimeout, nowMs: number): void {
    const entry = this.#find(timeout.range);
    if (entry?.isSuspended === true) {
      entry.reasons = timeout.reasons;
      entry.attempts += 1;
      entry.nextAttemptMs = nowMs + this.#pauseMs(entry.attempts);
    } else if (!this.#pending.some(({ range }) => isSameRange(range, timeout.range))) {
      this.#pending.push(timeout);
      if (this.#pending.length > MAXIMUM_PENDING) this.#pending.shift();
    }
  }

  /**
   * Records a response of the unit, which proves that it is present.
   *
   * @param range the requested addresses; undefined if unknown
   */
  recordResponse(range: EntryRange | undefined, nowMs: number): readonly AddressChange[] {
    if (this.isEmpty) return NO_CHANGES;
    const changes: AddressChange[] = [];
    if (range !== undefined) {
      const isAnswered = (silent: { readonly range: EntryRange }): boolean => contains(range, silent.range);
      for (const { range: answered, reasons, isSuspended } of this.#entries.filter(isAnswered)) {
        if (isSuspended) changes.push({ range: answered, state: 'ANSWERING', reasons });
      }
      this.#entries = this.#entries.filter((entry) => !isAnswered(entry));
      this.#pending = this.#pending.filter((timeout) => !isAnswered(timeout));
    }
    for (const timeout of this.#pending) changes.push(...this.#attribute(timeout, nowMs));
    this.#pending = [];
    return changes;
  }

  /** Records that the newest timeouts were those of the whole unit. */
  forgetPending(): void {
    this.#pending = [];
  }

  /** Drops the ranges of a function that are longer than the longest request that the unit answers. */
  forgetLonger(functionCode: EntryRange['functionCode'], quantity: number): void {
    this.#entries = this.#entries.filter(
      ({ range }) => range.functionCode !== functionCode || range.quantity <= quantity,
    );
  }

  /** Drops the ranges that overlap none of `ranges`. */
  retain(ranges: readonly EntryRange[]): void {
    const isUsed = (silent: { readonly range: EntryRange }): boolean =>
      ranges.some((range) => overlaps(range, silent.range));
    this.#entries = this.#entries.filter(isUsed);
    this.#pending = this.#pending.filter(isUsed);
  }

  /** Records that an address whose pause is over is polled now, so that no other request polls it. */
  recordAttempt(range: EntryRange, nowMs: number): void {
    for (const entry of this.#entries) {
      if (entry.isSuspended && contains(range, entry.range)) {
        entry.nextAttemptMs = nowMs + this.#pauseMs(entry.attempts);
      }
    }
  }

  /**
   * Records that the link was lost before an address could respond: it may be polled again at once, even by the same
   * read.
   */
  recordLostAttempt(range: EntryRange, nowMs: number): void {
    for (const entry of this.#entries) {
      if (entry.isSuspended && contains(range, entry.range)) entry.nextAttemptMs = nowMs;
    }
  }

  /** Returns the suspended address that prevents a request from being sent now. */
  findRefusal(range: EntryRange, nowMs: number): SilentAddress | undefined {
    return this.#entries.find(
      (entry) => entry.isSuspended && nowMs < entry.nextAttemptMs && contains(range, entry.range),
    );
  }

  /** Returns the ranges that timed out in their last read, suspended or not. */
  listSilent(): readonly EntryRange[] {
    return [...this.#entries, ...this.#pending].map(({ range }) => range);
  }

  /** Returns the suspended addresses, oldest first. */
  list(): readonly SilentAddress[] {
    return this.#entries.filter(({ isSuspended }) => isSuspended);
  }

  #attribute({ range, reasons, atMs }: RangeTimeout, nowMs: number): readonly AddressChange[] {
    // A smaller silent address within the range explains the timeout.
    if (this.#entries.some((entry) => entry.isSuspended && isWithin(entry.range, range))) return NO_CHANGES;
    const entry = this.#find(range) ?? this.#add({ range, reasons, atMs });
    entry.timeouts += 1;
    entry.reasons = reasons;
    const wider = this.#entries.filter((one) => one.isSuspended && isWithin(range, one.range));
    if (wider.length === 0 && entry.timeouts < TIMEOUTS_UNTIL_SUSPENDED) return NO_CHANGES;
    this.#entries = this.#entries.filter((one) => !wider.includes(one));
    entry.isSuspended = true;
    entry.sinceMs = Math.min(entry.sinceMs, ...wider.map(({ sinceMs }) => sinceMs));
    entry.nextAttemptMs = nowMs + this.#pauseMs(0);
    return [{ range, state: wider.length > 0 ? 'NARROWED' : 'SUSPENDED', reasons }];
  }

  #find(range: EntryRange): Entry | undefined {
    return this.#entries.find((entry) => isSameRange(entry.range, range));
  }

  #add({ range, reasons, atMs }: RangeTimeout): Entry {
    if (this.isFull) this.#entries.shift();
    const entry: Entry = {
      range,
      sinceMs: atMs,
      reasons,
      timeouts: 0,
      isSuspended: false,
      attempts: 0,
      nextAttemptMs: 0,
    };
    this.#entries.push(entry);
    return entry;
  }

  #pauseMs(attempts: number): number {
    const { responseTimeoutMs, random } = this.#options;
    const count = this.list().length;
    const longestMs = Math.max(MAXIMUM_PAUSE_MS, (count * responseTimeoutMs()) / MAXIMUM_LINE_SHARE);
    return Math.min(longestMs, FIRST_PAUSE_MS * 2 ** attempts) * (0.75 + random() / 2);
  }
}

function isWithin(inner: EntryRange, outer: EntryRange): boolean {
  return contains(outer, inner) && !isSameRange(outer, inner);
}
