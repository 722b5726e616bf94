import { isBitTable } from './modbus-address.ts';
import type { Table } from './modbus-address.ts';

/** Table entries that belong together: the registers of one value, or one bit. */
export interface Span {
  readonly unitId: number;
  readonly table: Table;
  readonly offset: number;
  readonly quantity: number;
}

/** One read request and the spans that it brings. */
export interface PlannedRead<S extends Span = Span> extends Span {
  /** By ascending offset. */
  readonly spans: readonly S[];
}

export interface ReadLimits {
  /** Most unused entries between two spans of one request. */
  readonly maximumGap: number;
  readonly maximumRegistersPerRequest: number;
  readonly maximumBitsPerRequest: number;
}

/** Returns the limits of a unit. */
export type LimitsOf = (unitId: number) => ReadLimits;

/**
 * Joins spans into the fewest requests that can be had without reading across a gap larger than allowed.
 *
 * A request stays within one unit and one table and never holds a part of a span; a span that is larger than the limit
 * has its own request. Units and tables come in the order of their first span.
 */
export function planReads<S extends Span>(
  spans: readonly S[],
  limitsOf: LimitsOf,
): readonly PlannedRead<S>[] {
  const groups = new Map<string, S[]>();
  for (const span of spans) {
    const key = `${span.unitId} ${span.table}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [span]);
    else group.push(span);
  }
  return [...groups.values()].flatMap((group) => joinGroup(group, limitsOf));
}

function joinGroup<S extends Span>(group: readonly S[], limitsOf: LimitsOf): readonly PlannedRead<S>[] {
  const sorted = group.toSorted((a, b) => a.offset - b.offset);
  const reads: PlannedRead<S>[] = [];
  let joined: S[] = [];
  let start = 0;
  let end = 0;
  for (const span of sorted) {
    const spanEnd = span.offset + span.quantity;
    const limits = limitsOf(span.unitId);
    const limit = isBitTable(span.table) ? limits.maximumBitsPerRequest : limits.maximumRegistersPerRequest;
    const fits = span.offset - end <= limits.maximumGap && Math.max(end, spanEnd) - start <= limit;
    if (joined.length > 0 && !fits) {
      reads.push(joinSpans(joined));
      joined = [];
    }
    if (joined.length === 0) [start, end] = [span.offset, spanEnd];
    joined.push(span);
    end = Math.max(end, spanEnd);
  }
  if (joined.length > 0) reads.push(joinSpans(joined));
  return reads;
}

/**
 * Cuts a request in two, to find out which of its spans the device refuses.
 *
 * @returns undefined when the request cannot be smaller
 */
export function splitRead<S extends Span>(
  read: PlannedRead<S>,
): readonly [PlannedRead<S>, PlannedRead<S>] | undefined {
  // Spans of the same entries stay together, so that the halves are smaller than the whole.
  const cuts = read.spans.flatMap((span, index) =>
    index > 0 && startsAfter(read, index, span) ? [index] : [],
  );
  const cut = cuts[cuts.length >> 1];
  if (cut === undefined) return undefined;
  return [joinSpans(read.spans.slice(0, cut)), joinSpans(read.spans.slice(cut))];
}

/** Joins requests that lie side by side or overlap, where the limits allow it; none is cut, no gap is bridged. */
export function rejoinReads<S extends Span>(
  reads: readonly PlannedRead<S>[],
  limitsOf: LimitsOf,
): readonly PlannedRead<S>[] {
  return planReads(reads, (unitId) => ({ ...limitsOf(unitId), maximumGap: 0 })).map(({ spans, ...range }) =>
    Object.assign(range, { spans: spans.flatMap((read) => read.spans) }),
  );
}

function startsAfter(read: PlannedRead, index: number, span: Span): boolean {
  return span.offset > (read.spans[index - 1]?.offset ?? span.offset);
}

/**
 * Creates the request that reads all these spans of one unit and table.
 *
 * @param spans at least one, by ascending offset
 */
export function joinSpans<S extends Span>(spans: readonly S[]): PlannedRead<S> {
  const first = spans[0];
  if (first === undefined) throw new RangeError('a read needs a span');
  const { unitId, table, offset } = first;
  const end = Math.max(...spans.map((span) => span.offset + span.quantity));
  return { unitId, table, offset, quantity: end - offset, spans };
}
