import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MAXIMUM_YAML_BYTES, parseYaml, YamlError } from '../../../daemon/settings/yaml-document.ts';
import type { YamlDocument } from '../../../daemon/settings/yaml-document.ts';

const parse = (text: string): YamlDocument => parseYaml(Buffer.from(text));

function refusalOf(content: string | Uint8Array): YamlError {
  try {
    parseYaml(Buffer.from(content));
  } catch (error) {
    assert.ok(error instanceof YamlError);
    assert.equal(error.code, 'YAML_INVALID');
    return error;
  }
  return assert.fail('the text was accepted');
}

test('parseYaml reads YAML and JSON as plain data', () => {
  assert.deepEqual(parse('a: [1, 2.5, true, null, "x"]\nb: {c: no}\n').value, {
    a: [1, 2.5, true, null, 'x'],
    b: { c: 'no' },
  });
  assert.deepEqual(parse('{"a": {"b": [1]}}').value, { a: { b: [1] } });
});

test('parseYaml reads a text without content as null', () => {
  assert.equal(parse('# nothing\n').value, null);
});

test('parseYaml accepts a byte order mark', () => {
  assert.deepEqual(parse('\uFEFFa: 1\n').value, { a: 1 });
});

test('parseYaml repeats the value that an alias names', () => {
  assert.deepEqual(parse('a: &x {p: 1}\nb: *x\n').value, { a: { p: 1 }, b: { p: 1 } });
});

test('parseYaml keeps a key with the name of a prototype as an ordinary key', () => {
  const { value } = parse('__proto__: {polluted: 1}\n');
  assert.deepEqual(Object.keys(value as object), ['__proto__']);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

const FAULTY: readonly (readonly [name: string, text: string, line: number, column: number])[] = [
  ['a missing quote', 'a: 1\nb: "x\n', 3, 1],
  ['a tab as indentation', 'a:\n\tb: 1\n', 2, 1],
  ['two keys on one line', 'a: 1\nb: c: 2\n', 2, 4],
  ['a repeated key', 'a: 1\nb:\n  c: 1\n  c: 2\n', 4, 3],
  ['a tag', 'a: 1\nb: !!binary aGk=\n', 2, 4],
  ['a second document', 'a: 1\n---\nb: 1\n', 2, 1],
  ['an alias without anchor', 'a: 1\nb: *x\n', 2, 4],
  ['an alias inside its own anchor', 'a: &x\n  b: *x\n', 2, 6],
  ['a mapping as key', '? {a: 1}\n: 2\n', 1, 3],
];
for (const [name, text, line, column] of FAULTY) {
  test(`parseYaml refuses ${name} and reports the position`, () => {
    assert.deepEqual(refusalOf(text).position, { line, column });
  });
}

test('parseYaml refuses nesting beyond 32 levels', () => {
  assert.deepEqual(refusalOf('[\n'.repeat(40) + ']'.repeat(40)).position.line, 34);
  refusalOf('['.repeat(100_000));
});

test('parseYaml refuses aliases that repeat too much', () => {
  const levels = 'bcdefghi'.split('').map((name, index) => {
    const previous = `*${'abcdefgh'.charAt(index)}`;
    return `${name}: &${name} [${Array.from({ length: 9 }, () => previous).join(', ')}]`;
  });
  const { reason } = refusalOf(['a: &a [x, x, x]', ...levels].join('\n'));
  assert.equal(reason.code, 'YAML_ALIASES_TOO_MANY');
});

test('parseYaml refuses aliases that repeat a long text', () => {
  const text = `a: &a ${'x'.repeat(50_000)}\nb: [${Array.from({ length: 30 }, () => '*a').join(', ')}]`;
  assert.equal(refusalOf(text).reason.code, 'YAML_ALIASES_TOO_MANY');
});

test('parseYaml refuses text that is not UTF-8', () => {
  refusalOf(Uint8Array.of(0x61, 0x3a, 0x20, 0xe9, 0x0a));
});

test('parseYaml refuses more than 16 MiB before it parses', () => {
  refusalOf(new Uint8Array(MAXIMUM_YAML_BYTES + 1));
});

test('parseYaml finds repeated keys of a long mapping in linear time', () => {
  const text = Array.from({ length: 50_000 }, (_, index) => `key${index}: 1`).join('\n');
  assert.deepEqual(refusalOf(`${text}\nkey7: 1\n`).position, { line: 50_001, column: 1 });
});

test('an error of parseYaml quotes no value', () => {
  const texts = [
    'password: "hunter2\nfoo: bar\n',
    'password: hunter2: x\n',
    'password: {a: hunter2 b: c: d\n',
    'password: @hunter2\n',
    'password: "\\qhunter2"\n',
    'password: !hunter2 x\n',
    'password: hunter2\n]hunter2\n',
    'password: *hunter2\n',
  ];
  for (const text of texts) assert.doesNotMatch(refusalOf(text).detail, /hunter2/, text);
});

test('parseYaml refuses NUL and half of a surrogate pair, and names the line', () => {
  for (const value of [
    String.raw`"\0"`,
    String.raw`"a\x00"`,
    String.raw`"\ud800"`,
    String.raw`{"\u0000": 1}`,
  ]) {
    assert.equal(refusalOf(`a: 1\nb: ${value}\n`).position.line, 2, value);
  }
});
