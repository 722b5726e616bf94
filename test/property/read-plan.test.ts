import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import type { Table } from '../../drivers/modbus/modbus-address.ts';
import { planReads, rejoinReads, splitRead } from '../../drivers/modbus/read/read-plan.ts';
import type { PlannedRead, ReadLimits, Span } from '../../drivers/modbus/read/read-plan.ts';
import { propertyTest } from './property-test.ts';

interface Named extends Span {
  readonly index: number;
}

const table = fc.constantFrom<Table>('COILS', 'HOLDING_REGISTERS');

// Few places, so that spans meet, overlap and lie in one another.
const spans = (maxLength: number): fc.Arbitrary<readonly Named[]> =>
  fc
    .array(
      fc.record(
        {
          unitId: fc.integer({ min: 1, max: 2 }),
          table,
          offset: fc.nat(30),
          quantity: fc.integer({ min: 1, max: 4 }),
        },
        { noNullPrototype: true },
      ),
      { maxLength },
    )
    .map((list) => list.map((span, index) => ({ ...span, index })));

const limits: fc.Arbitrary<ReadLimits> = fc.record({
  maximumGap: fc.nat(5),
  maximumRegistersPerRequest: fc.integer({ min: 1, max: 12 }),
  maximumBitsPerRequest: fc.integer({ min: 1, max: 12 }),
});

const detected = fc.option(
  fc.record({
    answered: fc.integer({ min: 1, max: 6 }),
    refused: fc.option(fc.integer({ min: 7, max: 14 }), { nil: undefined }),
    mayTry: fc.boolean(),
    borders: fc.array(fc.nat(30), { maxLength: 3 }),
  }),
  { nil: undefined },
);

const endOf = ({ offset, quantity }: Span): number => offset + quantity;

function limitOf({ maximumBitsPerRequest, maximumRegistersPerRequest }: ReadLimits, of: Table): number {
  return of === 'COILS' ? maximumBitsPerRequest : maximumRegistersPerRequest;
}

function checkReads(reads: readonly PlannedRead<Named>[], given: readonly Named[]): void {
  const indices = reads.flatMap(({ spans: own }) => own.map(({ index }) => index));
  assert.deepEqual(
    indices.toSorted((a, b) => a - b),
    given.map(({ index }) => index),
    'each span once',
  );
  for (const read of reads) {
    assert.ok(
      read.spans.every(({ unitId, table: of }) => unitId === read.unitId && of === read.table),
      'one table',
    );
    assert.equal(read.offset, Math.min(...read.spans.map(({ offset }) => offset)));
    assert.equal(
      endOf(read),
      Math.max(...read.spans.map(endOf)),
      'nothing but its spans and what is between',
    );
    assert.deepEqual(
      read.spans.map(({ offset }) => offset),
      read.spans.map(({ offset }) => offset).toSorted((a, b) => a - b),
    );
  }
}

// Longest run of entries within a read that belong to none of its spans.
function widestGap(read: PlannedRead<Named>): number {
  let [widest, gap] = [0, 0];
  for (let entry = read.offset; entry < endOf(read); entry += 1) {
    gap = read.spans.some((span) => span.offset <= entry && entry < endOf(span)) ? 0 : gap + 1;
    widest = Math.max(widest, gap);
  }
  return widest;
}

propertyTest(
  'every span is in one request, within one unit and table, the limits and the gap',
  fc.property(spans(14), limits, detected, (given, bounds, known) => {
    const reads = planReads(given, () => ({ ...bounds, detected: known }));
    checkReads(reads, given);
    for (const read of reads) {
      assert.ok(widestGap(read) <= bounds.maximumGap);
      const own = limitOf(bounds, read.table);
      const most = known?.refused === undefined ? own : Math.min(own, known.refused - 1);
      assert.ok(
        read.quantity <= most ||
          read.spans.every(({ quantity }) => quantity > 0 && read.quantity === quantity),
      );
      for (const border of known?.borders ?? []) {
        const isCrossed = read.offset < border && border < endOf(read);
        assert.ok(
          !isCrossed || read.spans.some((span) => span.offset < border && border < endOf(span)),
          'a border is kept',
        );
      }
    }
  }),
  5,
);

// Every way to put spans into groups.
function* partitions<T>(items: readonly T[]): Generator<readonly (readonly T[])[]> {
  const [first, ...others] = items;
  if (first === undefined) {
    yield [];
    return;
  }
  for (const groups of partitions(others)) {
    yield [[first], ...groups];
    for (const [at, group] of groups.entries()) yield groups.with(at, [first, ...group]);
  }
}

function isAllowed(group: readonly Named[], bounds: ReadLimits): boolean {
  const [first] = group;
  if (first === undefined) return false;
  if (group.some(({ unitId, table: of }) => unitId !== first.unitId || of !== first.table)) return false;
  const offset = Math.min(...group.map((span) => span.offset));
  const quantity = Math.max(...group.map(endOf)) - offset;
  const isOwn = group.every((span) => span.quantity === quantity);
  if (quantity > limitOf(bounds, first.table) && !isOwn) return false;
  return widestGap({ ...first, offset, quantity, spans: group }) <= bounds.maximumGap;
}

propertyTest(
  'no other plan within the limits has fewer requests',
  fc.property(spans(7), limits, (given, bounds) => {
    let fewest = given.length;
    for (const groups of partitions(given)) {
      if (groups.length < fewest && groups.every((group) => isAllowed(group, bounds))) fewest = groups.length;
    }
    assert.equal(planReads(given, () => bounds).length, fewest);
  }),
  5,
);

propertyTest(
  'a refused request is cut in two smaller ones with the same spans, until each has one place',
  fc.property(spans(8), (given) => {
    const wide: ReadLimits = { maximumGap: 40, maximumRegistersPerRequest: 125, maximumBitsPerRequest: 2000 };
    for (const read of planReads(given, () => wide)) {
      const halves = splitRead(read);
      if (halves === undefined) {
        assert.equal(new Set(read.spans.map(({ offset }) => offset)).size, 1);
        continue;
      }
      checkReads(
        halves,
        read.spans.toSorted((a, b) => a.index - b.index),
      );
      for (const half of halves) assert.ok(half.spans.length > 0 && half.spans.length < read.spans.length);
    }
  }),
);

propertyTest(
  'requests that are joined again keep every span and bridge no gap',
  fc.property(spans(10), limits, limits, (given, before, after) => {
    const reads = planReads(given, () => before);
    const rejoined = rejoinReads(reads, () => after);
    checkReads(
      rejoined.map((read) => ({ ...read, spans: read.spans.toSorted((a, b) => a.offset - b.offset) })),
      given,
    );
    const covered = (list: readonly Span[]): ReadonlySet<string> =>
      new Set(
        list.flatMap(({ unitId, table: of, offset, quantity }) =>
          Array.from({ length: quantity }, (_, entry) => `${unitId} ${of} ${offset + entry}`),
        ),
      );
    assert.deepEqual(covered(rejoined), covered(reads), 'the same entries are read');
    assert.ok(rejoined.length <= reads.length);
  }),
  2,
);
