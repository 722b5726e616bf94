import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chooseScenarios, findChoiceFault, isStored } from './choice.ts';
import type { Choice } from './choice.ts';

const NAMES = ['reads', 'memory'];
const CHOICE: Choice = { only: [], changed: false, store: false, plan: false, quick: false };
const faultOf = (more: Partial<Choice>): string =>
  findChoiceFault({ ...CHOICE, ...more }, NAMES, ['reads']) ?? 'none';

test('options that exclude each other are refused', () => {
  assert.equal(faultOf({}), 'none');
  assert.equal(faultOf({ only: ['reads'], store: true }), 'none');
  assert.match(faultOf({ only: ['write'] }), /^--only write: expected one of reads, memory$/);
  assert.match(faultOf({ only: ['reads'], changed: true }), /^--changed and --only/);
  assert.match(faultOf({ since: 'HEAD' }), /^--since: needs --changed$/);
  assert.match(
    faultOf({ since: 'no-such-commit', changed: true }),
    /^--since no-such-commit: no such commit/,
  );
  assert.match(faultOf({ against: 'no-such-commit' }), /^--against no-such-commit: no such commit/);
  assert.match(faultOf({ store: true, quick: true }), /^--store and --quick/);
});

test('rows are stored of a whole run and of changed scenarios, of chosen ones with --store, and of quick ones never', () => {
  assert.equal(isStored(CHOICE), true);
  assert.equal(isStored({ ...CHOICE, only: ['reads'] }), false);
  assert.equal(isStored({ ...CHOICE, only: ['reads'], store: true }), true);
  assert.equal(isStored({ ...CHOICE, quick: true }), false);
});

test('scenarios are all, those that are named, or those without a run of these sources', () => {
  const scenarios = NAMES.map((name) => ({ name, measures: [] }));
  const chosen = (more: Partial<Choice>): readonly string[] =>
    chooseScenarios({ ...CHOICE, ...more }, scenarios, []).map(({ scenario }) => scenario.name);
  assert.deepEqual(chosen({}), NAMES);
  assert.deepEqual(chosen({ only: ['memory'] }), ['memory']);
  const [first] = chooseScenarios({ ...CHOICE, changed: true }, scenarios, []);
  assert.equal(first?.scenario.name, 'reads');
  assert.match(first.reason ?? '', /no run/);
});
