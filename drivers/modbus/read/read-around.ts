import { joinSpans, splitRead } from './read-plan.ts';
import type { PlannedRead, Span } from './read-plan.ts';
import { READ_FUNCTION, contains } from '../pdu/modbus-functions.ts';
import type { EntryRange } from '../pdu/modbus-functions.ts';

/** A suspended address, and whether it may be polled again now. */
export interface Suspended {
  readonly range: EntryRange;
  readonly isDue: boolean;
}

/** The known silent addresses of a unit. */
export interface SilentRanges {
  /** Ranges that timed out in their last read, suspended or not. */
  readonly silent: readonly EntryRange[];
  readonly suspended: readonly Suspended[];
  /** True if requests may be split to find the silent addresses. */
  readonly mayNarrow: boolean;
}

/** A part of a request, and whether it may time out. */
export interface Piece<R extends Span> {
  readonly read: R;
  readonly isDoubtful: boolean;
}

/**
 * Splits a request around the suspended addresses, so that its other spans are read.
 *
 * Spans that all overlap such an address are read together when it is due, and halved otherwise, to find the silent
 * ones. Requests that cannot be split any further stay as they are and fail.
 */
export function readAround<S extends Span, R extends PlannedRead<S>>(
  read: R,
  silentRanges: SilentRanges,
): readonly Piece<R | PlannedRead<S>>[] {
  const range = rangeOfSpan(read);
  const inside = silentRanges.suspended.find((one) => contains(range, one.range));
  if (inside === undefined) return [{ read, isDoubtful: isDoubtful(range, silentRanges) }];
  const groups = groupAround(read.spans, inside.range);
  if (groups.length > 1) return groups.flatMap((spans) => readAround(joinSpans(spans), silentRanges));
  const halves = silentRanges.mayNarrow && !inside.isDue ? splitRead(read) : undefined;
  if (halves === undefined) return [{ read, isDoubtful: inside.isDue }];
  return halves.flatMap((half) => readAround(half, silentRanges));
}

// A range that contains a silent one may time out as well, and so may a part of a suspended one.
function isDoubtful(range: EntryRange, { silent, suspended }: SilentRanges): boolean {
  return silent.some((one) => contains(range, one)) || suspended.some((one) => contains(one.range, range));
}

/** Splits spans into those before a range, those that overlap it and those after it; omits empty groups. */
function groupAround<S extends Span>(
  spans: readonly S[],
  { offset, quantity }: EntryRange,
): readonly (readonly S[])[] {
  const before = spans.filter((span) => span.offset + span.quantity <= offset);
  const after = spans.filter((span) => span.offset >= offset + quantity);
  const touching = spans.filter((span) => !before.includes(span) && !after.includes(span));
  return [before, touching, after].filter((group) => group.length > 0);
}

function rangeOfSpan({ table, offset, quantity }: Span): EntryRange {
  return { functionCode: READ_FUNCTION[table], offset, quantity };
}
