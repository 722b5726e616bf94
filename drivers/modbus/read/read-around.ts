import { joinSpans, splitRead } from './read-plan.ts';
import type { PlannedRead, Span } from './read-plan.ts';
import { READ_FUNCTION, contains } from '../pdu/modbus-functions.ts';
import type { EntryRange } from '../pdu/modbus-functions.ts';

/** An address that is suspended, and whether it may be asked again now. */
export interface Suspended {
  readonly range: EntryRange;
  readonly isDue: boolean;
}

/** The known silent addresses of a unit. */
export interface Silences {
  /** Ranges that were silent when they were asked last, suspended or not. */
  readonly silent: readonly EntryRange[];
  readonly suspended: readonly Suspended[];
  /** Whether requests may be cut up in search for the silent ones. */
  readonly mayNarrow: boolean;
}

/** A part of a request, and whether its answer is in doubt. */
export interface Piece<R extends Span> {
  readonly read: R;
  readonly isDoubtful: boolean;
}

/**
 * Cuts a request around the addresses that are suspended, so that its other spans are served.
 *
 * Spans that all touch such an address are asked together when it is due, and else halved, to find out which of them are
 * silent; requests that cannot be cut any more stay as they are, and are refused.
 */
export function readAround<S extends Span, R extends PlannedRead<S>>(
  read: R,
  silences: Silences,
): readonly Piece<R | PlannedRead<S>>[] {
  const range = rangeOfSpan(read);
  const inside = silences.suspended.find((one) => contains(range, one.range));
  if (inside === undefined) return [{ read, isDoubtful: isDoubtful(range, silences) }];
  const groups = groupAround(read.spans, inside.range);
  if (groups.length > 1) return groups.flatMap((spans) => readAround(joinSpans(spans), silences));
  const halves = silences.mayNarrow && !inside.isDue ? splitRead(read) : undefined;
  if (halves === undefined) return [{ read, isDoubtful: inside.isDue }];
  return halves.flatMap((half) => readAround(half, silences));
}

// A range that contains a silent one may be silent as well, and so may a part of a suspended one.
function isDoubtful(range: EntryRange, { silent, suspended }: Silences): boolean {
  return silent.some((one) => contains(range, one)) || suspended.some((one) => contains(one.range, range));
}

/** Parts spans into those before a range, those that touch it and those behind it; none of the parts is empty. */
function groupAround<S extends Span>(
  spans: readonly S[],
  { offset, quantity }: EntryRange,
): readonly (readonly S[])[] {
  const before = spans.filter((span) => span.offset + span.quantity <= offset);
  const behind = spans.filter((span) => span.offset >= offset + quantity);
  const touching = spans.filter((span) => !before.includes(span) && !behind.includes(span));
  return [before, touching, behind].filter((group) => group.length > 0);
}

function rangeOfSpan({ table, offset, quantity }: Span): EntryRange {
  return { functionCode: READ_FUNCTION[table], offset, quantity };
}
