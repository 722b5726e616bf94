import assert from 'node:assert/strict';

import * as fc from 'fast-check';
import { stringify } from 'yaml';

import { DocumentError } from '../../daemon/base/document-error.ts';
import { z } from '../../daemon/base/schema.ts';
import { describeChannel } from '../../daemon/configuration/document-schema.ts';
import { formatCsv, parseCsv } from '../../daemon/base/text/csv.ts';
import { formatTagSheet, parseTagSheet } from '../support/tag-sheets.ts';
import { parseYaml, YamlError } from '../../daemon/settings/yaml-document.ts';
import { findPosition } from '../../daemon/settings/yaml-positions.ts';
import { createDriverFactories } from '../../drivers/index.ts';
import { propertyTest } from './property-test.ts';

const cell = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', '"', ',', ';', '\t', '\r', '\n', ' ', '\u{FEFF}', 'é', '=', '1'),
    maxLength: 6,
  }),
  fc.string({ unit: 'binary', maxLength: 4 }).filter((text) => !text.includes('\0')),
);

propertyTest(
  'a table is read back cell by cell, without its empty rows',
  fc.property(
    fc
      .integer({ min: 1, max: 4 })
      .chain((columns) =>
        fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { maxLength: 5 }),
      ),
    (rows) => {
      // The first row says what separates all of them.
      fc.pre(rows.length > 0 && (rows[0] ?? []).length > 1);
      const expected = rows.filter((cells) => cells.some((one) => one !== ''));
      assert.deepEqual(
        parseCsv(formatCsv(rows)).map(({ cells }) => cells),
        expected,
      );
    },
  ),
  5,
);

propertyTest(
  'any text is a table or refused with the row, and what was read is read again from what is written',
  fc.property(
    fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\r', '\n', ' '), maxLength: 16 }),
    (text) => {
      let rows: readonly (readonly string[])[];
      try {
        rows = parseCsv(text).map(({ cells }) => cells);
      } catch (error) {
        assert.ok(error instanceof DocumentError);
        return;
      }
      const header = Array.from({ length: Math.max(2, ...rows.map((cells) => cells.length)) }, () => 'x');
      assert.deepEqual(
        parseCsv(formatCsv([header, ...rows]))
          .slice(1)
          .map(({ cells }) => cells),
        rows,
      );
    },
  ),
  5,
);

const [factory] = createDriverFactories();
assert.ok(factory);
const addressSchema = z.strictObject({
  unitId: z.int().default(1),
  text: z.string().optional(),
  number: z.number().optional(),
  either: z.union([z.string(), z.number(), z.boolean()]).optional(),
  response: z.strictObject({ pattern: z.string().optional(), length: z.int().optional() }).optional(),
  list: z.array(z.int()).nullable().optional(),
});
const SCHEMA = describeChannel([{ ...factory, addressSchema }]);

const text = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.string(),
    fc.constantFrom(
      '',
      'true',
      'TRUE',
      '1',
      '-0',
      '1e5',
      'null',
      'json:',
      'json:x',
      'json:"x"',
      'json:{',
      '=1+1',
      ' a ',
      '0x10',
      '١',
    ),
  )
  .filter((one) => !one.includes('\0') && one.isWellFormed());
const number = fc
  .oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger())
  .map((one) => (one === 0 ? 0 : one));
const optional = { requiredKeys: ['name', 'type'] as ('name' | 'type')[], noNullPrototype: true };
const channel = fc.record(
  {
    name: text.filter((one) => one !== ''),
    type: fc.constant('READ'),
    description: text,
    isEnabled: fc.oneof(fc.boolean(), text),
    valueScale: fc.oneof(number, text),
    address: fc.record(
      {
        unitId: number,
        text,
        number: fc.oneof(number, fc.boolean(), fc.constant(null)),
        either: fc.oneof(text, number, fc.boolean()),
        response: fc.oneof(
          fc.record({ pattern: text, length: number }, { requiredKeys: [], noNullPrototype: true }),
          fc.constant(null),
        ),
        list: fc.oneof(fc.array(number, { maxLength: 3 }), fc.constant(null)),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
  optional,
);

propertyTest(
  'a tag sheet gives back exactly the channels that it was written from',
  fc.property(fc.array(channel, { maxLength: 4 }), (channels) => {
    const sheet = parseTagSheet(formatTagSheet(channels, SCHEMA), SCHEMA);
    assert.deepEqual(sheet.channels, channels);
    assert.equal(sheet.rows.length, channels.length);
  }),
  5,
);

type Tree = string | number | boolean | null | readonly Tree[] | { readonly [key: string]: Tree };
const key = fc.stringMatching(/^[a-z][a-z_-]{0,5}$/);
const tree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree; leaf: Tree; list: Tree; map: Tree }>((tie) => ({
  tree: fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('list'), tie('map')),
  leaf: fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }).filter((one) => one.isWellFormed() && !one.includes('\0')),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('no', 'null', '~', '1', '0o7', '- a', 'a: b', '#', '|', 'a\nb\n', '&a', '*a', '!t'),
  ),
  list: fc.array(tie('tree'), { maxLength: 4 }),
  map: fc.dictionary(key, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
})).tree;

function* listPaths(
  value: Tree,
  path: readonly (string | number)[] = [],
): Generator<readonly (string | number)[]> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  const parts = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [name, part] of parts as [string | number, Tree][]) yield* listPaths(part, [...path, name]);
}

const asData = (value: Tree): unknown => JSON.parse(JSON.stringify(value));

propertyTest(
  'YAML and JSON are read as the data that they were written from',
  fc.property(tree, fc.boolean(), (value, isJson) => {
    const written = isJson ? JSON.stringify(value) : stringify(value);
    assert.deepEqual(parseYaml(Buffer.from(written)).value, asData(value));
  }),
  5,
);

propertyTest(
  'the position of a part is the line that holds it, however it is written',
  fc.property(
    tree.filter((value) => typeof value === 'object' && value !== null),
    fc.boolean(),
    (value, isJson) => {
      const written = isJson ? JSON.stringify(value, null, 2) : stringify(value);
      const lines = written.split('\n');
      const { value: read, positions } = parseYaml(Buffer.from(written));
      for (const path of listPaths(value)) {
        const name = path.at(-1);
        if (typeof name !== 'string') continue;
        const { line, column } = findPosition(read, positions, path);
        assert.ok(
          /^["']?/.test(lines[line - 1] ?? '') &&
            (lines[line - 1] ?? '')
              .slice(column - 1)
              .replace(/^["']/, '')
              .startsWith(name),
          `${path.join('.')} at ${line}:${column} of\n${written}`,
        );
      }
    },
  ),
  5,
);

propertyTest(
  'a fault put into one line is told with that line',
  fc.property(
    fc.array(key, { minLength: 1, maxLength: 8 }),
    fc.nat(),
    fc.constantFrom('a: *none', 'a: "\\q"', 'a: !tag x', 'a: "\\uD800"', 'k: 1\nk: 2'),
    (keys, at, fault) => {
      const lines = keys.map((name, index) => `${name}${'abcdefgh'[index]}: ${index}`);
      const place = at % (lines.length + 1);
      lines.splice(place, 0, fault);
      const line = place + fault.split('\n').length;
      assert.throws(
        () => parseYaml(Buffer.from(lines.join('\n'))),
        (error) => error instanceof YamlError && error.position.line === line,
      );
    },
  ),
);
