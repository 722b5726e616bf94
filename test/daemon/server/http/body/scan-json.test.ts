import assert from 'node:assert/strict';
import { test } from 'node:test';

import { finish } from '../../../../../daemon/base/slices.ts';
import { parseByElements, scanJson } from '../../../../../daemon/server/http/body/scan-json.ts';

const BOUNDS = { maximumDepth: 32, maximumNames: 1000 };
const TEXTS = [
  '[{"a":[1,2]},[3,[4]],"5,]",[],{}, null ]',
  '{"a":[{"b":[1]},2],"c":{"d":[3,{"e":4}]},"f":[],"g":[ ],"h":5,"i":[["x"]]}',
  String.raw`{"a\"[":["\\",",[\"]"],"a\"[":["last"],"__proto__":["own"],"constructor":[1]}`,
  ' [ 1 , 2 ] ',
  '{"a":["0"],"b":["7"]}',
  '["€,𝄞",{"ä]":["ß"]},"é"]',
  '"[1,2]"',
  '12',
  '{}',
  '[]',
];

function outcomeOf(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    assert.ok(error instanceof SyntaxError, String(error));
    return 'malformed';
  }
}

function parseSliced(text: string): unknown {
  const bytes = Buffer.from(text);
  const { lists } = finish(scanJson(bytes, BOUNDS));
  if (lists === undefined) throw new SyntaxError('brackets do not match');
  return finish(parseByElements(bytes, lists, (part) => JSON.parse(part) as unknown));
}

test('a text that is parsed by elements has the same value as at once, and is refused where it is refused at once', () => {
  const alphabet = ['', ',', '[', ']', '{', '}', '"', ':', '1', ' ', '\\', '\u00a0'];
  let refused = 0;
  for (const text of TEXTS) {
    for (let index = -1; index < text.length; index += 1) {
      for (const other of index < 0 ? [''] : alphabet) {
        const replaced = index < 0 ? text : `${text.slice(0, index)}${other}${text.slice(index + 1)}`;
        // Half of a surrogate pair may be left, which UTF-8 cannot hold.
        const changed = replaced.toWellFormed();
        const expected = outcomeOf(() => JSON.parse(changed) as unknown);
        assert.deepEqual(
          outcomeOf(() => parseSliced(changed)),
          expected,
          changed,
        );
        if (expected === 'malformed') refused += 1;
      }
    }
  }
  assert.ok(refused > 1000);
});

test('elements are parsed one by one, so that others have their turn in between', () => {
  const parts: string[] = [];
  const text = Buffer.from('{"assets":[{"pid":"a"},{"pid":"b"}],"rest":{"x":[1]}}');
  const { lists = [] } = finish(scanJson(text, BOUNDS));
  const work = parseByElements(text, lists, (part) => {
    parts.push(part);
    return JSON.parse(part) as unknown;
  });
  let turns = 0;
  while (work.next().done !== true) turns += 1;
  assert.deepEqual(parts, ['{"assets":["0"],"rest":{"x":[1]}}', '{"pid":"a"}', '{"pid":"b"}']);
  assert.equal(turns, 2);
});

test('names are counted once, also those that are on both sides of a slice', () => {
  for (let length = 65_500; length < 65_560; length += 1) {
    const text = Buffer.from(`["${'x'.repeat(length)}",{"name":1,"other":2},{"name":3,"ä":4}]`);
    assert.equal(finish(scanJson(text, BOUNDS)).names, 3, String(length));
  }
});
