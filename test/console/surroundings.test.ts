import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Text } from '@codemirror/state';
import { stringify } from 'yaml';

import { CURSOR, findSchemas } from '../../daemon/console/forms/editor/schema-at.ts';
import { listSuggestions } from '../../daemon/console/forms/editor/suggestions.ts';
import { cutSurroundings } from '../../daemon/console/forms/editor/surroundings.ts';
import { findCursor } from '../../daemon/console/forms/editor/text-cursor.ts';

const ADDRESS = (table: string, words: readonly string[]) => ({
  properties: { table: { const: table }, unitId: { type: 'integer' }, wordOrder: { enum: words } },
  required: ['table', 'unitId'],
});

const SCHEMA = {
  properties: {
    pid: { type: 'string' },
    channels: {
      items: {
        properties: {
          name: { type: 'string' },
          valueType: { enum: ['INTEGER', 'DOUBLE'] },
          address: { anyOf: [ADDRESS('COILS', ['NONE']), ADDRESS('INPUT_REGISTERS', ['HIGH', 'LOW'])] },
          write: { properties: { minimum: { type: 'number' }, verify: { properties: {} } } },
          tags: { items: { enum: ['a', 'b'] } },
        },
        required: ['name'],
      },
    },
    labels: { properties: { site: { type: 'string' }, hall: { type: 'string' } } },
  },
};

/** Writes an asset whose channel in the middle is the same, however many others there are. */
function createAsset(others: number): unknown {
  const list = (from: string) =>
    Array.from({ length: others }, (_, index) => ({
      name: `${from}${index}`,
      valueType: 'DOUBLE',
      address: { table: 'COILS', unitId: 1 },
      tags: ['a'],
    }));
  const middle = {
    name: 'middle',
    valueType: 'INTEGER',
    address: { table: 'INPUT_REGISTERS', unitId: 7 },
    write: { verify: {} },
    tags: ['b', 'a'],
  };
  return { pid: 'pump', channels: [...list('before'), middle, ...list('behind')], labels: { site: 'x' } };
}

const WRITERS: Readonly<Record<string, (value: unknown) => string>> = {
  YAML: (value) => stringify(value),
  'YAML with dashes below their key': (value) => stringify(value, { indentSeq: false }),
  JSON: (value) => JSON.stringify(value, undefined, 2),
};

/** Returns what is known about an offset of a text; which item of a list it is in does not matter. */
function explain(text: string, offset: number): unknown {
  const cursor = findCursor(Text.of(text.split('\n')), offset);
  if (cursor === undefined) return undefined;
  const { role, word, document } = cursor;
  const path = cursor.path.map((key) => (typeof key === 'number' ? '*' : key));
  const suggestions = listSuggestions(cursor, SCHEMA, () => undefined).map((each) => each.text);
  return { role, word, path, suggestions, schemas: findSchemas(SCHEMA, document, cursor.path) };
}

for (const [name, write] of Object.entries(WRITERS)) {
  test(`wherever somebody is in a large text, the same is known as in a small one: ${name}`, () => {
    const [small, large] = [write(createAsset(1)), write(createAsset(200))];
    assert.ok(small.length < 2_000 && large.length > 20_000);
    const [own, alike] = [small.indexOf('middle'), large.indexOf('middle')];
    const end = small.indexOf('tags', own) + 20 - own;
    for (let step = -10; step < end; step++) {
      const message = large.slice(alike + step - 10, alike + step + 10);
      assert.deepEqual(explain(large, alike + step), explain(small, own + step), message);
    }
    assert.deepEqual(explain(large, 5), explain(small, 5));
    const [labels, likewise] = [small.indexOf('labels'), large.indexOf('labels')];
    for (let step = 0; step < small.length - labels; step++) {
      assert.deepEqual(explain(large, likewise + step), explain(small, labels + step));
    }
  });

  test(`what is cut out does not grow with what stands beside: ${name}`, () => {
    const large = write(createAsset(300));
    const text = Text.of(large.split('\n'));
    const { number, text: marked } = text.lineAt(large.indexOf('middle'));
    const cut = cutSurroundings(text, { number, marked, isJson: name === 'JSON' });
    assert.ok(cut.split('\n').length < 30, cut);
  });
}

test('a remark at another depth and an empty line leave what they stand in as it is', () => {
  const large = stringify(createAsset(300));
  const at = large.indexOf('    valueType: INTEGER');
  const typed = `${large.slice(0, at)}# a remark\n\n    w\n${large.slice(at)}`;
  const cursor = findCursor(Text.of(typed.split('\n')), typed.indexOf('    w\n') + 5);
  assert.deepEqual(cursor?.path, ['channels', 0]);
  assert.deepEqual(cursor.document, {
    pid: 'pump',
    channels: [
      {
        name: 'middle',
        [CURSOR]: null,
        valueType: 'INTEGER',
        address: null,
        write: null,
        tags: null,
      },
    ],
    labels: null,
  });
});
