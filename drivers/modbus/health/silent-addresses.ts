import { contains, isSameRange, overlaps } from '../pdu/modbus-functions.ts';
import type { EntryRange } from '../pdu/modbus-functions.ts';

// One silence may be a lost frame.
const SILENCES_UNTIL_SUSPENDED = 2;

/** Pause before an address that was suspended is asked again for the first time; it doubles with each failed try. */
export const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 60_000;
// All addresses of a unit that are suspended take at most this share of its line in the long run.
const MAXIMUM_LINE_SHARE = 0.05;

// More are found on no device that is of use; the one that was silent the longest ago is dropped.
const MAXIMUM_ADDRESSES = 100;
const MAXIMUM_PENDING = 32;

/** A change in the state of an address. */
export interface AddressChange {
  readonly range: EntryRange;
  /** NARROWED: a part of a suspended range; the rest of it is asked again. */
  readonly state: 'SUSPENDED' | 'NARROWED' | 'ANSWERING';
  readonly reason: string;
}

/** An address that is suspended. */
export interface SilentAddress {
  readonly range: EntryRange;
  /** Milliseconds since the epoch of its first silence. */
  readonly sinceMs: number;
  /** Text of its newest failure. */
  readonly reason: string;
  /** When it may be asked again, in monotonic milliseconds. */
  readonly nextAttemptMs: number;
}

/** A request that was not answered. */
interface Silence {
  readonly range: EntryRange;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

interface Entry {
  readonly range: EntryRange;
  sinceMs: number;
  reason: string;
  silences: number;
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
 * Decides which addresses of one unit are silent alone; it does nothing itself.
 *
 * A silence is that of an address only when the unit answers something after it. Where a part of a suspended range turns out
 * to be silent, the part replaces the range, so that the search ends at the addresses that are ignored.
 */
export class SilentAddresses {
  readonly #options: SilentAddressesOptions;
  #entries: Entry[] = [];
  /** Silences since the newest answer of the unit: whose they are is not known yet. */
  #pending: Silence[] = [];

  constructor(options: SilentAddressesOptions) {
    this.#options = options;
  }

  /** Whether nothing was silent that has not been answered since. */
  get isEmpty(): boolean {
    return this.#entries.length === 0 && this.#pending.length === 0;
  }

  /** Whether no more addresses can be told apart. */
  get isFull(): boolean {
    return this.#entries.length >= MAXIMUM_ADDRESSES;
  }

