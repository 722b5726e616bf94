import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Text } from '@codemirror/state';
import { CST, Lexer, stringify } from 'yaml';

import { colourLine, FIRST_LINE } from '../../daemon/console/forms/editor/coloured-parts.ts';
import { LineStates } from '../../daemon/console/forms/editor/line-states.ts';

/** Lists what has a colour in a text, with it, line by line. */
function colour(text: string): readonly string[] {
  let state = FIRST_LINE;
  return text.split('\n').flatMap((line) => {
    const { parts, after } = colourLine(line, state);
    state = after;
    return parts.map((part) => `${part.colour} ${line.slice(part.from, part.to)}`);
  });
}

test('colourLine tells keys from texts in quotes, in YAML and in JSON', () => {
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

test('colourLine leaves alone what only looks like a sign inside of a text', () => {
  assert.deepEqual(colour('pem: |\n  a: "b" # c\n\n  - d\n'), ['key pem', 'sign :', 'sign |']);
  assert.deepEqual(colour('- a#b\n- x # y'), ['sign -', 'sign -', 'remark # y']);
  assert.deepEqual(colour('a: b:c, d\n- -1\n'), ['key a', 'sign :', 'sign -']);
});

test('colourLine goes on behind what cannot be understood', () => {
  assert.deepEqual(colour('a: [1\nb: "c\n').slice(0, 3), ['key a', 'sign :', 'sign [']);
  assert.deepEqual(colour('a: }\nb: 1').slice(-2), ['key b', 'sign :']);
  // While the end of a text in quotes is typed, what follows keeps its colours.
  assert.deepEqual(colour('a: "b\nc: 1').slice(-2), ['key c', 'sign :']);
  assert.deepEqual(colour('{\n  "a": "b,\n  "c": 1').slice(-2), ['key "c"', 'sign :']);
});

test('colourLine follows a text over lines until one that is not deeper', () => {
  assert.deepEqual(colour('- a: "b\n    \\" c"\n  d: \'e\n    f'), [
    'sign -',
    'key a',
    'sign :',
    'quoted "b',
    'quoted \\" c"',
    'key d',
    'sign :',
    "quoted 'e",
    'quoted f',
  ]);
  assert.deepEqual(colour('- >-\n  a: b\n- |\n  c: d\ne: 1'), [
    'sign -',
    'sign >-',
    'sign -',
    'sign |',
    'key e',
    'sign :',
  ]);
});

test('colourLine colours written documents as the scanner of the YAML library does', () => {
  const value = {
    pid: 'a',
    'key with spaces': ['x', "it's: {", '- no', '# no', '', null, 1.5, true, 'line\nbreak: x\n\n  deeper\n'],
    "it's": { 'a:b': 'c: d', nested: [[1, [2]], { a: {}, b: [], 'c # d': '"' }] },
    long: 'word '.repeat(60),
    quoted: `"${'word: '.repeat(60)}`,
  };
  for (const text of [
    stringify(value),
    stringify(value, { lineWidth: 40, indentSeq: false }),
    stringify(value, { defaultStringType: 'QUOTE_SINGLE' }),
    JSON.stringify(value, undefined, 2),
    JSON.stringify(value),
    `${stringify(value, { collectionStyle: 'flow', lineWidth: 0 })}# end\n`,
  ]) {
    assert.deepEqual(colour(text), scan(text), text);
  }
});

/** Lists what has a colour as the YAML library scans a text, line by line. */
function scan(text: string): readonly string[] {
  const found: { readonly colour: string; readonly text: string }[] = [];
  const colours: Readonly<Record<string, string>> = {
    comment: 'remark',
    'single-quoted-scalar': 'quoted',
    'double-quoted-scalar': 'quoted',
    'block-scalar-header': 'sign',
    comma: 'sign',
  };
  let isWords = false;
  for (const token of new Lexer().lex(text)) {
    const type = isWords ? 'scalar' : (CST.tokenType(token) ?? '');
    isWords = token === CST.SCALAR;
    if (type === 'map-value-ind') {
      const key = found.findLast((each) => each.text.trim() !== '');
      if (key !== undefined) found[found.lastIndexOf(key)] = { ...key, colour: 'key' };
    }
    const isSign = type.endsWith('-ind') || /^flow-(?:map|seq)-(?:start|end)$/.test(type);
    found.push({ colour: isSign ? 'sign' : (colours[type] ?? ''), text: token });
  }
  return found.flatMap((part) =>
    part.colour === ''
      ? []
      : part.text
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== '')
          .map((line) => `${part.colour} ${line}`),
  );
}

test('LineStates reads only changed parts again, and ends when its time is over', () => {
  const item = (index: number) => [
    `- name: channel${index}`,
    '  text: |',
    '    "not',
    '  list: [1,',
    '    2]',
  ];
  const lines = Array.from({ length: 4000 }, (_, index) => item(index)).flat();
  const before = Text.of(lines);
  const states = new LineStates();
  const known = states.find(before, 20_000, () => false);
  assert.deepEqual(known, { brackets: 1, scalar: '', indent: 0 });
  const { from } = before.line(10_000);
  const after = before.replace(from, from, Text.of(['x', '']));
  assert.deepEqual(
    new LineStates().find(after, 20_001, () => true),
    undefined,
  );
  let parts = 0;
  const count = (): boolean => {
    parts += 1;
    return false;
  };
  assert.deepEqual(states.find(after, 20_001, count), known);
  assert.ok(parts > 0 && parts < 10, String(parts));
});
