import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { SplitPolicy, SplitBackoff } from '../../drivers/modbus/read/split-policy.ts';
import type { Span } from '../../drivers/modbus/read/read-plan.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { propertyTest } from './property-test.ts';

const MOST_CUTS = 64;
const MOST_REFUSALS = 24;
const MINIMUM_PAUSE_MS = 5000;

const span = fc.record(
  {
    unitId: fc.constant(1),
    table: fc.constantFrom('COILS' as const, 'HOLDING_REGISTERS' as const),
    offset: fc.nat(20),
    quantity: fc.integer({ min: 1, max: 4 }),
  },
  { noNullPrototype: true },
);

const step = fc.oneof(
  {
    weight: 90,
    arbitrary: fc.record({ kind: fc.constant('refusal' as const), span, isOfAddress: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('answer' as const), span }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('call' as const) }) },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 50, 2500, 5000, 9000),
    }),
  },
);

/** What happened in one call, as a list; each question goes through all of it again. */
type Note =
  | { readonly kind: 'refusal' | 'answer'; readonly key: string; readonly atMs: number }
  | { readonly kind: 'givenUp'; readonly key: string };

interface Pause {
  readonly key: string;
  readonly untilMs: number;
}

class PlainSearch {
  readonly notes: Note[] = [];
  cuts = 0;

  mayAsk(
    key: string,
    isOfAddress: boolean,
    { nowMs, pauses }: { readonly nowMs: number; readonly pauses: Pause[] },
  ) {
    this.notes.push({ kind: 'refusal', key, atMs: nowMs });
    if (this.cuts >= MOST_CUTS) return false;
    if (isOfAddress) return true;
    if (this.isGivenUp(key)) return false;
    const pause = pauses.findLast((one) => one.key === key);
    if (pause !== undefined && nowMs < pause.untilMs) return false;
    const own = this.notes.filter((note) => note.key === key);
    const row = own.slice(own.findLastIndex(({ kind }) => kind === 'answer') + 1);
    const refusals = row.flatMap((note) => (note.kind === 'refusal' ? [note.atMs] : []));
    if (refusals.length < MOST_REFUSALS) return true;
    this.notes.push({ kind: 'givenUp', key });
    const tookMs = nowMs - (refusals[0] ?? nowMs);
    pauses.push({ key, untilMs: nowMs + Math.max(MINIMUM_PAUSE_MS, 10 * tookMs) });
    return false;
  }

  isGivenUp(key: string): boolean {
    return this.notes.some((note) => note.kind === 'givenUp' && note.key === key);
  }
}

const keyOf = ({ unitId, table }: Span): string => `${unitId} ${table}`;

propertyTest(
  'a search goes on as long as a list of all that was refused says, in each call and after each pause',
  fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
    const clock = new ManualClock();
    const splitBackoff = new SplitBackoff(clock);
    const pauses: Pause[] = [];
    let search = new SplitPolicy(splitBackoff, clock);
    let plain = new PlainSearch();
    for (const given of steps) {
      if (given.kind === 'wait') clock.advance(given.ms);
      else if (given.kind === 'call') {
        search = new SplitPolicy(splitBackoff, clock);
        plain = new PlainSearch();
      } else if (given.kind === 'answer') {
        search.recordResponse(given.span);
        plain.notes.push({ kind: 'answer', key: keyOf(given.span), atMs: clock.monotonicMs() });
      } else {
        const nowMs = clock.monotonicMs();
        const expected = plain.mayAsk(keyOf(given.span), given.isOfAddress, { nowMs, pauses });
        assert.equal(search.recordRefusal(given.span, given.isOfAddress), expected);
        if (expected) {
          search.recordSplit();
          plain.cuts += 1;
        }
        assert.equal(search.isFruitless(given.span), plain.isGivenUp(keyOf(given.span)));
        assert.equal(search.hasSplit, plain.cuts > 0);
      }
    }
  }),
);

propertyTest(
  'a device that names addresses is searched without end, but for the cuts of one call',
  fc.property(fc.array(span, { minLength: 1, maxLength: 100, size: 'max' }), (spans) => {
    const clock = new ManualClock();
    const search = new SplitPolicy(new SplitBackoff(clock), clock);
    for (const [index, one] of spans.entries()) {
      assert.equal(search.recordRefusal(one, true), index < MOST_CUTS);
      if (index < MOST_CUTS) search.recordSplit();
      assert.equal(search.isFruitless(one), false);
    }
  }),
);
