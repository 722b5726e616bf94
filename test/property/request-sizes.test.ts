import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { RequestSizes } from '../../drivers/modbus/pdu/request-sizes.ts';
import type { RequestSplit, DetectedSizes } from '../../drivers/modbus/pdu/request-sizes.ts';
import type { ReadRequest } from '../../drivers/modbus/pdu/request.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { propertyTest } from './property-test.ts';

const LENGTH_MS = 3_600_000;
const BORDER_MS = 300_000;
const CUT_MS = 60_000;

// Few places, so that requests meet, overlap and lie in one another.
const request: fc.Arbitrary<ReadRequest> = fc.record(
  {
    unitId: fc.constant(1),
    functionCode: fc.constant(3 as const),
    offset: fc.nat(6),
    quantity: fc.integer({ min: 1, max: 6 }),
  },
  { noNullPrototype: true },
);

const split: fc.Arbitrary<RequestSplit> = fc
  .record({ whole: request, first: fc.nat(), cause: fc.constantFrom('REFUSED' as const, 'SILENT' as const) })
  .filter(({ whole }) => whole.quantity > 1)
  .map(({ whole, first, cause }) => {
    const at = whole.offset + 1 + (first % (whole.quantity - 1));
    return { request: whole, at, cause };
  });

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('answer' as const), request, isSilent: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('split' as const), split }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unreadable' as const), request }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('another' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1, CUT_MS / 2, CUT_MS, BORDER_MS, LENGTH_MS),
    }),
  },
);

const entriesOf = ({ offset, quantity }: ReadRequest): readonly number[] =>
  Array.from({ length: quantity }, (_, index) => offset + index);

const isWithin = (inner: ReadRequest, outer: ReadRequest): boolean =>
  entriesOf(inner).every((entry) => entriesOf(outer).includes(entry));

interface PlainSplit extends RequestSplit {
  readonly atMs: number;
  readonly answered: Set<number>;
}

/** The same knowledge, entry by entry. */
class PlainSizes {
  answered = 0;
  tooLong: { readonly quantity: number; readonly mayTry: boolean; readonly untilMs: number } | undefined;
  splits: PlainSplit[] = [];
  borders: { readonly at: number; readonly untilMs: number }[] = [];

  forgetUntil(nowMs: number): void {
    if (this.tooLong !== undefined && this.tooLong.untilMs <= nowMs) this.tooLong = undefined;
    this.borders = this.borders.filter(({ untilMs }) => untilMs > nowMs);
  }

  recordSplit(given: RequestSplit, atMs: number): void {
    const others = this.splits.filter(
      ({ request: one }) => !(isWithin(one, given.request) && isWithin(given.request, one)),
    );
    this.splits = [...others, { ...given, atMs, answered: new Set<number>() }];
  }

  recordUnreadable(given: ReadRequest): void {
    this.splits = this.splits.filter((one) => !isWithin(given, one.request));
  }

  recordResponse(given: ReadRequest, isSilent: boolean, nowMs: number): number | undefined {
    if (this.tooLong !== undefined && given.quantity >= this.tooLong.quantity) this.tooLong = undefined;
    this.answered = Math.max(this.answered, given.quantity);
    this.splits = this.splits.filter(({ cause, request: one, atMs }) => {
      const isOpen = cause === 'SILENT' ? isSilent : nowMs < atMs + CUT_MS;
      return isOpen && !isWithin(one, given);
    });
    for (const one of this.splits) {
      if (isWithin(given, one.request)) for (const entry of entriesOf(given)) one.answered.add(entry);
    }
    return this.#explain(nowMs) ? this.answered : undefined;
  }

  // One after the other, from the shortest on, as long as there is one of which every entry was answered.
  #explain(nowMs: number): boolean {
    let isLearned = false;
    for (const whole of this.splits
      .filter(({ request: one, answered }) => entriesOf(one).every((entry) => answered.has(entry)))
      .toSorted((a, b) => a.request.quantity - b.request.quantity)) {
      if (!this.splits.includes(whole)) continue;
      this.splits = this.splits.filter((one) => one !== whole);
      if (whole.request.quantity > this.answered) {
        isLearned = true;
        this.#learn(whole, nowMs);
      } else if (whole.cause === 'REFUSED') {
        this.borders.push({ at: whole.at, untilMs: nowMs + BORDER_MS });
        const isAcross = ({ request: one }: PlainSplit): boolean =>
          entriesOf(one).includes(whole.at - 1) && entriesOf(one).includes(whole.at);
        this.splits = this.splits.filter((one) => !isAcross(one));
      }
    }
    return isLearned;
  }

  #learn({ request: { quantity }, cause }: PlainSplit, nowMs: number): void {
    this.tooLong = {
      quantity: Math.min(quantity, this.tooLong?.quantity ?? quantity),
      mayTry: cause === 'REFUSED',
      untilMs: cause === 'REFUSED' ? nowMs + LENGTH_MS : Infinity,
    };
  }

  recordOther(): void {
    if (this.tooLong === undefined) this.answered = 0;
    this.borders = [];
  }

  find(): DetectedSizes | undefined {
    const { answered, tooLong, borders } = this;
    if (tooLong === undefined && borders.length === 0) return undefined;
    return {
      answered,
      refused: tooLong?.quantity,
      mayTry: tooLong?.mayTry ?? false,
      borders: borders.map(({ at }) => at),
    };
  }
}

/** What a plan of requests depends on. */
function toDecisive(found: DetectedSizes | undefined): unknown {
  if (found === undefined) return undefined;
  const { refused, borders } = found;
  return refused === undefined ? { borders } : found;
}

propertyTest(
  'the length of requests is detected as by going through their entries, and the revision tells of every change',
  fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
    const clock = new ManualClock();
    const sizes = new RequestSizes({ clock, logger: createMemoryLogger() });
    const plain = new PlainSizes();
    let revision = sizes.revision;
    let before: unknown;
    for (const given of steps) {
      const nowMs = clock.monotonicMs();
      if (given.kind === 'wait') clock.advance(given.ms);
      else if (given.kind === 'split') {
        sizes.recordSplit(given.split);
        plain.recordSplit(given.split, nowMs);
      } else if (given.kind === 'unreadable') {
        sizes.recordUnreadable(given.request);
        plain.recordUnreadable(given.request);
      } else if (given.kind === 'another') {
        sizes.forgetAnswered();
        plain.recordOther();
      } else {
        const { isSilent } = given;
        const expected = plain.recordResponse(given.request, isSilent, nowMs);
        assert.equal(
          sizes.recordResponse(given.request, () => isSilent),
          expected,
        );
      }
      plain.forgetUntil(clock.monotonicMs());
      const next = sizes.revision;
      const found = sizes.find({ unitId: 1, functionCode: 3 });
      assert.deepEqual(found, plain.find());
      const longest = plain.tooLong === undefined ? undefined : plain.answered;
      assert.equal(sizes.list(1)?.[0]?.maximumQuantity, longest);
      const after = toDecisive(found);
      if (next === revision) assert.deepEqual(after, before);
      [revision, before] = [next, after];
    }
  }),
);
