import assert from 'node:assert/strict';
import { test } from 'node:test';

import { rankInterpretations } from '../../../../../daemon/plant/asset/decode/decode-candidates.ts';
import { MAXIMUM_CANDIDATES } from '../../../../../daemon/interface/plant/commissioning.ts';
import type {
  DecodeCandidate,
  RankOptions,
} from '../../../../../daemon/plant/asset/decode/decode-candidates.ts';
import { distanceTo, plausibilityOf } from '../../../../../daemon/plant/asset/decode/decode-plausibility.ts';
import type { Interpretation } from '../../../../../daemon/channel/driver.ts';
import type { ChannelValue } from '../../../../../daemon/channel/value-type.ts';

const UNSCALED: RankOptions = { valueScale: 1, valueOffset: 0 };

function meaning(dataType: string, value: ChannelValue, isConfigured = false): Interpretation {
  return { address: { dataType }, value, isConfigured };
}

function best(
  interpretations: readonly Interpretation[],
  options: Partial<RankOptions> = {},
): DecodeCandidate {
  const [first] = rankInterpretations(interpretations, { ...UNSCALED, ...options });
  assert.ok(first !== undefined);
  return first;
}

test('rankInterpretations finds the scale that leads to the expected value', () => {
  const found = best([meaning('UINT16', 215), meaning('FLOAT32', 3.4e-38)], { expected: 21.5 });
  assert.deepEqual([found.address['dataType'], found.valueScale, found.value], ['UINT16', 0.1, 21.5]);
});

test('rankInterpretations orders by the distance to the expected value', () => {
  const interpretations = [meaning('INT16', 300), meaning('FLOAT32', 21.25), meaning('UINT16', 23)];
  const ranked = rankInterpretations(interpretations, { ...UNSCALED, expected: 21.5 });
  assert.deepEqual(
    ranked.slice(0, 3).map(({ value }) => value),
    [21.25, 23, 30],
  );
});

test('rankInterpretations without an expected value puts text before fractions before whole numbers', () => {
  const interpretations = [
    meaning('BOOLEAN', true),
    meaning('INT16', 4711),
    meaning('INT64', 0x1234_5678_9abc_def0n),
    meaning('FLOAT32', 21.5),
    meaning('STRING', 'Boiler'),
    meaning('FLOAT64', 4.2e-215),
  ];
  const ranked = rankInterpretations(interpretations, UNSCALED).filter(({ valueScale }) => valueScale === 1);
  assert.deepEqual(
    ranked.map(({ address }) => address['dataType']),
    ['STRING', 'FLOAT32', 'INT16', 'BOOLEAN', 'INT64', 'FLOAT64'],
  );
});

test('rankInterpretations returns a value once, with the other settings that lead to it', () => {
  const ranked = rankInterpretations([meaning('UINT16', 100), meaning('INT16', 100)], UNSCALED);
  const hundred = ranked.filter(({ value }) => value === 100);
  assert.equal(hundred.length, 1);
  assert.deepEqual(hundred[0]?.address, { dataType: 'UINT16' });
  assert.deepEqual(hundred[0]?.alternatives, [
    { address: { dataType: 'INT16' }, valueScale: 1, valueOffset: 0 },
  ]);
  assert.equal(new Set(ranked.map(({ value }) => value)).size, ranked.length);
});

test('rankInterpretations shows an equal value under the configured setting', () => {
  const found = best([meaning('UINT16', 100), meaning('INT16', 100, true)], { expected: 100 });
  assert.deepEqual([found.address['dataType'], found.isConfigured], ['INT16', true]);
});

test('rankInterpretations treats a whole number and its bigint as the same value', () => {
  const ranked = rankInterpretations([meaning('INT32', 7), meaning('INT64', 7n)], UNSCALED);
  assert.equal(ranked.filter(({ value }) => Number(value) === 7).length, 1);
});

test('rankInterpretations applies scale and offset of the channel to the configured interpretation', () => {
  const configured = best([meaning('INT16', 50, true)], { valueScale: 0.5, valueOffset: -4, expected: 21 });
  const { value, valueScale, valueOffset, isConfigured } = configured;
  assert.deepEqual([value, valueScale, valueOffset, isConfigured], [21, 0.5, -4, true]);
});

test('rankInterpretations returns exact decimals', () => {
  const interpretations = [3, Math.fround(21.47), Math.fround(0.12757112)];
  const values = rankInterpretations(
    interpretations.map((value) => meaning('FLOAT32', value)),
    UNSCALED,
  );
  for (const decimal of [0.3, 0.03, 0.003, 21.47, 2.147, 12.757112]) {
    assert.ok(
      values.some(({ value }) => value === decimal),
      String(decimal),
    );
  }
});

test('rankInterpretations keeps every digit of a long number', () => {
  assert.equal(best([meaning('INT64', 9_007_199_254_740_993n)]).value, 9_007_199_254_740_993n);
});

test('rankInterpretations returns a bounded list that contains the configured interpretation', () => {
  const many = Array.from({ length: 300 }, (_, index) => meaning(`TYPE${index}`, 1000.5 + index));
  const ranked = rankInterpretations([...many, meaning('FLOAT32', NaN, true)], UNSCALED);
  assert.equal(ranked.length, MAXIMUM_CANDIDATES);
  assert.equal(ranked.filter(({ isConfigured }) => isConfigured).length, 1);
});

test('rankInterpretations does not scale text, bits and bytes', () => {
  const interpretations = [
    meaning('STRING', 'on'),
    meaning('BOOLEAN', true),
    meaning('BYTES', Buffer.from('a')),
  ];
  const ranked = rankInterpretations(interpretations, UNSCALED);
  assert.deepEqual(
    ranked.map(({ valueScale }) => valueScale),
    [1, 1, 1],
  );
});

test('an expected text finds the text that contains it', () => {
  const found = best([meaning('FLOAT32', 21.5), meaning('STRING', 'Kessel 7 ')], { expected: 'kessel' });
  assert.equal(found.address['dataType'], 'STRING');
});

test('an expected boolean finds bits', () => {
  const found = best([meaning('STRING', 'true'), meaning('BOOLEAN', false), meaning('BOOLEAN', true)], {
    expected: true,
  });
  assert.equal(found.value, true);
});

test('distanceTo is relative to the expected value, and absolute when zero is expected', () => {
  assert.deepEqual([distanceTo(200, 100), distanceTo(0, 3), distanceTo(0, 0n)], [0.5, 3, 0]);
  assert.deepEqual(
    [distanceTo(1, NaN), distanceTo(1, 'x'), distanceTo('x', 1)],
    [Infinity, Infinity, Infinity],
  );
});

test('plausibilityOf ranks fractions of extreme magnitude, zero and non-numbers as unlikely', () => {
  const unlikely = [1e-20, 1e30, 0, NaN, Infinity, '\u0001\u0002'].map((value) => plausibilityOf(value, 0));
  assert.ok(unlikely.every((plausibility) => plausibility < plausibilityOf(123_456, 0)));
});
