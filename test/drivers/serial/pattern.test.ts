import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPattern, MAXIMUM_TEXT_LENGTH } from '../../../drivers/serial/pattern.ts';
import { PatternFault } from '../../../drivers/serial/pattern-program.ts';
import { createRandom } from '../../support/random.ts';

function pick<T>(random: () => number, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}

/** Creates a pattern; `nesting` groups at most lie in each other. */
function makePattern(random: () => number, nesting: number): string {
  const makePart = (): string => {
    const atoms = ['a', 'b', '.', '[ab]', '[^a]', '[a-c]', '\\d', '\\s', '\\x61', '1', '\\.'];
    const isGroup = nesting > 0 && random() < 0.3;
    const atom = isGroup ? `(?:a${makePattern(random, nesting - 1)})` : pick(random, atoms);
    return atom + pick(random, ['', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '+?', '??']);
  };
  const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, makePart).join('');
  return random() < 0.2 ? `${parts}|${makePart()}` : parts;
}

test('a pattern finds and captures the same as a regular expression of JavaScript', () => {
  const random = createRandom(7);
  for (let round = 0; round < 4000; round += 1) {
    const begin = pick(random, ['', '', '^']);
    const end = pick(random, ['', '', '$']);
    const inner = [makePattern(random, 2), makePattern(random, 1), makePattern(random, 1)];
    const source = `${begin}(?:${inner[0]})(${inner[1]})(?:${inner[2]})${end}`;
    const text = Array.from({ length: Math.floor(random() * 10) }, () =>
      pick(random, ['a', 'b', 'c', '1', ' ', '.']),
    ).join('');
    const expected = new RegExp(source).exec(text);
    const actual = createPattern(source).match(text);
    const context = `${source} on "${text}"`;
    assert.equal(actual === undefined, expected === null, context);
    assert.equal(actual?.captured, expected?.[1], context);
  }
});

test('a pattern may end with a quantifier', () => {
  for (const quantifier of ['*', '+', '?', '{1}', '{1,}', '*?', '+?', '??', '{0,1}?']) {
    assert.deepEqual(createPattern(`(a)b${quantifier}`).match('ab'), { captured: 'a' }, quantifier);
  }
});

test('a text built to exhaust the pattern is settled at once', () => {
  const hostile = `${'a'.repeat(MAXIMUM_TEXT_LENGTH - 1)}!`;
  for (const source of ['((?:a+)+)$', '(?:a|a)*b', '(?:a*)*b', 'a*a*a*a*a*a*b', '(?:.*a){20}b']) {
    assert.equal(createPattern(source).match(hostile), undefined, source);
  }
});

test('a text longer than the limit does not match', () => {
  const pattern = createPattern('a');
  assert.deepEqual(pattern.match('a'.repeat(MAXIMUM_TEXT_LENGTH)), { captured: undefined });
  assert.equal(pattern.match('a'.repeat(MAXIMUM_TEXT_LENGTH + 1)), undefined);
});

test('a pattern that cannot be used is refused', () => {
  const unusable = [
    '(a)(b)',
    '(a)+',
    '(?:(a))*',
    '(?=a)',
    '(?<name>a)',
    '\\1',
    '\\b',
    '\\xg1',
    '(a',
    'a)',
    '[a',
    '[b-a]',
    '*a',
    'a**',
    '^*',
    'a{2',
    'a{3,2}',
    'a{256}',
    '(?:a{255}){255}',
    'a\\',
    'a'.repeat(257),
  ];
  for (const source of unusable) assert.throws(() => createPattern(source), PatternFault, source);
});

test('the number of capture groups is told', () => {
  assert.equal(createPattern('^OK$').captureCount, 0);
  assert.equal(createPattern('^W(?:EIGHT)? ([0-9.]+)').captureCount, 1);
});
