import assert from 'node:assert/strict';

import * as fc from 'fast-check';

import { createPattern } from '../../drivers/serial/pattern.ts';
import { PatternFault } from '../../drivers/serial/pattern-program.ts';
import { propertyTest } from './property-test.ts';

const atom = fc.constantFrom(
  'a',
  'b',
  '1',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '\\D',
  '[ab]',
  '[^a]',
  '[a-c1]',
  '[\\d.-]',
  '\\.',
  '\\x61',
  '\\n',
  ' ',
);
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '{1,3}');
const laziness = fc.constantFrom('', '', '?');

// What both engines know, without the group that captures.
const createPlain = (isFirstFixed: boolean): fc.Arbitrary<string> =>
  fc.letrec<{ sequence: string; piece: string }>((tie) => ({
    sequence: fc.array(tie('piece'), { maxLength: 4 }).map((pieces) => pieces.join('')),
    piece: fc.oneof(
      { maxDepth: 2, withCrossShrink: true },
      fc
        .tuple(atom, quantifier, laziness)
        .map(([one, times, lazy]) => `${one}${times}${times === '' ? '' : lazy}`),
      fc.constantFrom('^', '$'),
      fc
        .tuple(tie('sequence'), tie('sequence'), quantifier, laziness, atom)
        .map(([one, other, times, lazy, first]) => {
          const before = isFirstFixed && times !== '' ? first : '';
          return `(?:${before}${one}|${before}${other})${times}${times === '' ? '' : lazy}`;
        }),
    ),
  })).sequence;

const createSource = (isFirstFixed: boolean): fc.Arbitrary<string> => {
  const plain = createPlain(isFirstFixed);
  return fc
    .tuple(plain, plain, plain, plain)
    .map(
      ([before, first, second, after]) => `${before}(${first}${second === '' ? '' : `|${second}`})${after}`,
    )
    .filter((source) => source.length <= 80);
};

const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', '1', '2', '.', ' ', '\n', '-', 'é'),
  maxLength: 8,
});

function compile(source: string): ReturnType<typeof createPattern> | undefined {
  try {
    return createPattern(source);
  } catch (error) {
    // Repeats of repeats have too many steps.
    assert.ok(error instanceof PatternFault && error.message.includes('steps'));
    return undefined;
  }
}

propertyTest(
  'a pattern matches where the engine of JavaScript does',
  fc.property(createSource(false), text, (source, given) => {
    const own = compile(source);
    if (own !== undefined) assert.equal(own.match(given) !== undefined, new RegExp(source).test(given));
  }),
  10,
);

propertyTest(
  'a pattern captures what the engine of JavaScript does, unless it repeats what may be empty',
  // There JavaScript tries the other ways of a group before it takes an empty one.
  fc.property(createSource(true), text, (source, given) => {
    const own = compile(source);
    if (own !== undefined) assert.equal(own.match(given)?.captured, new RegExp(source).exec(given)?.[1]);
  }),
  10,
);

propertyTest(
  'whatever a pattern is, it is compiled or refused, and then it is one for JavaScript as well',
  fc.property(
    fc.string({
      unit: fc.constantFrom(
        'a',
        '(',
        ')',
        '[',
        ']',
        '|',
        '?',
        '*',
        '+',
        '{',
        '}',
        '1',
        ',',
        '\\',
        'd',
        'x',
        '^',
        '$',
        '-',
        ':',
      ),
      maxLength: 10,
    }),
    text,
    (source, given) => {
      let own: ReturnType<typeof createPattern>;
      try {
        own = createPattern(source);
      } catch (error) {
        assert.ok(error instanceof PatternFault);
        return;
      }
      const expected = new RegExp(source).exec(given);
      const found = own.match(given);
      assert.equal(found !== undefined, expected !== null);
      if (expected !== null) assert.equal(found?.captured, expected[1]);
    },
  ),
  10,
);
