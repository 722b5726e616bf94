import { isBitTable, MAXIMUM_RECORDS } from '../modbus-address.ts';
import type { Table } from '../modbus-address.ts';
import type { DetectedSizes } from '../pdu/request-sizes.ts';

/** Adjacent table entries that form one value, or one bit. */
export interface Span {
  readonly unitId: number;
  readonly table: Table;
  readonly offset: number;
  readonly quantity: number;
}

/** One read request and its spans. */
export interface PlannedRead<S extends Span = Span> extends Span {
  /** In ascending order of offset. */
  readonly spans: readonly S[];
}

export interface ReadLimits {
  /** Maximum unused entries between two spans of one request. */
  readonly maximumGap: number;
  readonly maximumRegistersPerRequest: number;
  readonly maximumBitsPerRequest: number;
  /** Detected limits of the unit; undefined if there are none. */
  readonly detected?: DetectedSizes | undefined;
}

/** Limits of one request. */
interface RequestBounds {
  readonly maximumGap: number;
  readonly maximumQuantity: number;
  readonly borders: readonly number[];
}

/** Returns the limits of the requests for a table of a unit. */
export type LimitsOf = (unitId: number, table: Table) => ReadLimits;

/** Returns the maximum entries of a table per request according to the settings. */
export function maximumQuantityOf(
  { maximumBitsPerRequest, maximumRegistersPerRequest }: Omit<ReadLimits, 'maximumGap'>,
  table: Table,
): number {
  if (table === 'FILE_RECORDS') return Math.min(maximumRegistersPerRequest, MAXIMUM_RECORDS);
  return isBitTable(table) ? maximumBitsPerRequest : maximumRegistersPerRequest;
}

/**
 * Joins spans into the fewest requests without bridging a gap larger than allowed.
 *
 * A request covers one unit and one table and contains only whole spans. A span above the limit has its own request,
 * shared only with spans of the same entries. Units and tables keep the order of their first spans. If a unit refuses
 * long requests, they are as long as the longest answered one. If longer ones would save requests, a length in between
 * is tried.
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
  const [first] = group;
  if (first === undefined) return [];
  const limits = limitsOf(first.unitId, first.table);
  const { maximumGap, detected } = limits;
  const limit = maximumQuantityOf(limits, first.table);
  const sorted = group.toSorted((a, b) => a.offset - b.offset);
  const join = (quantity: number): readonly PlannedRead<S>[] => {
    const maximumQuantity = Math.min(limit, quantity);
    const isTooLong = (span: Span): boolean => span.quantity > maximumQuantity;
    const bounds = { maximumGap, maximumQuantity, borders: detected?.borders ?? [] };
    if (!sorted.some(isTooLong)) return joinWithin(sorted, bounds);
    const others = sorted.filter((span) => !isTooLong(span));
    // Sorted again, because the spans around a long span may be one request.
    return [...joinWithin(others, bounds), ...joinEqual(sorted.filter(isTooLong))].toSorted(
      (a, b) => a.offset - b.offset,
    );
  };
  if (detected?.refused === undefined) return join(limit);
  const { answered, refused, mayTry } = detected;
  const known = join(answered);
  if (!mayTry || join(refused - 1).length === known.length) return known;
  return join((answered + refused) >> 1);
}

function joinWithin<S extends Span>(
  sorted: readonly S[],
  { maximumGap, maximumQuantity, borders }: RequestBounds,
): readonly PlannedRead<S>[] {
  const reads: PlannedRead<S>[] = [];
  let joined: S[] = [];
  let start = 0;
  let end = 0;
  for (const span of sorted) {
    const newEnd = Math.max(end, span.offset + span.quantity);
    const fits =
      span.offset - end <= maximumGap &&
      newEnd - start <= maximumQuantity &&
      !borders.some((border) => start < border && end <= border && border < newEnd);
    if (joined.length > 0 && !fits) {
      reads.push(joinSpans(joined));
      joined = [];
    }
    if (joined.length === 0) [start, end] = [span.offset, span.offset + span.quantity];
    joined.push(span);
    end = Math.max(end, span.offset + span.quantity);
  }
  if (joined.length > 0) reads.push(joinSpans(joined));
  return reads;
}

function joinEqual<S extends Span>(spans: readonly S[]): readonly PlannedRead<S>[] {
  const groups = Map.groupBy(spans, ({ offset, quantity }) => `${offset} ${quantity}`);
  return [...groups.values()].map(joinSpans);
}

/**
 * Splits a request in two, to find the spans that the device refuses.
 *
 * @returns undefined if the request cannot be split
 */
export function splitRead<S extends Span>(
  read: PlannedRead<S>,
): readonly [PlannedRead<S>, PlannedRead<S>] | undefined {
  // Spans of the same entries stay together, so that both halves are smaller than the whole.
  const cuts = read.spans.flatMap((span, index) =>
    index > 0 && startsAfter(read, index, span) ? [index] : [],
  );
  const cut = cuts[cuts.length >> 1];
  if (cut === undefined) return undefined;
  return [joinSpans(read.spans.slice(0, cut)), joinSpans(read.spans.slice(cut))];
}

/** Joins adjacent or overlapping requests within the limits; splits none and bridges no gap. */
export function rejoinReads<S extends Span>(
  reads: readonly PlannedRead<S>[],
  limitsOf: LimitsOf,
): readonly PlannedRead<S>[] {
  const withoutGap: LimitsOf = (unitId, table) => ({ ...limitsOf(unitId, table), maximumGap: 0 });
  return planReads(reads, withoutGap).map(({ spans, ...range }) =>
    Object.assign(range, { spans: spans.flatMap((read) => read.spans) }),
  );
}

function startsAfter(read: PlannedRead, index: number, span: Span): boolean {
  return span.offset > (read.spans[index - 1]?.offset ?? span.offset);
}

/**
 * Creates the request for spans of one unit and table.
 *
 * @param spans at least one, in ascending order of offset
 */
export function joinSpans<S extends Span>(spans: readonly S[]): PlannedRead<S> {
  const first = spans[0];
  if (first === undefined) throw new RangeError('a read needs a span');
  const { unitId, table, offset } = first;
  const end = Math.max(...spans.map((span) => span.offset + span.quantity));
  return { unitId, table, offset, quantity: end - offset, spans };
}
