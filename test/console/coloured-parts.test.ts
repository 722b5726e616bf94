import assert from 'node:assert/strict';
import { test } from 'node:test';

import { listColouredParts } from '../../daemon/console/forms/editor/coloured-parts.ts';

/** Lists what has a colour in a text, with it. */
function colour(text: string): readonly string[] {
  return [...listColouredParts(text)].map((part) => `${part.colour} ${text.slice(part.from, part.to)}`);
}

test('listColouredParts tells keys from texts in quotes, in YAML and in JSON', () => {
  assert.deepEqual(colour('a b: plain\n"c" : \'d\'\n'), [
    'key a b',
    'sign :',
    'key "c"',
    'sign :',
    "quoted 'd'",
  ]);
  assert.deepEqual(colour('{"a": ["b", 1]}'), [
    'sign {',
    'key "a"',
    'sign :',
    'sign [',
    'quoted "b"',
    'sign ,',
    'sign ]',
    'sign }',
  ]);
});

test('listColouredParts leaves alone what only looks like a sign inside of a text', () => {
  assert.deepEqual(colour('pem: |\n  a: "b" # c\n  - d\n'), ['key pem', 'sign :', 'sign |']);
  assert.deepEqual(colour('- a#b\n- x # y'), ['sign -', 'sign -', 'remark # y']);
});

test('listColouredParts goes on behind what cannot be understood', () => {
  assert.deepEqual(colour('a: [1\nb: "c\n').slice(0, 3), ['key a', 'sign :', 'sign [']);
  assert.deepEqual(colour('a: }\nb: 1').slice(-2), ['key b', 'sign :']);
});