  /** Records a request without an answer. */
  noteSilence(silence: Silence, nowMs: number): void {
    const entry = this.#find(silence.range);
    if (entry?.isSuspended === true) {
      entry.reason = silence.reason;
      entry.attempts += 1;
      entry.nextAttemptMs = nowMs + this.#pauseMs(entry.attempts);
    } else if (!this.#pending.some(({ range }) => isSameRange(range, silence.range))) {
      this.#pending.push(silence);
      if (this.#pending.length > MAXIMUM_PENDING) this.#pending.shift();
    }
  }

  /**
   * Records that the unit answered, so that it is there.
   *
   * @param range the addresses it answered for; undefined where that is not known
   */
  noteAnswer(range: EntryRange | undefined, nowMs: number): readonly AddressChange[] {
    if (this.isEmpty) return NO_CHANGES;
    const changes: AddressChange[] = [];
    if (range !== undefined) {
      const isAnswered = (silent: { readonly range: EntryRange }): boolean => contains(range, silent.range);
      for (const { range: answered, reason, isSuspended } of this.#entries.filter(isAnswered)) {
        if (isSuspended) changes.push({ range: answered, state: 'ANSWERING', reason });
      }
      this.#entries = this.#entries.filter((entry) => !isAnswered(entry));
      this.#pending = this.#pending.filter((silence) => !isAnswered(silence));
    }
    for (const silence of this.#pending) changes.push(...this.#attribute(silence, nowMs));
    this.#pending = [];
    return changes;
  }

  /** Records that the newest silences were those of the whole unit. */
  forgetPending(): void {
    this.#pending = [];
  }

  /** Drops the ranges of a function that are longer than the requests that the unit answers. */
  forgetLonger(functionCode: EntryRange['functionCode'], quantity: number): void {
    this.#entries = this.#entries.filter(
      ({ range }) => range.functionCode !== functionCode || range.quantity <= quantity,
    );
  }

  /** Drops the ranges that touch none of some others. */
  retain(ranges: readonly EntryRange[]): void {
    const isUsed = (silent: { readonly range: EntryRange }): boolean =>
      ranges.some((range) => overlaps(range, silent.range));
    this.#entries = this.#entries.filter(isUsed);
    this.#pending = this.#pending.filter(isUsed);
  }

  /** Records that an address whose pause is over is asked now, so that no other request asks it. */
  noteAttempt(range: EntryRange, nowMs: number): void {
    for (const entry of this.#entries) {
      if (entry.isSuspended && contains(range, entry.range)) {
        entry.nextAttemptMs = nowMs + this.#pauseMs(entry.attempts);
      }
    }
  }

  /** Records that the link was lost before an address could answer: it may be asked at once, also by the same read. */
  noteLostAttempt(range: EntryRange, nowMs: number): void {
    for (const entry of this.#entries) {
      if (entry.isSuspended && contains(range, entry.range)) entry.nextAttemptMs = nowMs;
    }
  }

  /** Returns the address for whose sake a request is not to be sent now. */
  findRefusal(range: EntryRange, nowMs: number): SilentAddress | undefined {
    return this.#entries.find(
      (entry) => entry.isSuspended && nowMs < entry.nextAttemptMs && contains(range, entry.range),
    );
  }

  /** Returns the ranges that were silent when they were last read, suspended or not. */
  listSilent(): readonly EntryRange[] {
    return [...this.#entries, ...this.#pending].map(({ range }) => range);
  }

  /** Returns the addresses that are suspended, those that were silent the longest first. */
  list(): readonly SilentAddress[] {
    return this.#entries.filter(({ isSuspended }) => isSuspended);
  }

  #attribute({ range, reason, atMs }: Silence, nowMs: number): readonly AddressChange[] {
    // A smaller address within it that is known to be silent explains it.
    if (this.#entries.some((entry) => entry.isSuspended && isWithin(entry.range, range))) return NO_CHANGES;
    const entry = this.#find(range) ?? this.#add({ range, reason, atMs });
    entry.silences += 1;
    entry.reason = reason;
    const wider = this.#entries.filter((one) => one.isSuspended && isWithin(range, one.range));
    if (wider.length === 0 && entry.silences < SILENCES_UNTIL_SUSPENDED) return NO_CHANGES;
    this.#entries = this.#entries.filter((one) => !wider.includes(one));
    entry.isSuspended = true;
    entry.sinceMs = Math.min(entry.sinceMs, ...wider.map(({ sinceMs }) => sinceMs));
    entry.nextAttemptMs = nowMs + this.#pauseMs(0);
    return [{ range, state: wider.length > 0 ? 'NARROWED' : 'SUSPENDED', reason }];
  }

  #find(range: EntryRange): Entry | undefined {
    return this.#entries.find((entry) => isSameRange(entry.range, range));
  }

  #add({ range, reason, atMs }: Silence): Entry {
    if (this.isFull) this.#entries.shift();
    const entry: Entry = {
      range,
      sinceMs: atMs,
      reason,
      silences: 0,
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
    const longestMs = Math.max(LONGEST_PAUSE_MS, (count * responseTimeoutMs()) / MAXIMUM_LINE_SHARE);
    return Math.min(longestMs, FIRST_PAUSE_MS * 2 ** attempts) * (0.75 + random() / 2);
  }
}

function isWithin(inner: EntryRange, outer: EntryRange): boolean {
  return contains(outer, inner) && !isSameRange(outer, inner);
}
