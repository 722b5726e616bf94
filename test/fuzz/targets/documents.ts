import assert from 'node:assert/strict';
import { DocumentError } from '../../../daemon/base/document-error.ts';
import { InvalidRequest } from '../../../daemon/base/errors.ts';
import { formatArray, parseArray, ArrayTextFault } from '../../../daemon/channel/array-text.ts';
import { formatValue, parseValue } from '../../../daemon/channel/value-json.ts';
import { VALUE_TYPES } from '../../../daemon/channel/value-type.ts';
import { describeChannel } from '../../../daemon/configuration/document-schema.ts';
import { finish } from '../../../daemon/base/slices.ts';
import { parseJson } from '../../../daemon/server/http/body/json-body.ts';
import { formatTagSheet, parseTagSheet } from '../../support/tag-sheets.ts';
import { parseYaml, YamlError } from '../../../daemon/settings/yaml-document.ts';
import { findPosition } from '../../../daemon/settings/yaml-positions.ts';
import { createDriverFactories } from '../../../drivers/index.ts';
import { parseIndexRange } from '../../../drivers/opcua/value/index-range.ts';
import { parseNodeId } from '../../../drivers/opcua/value/node-id.ts';
import { splitJsonArray } from '../../../drivers/opcua/value/array-value.ts';
import { attempt, show } from '../fuzz-target.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

type Path = readonly (string | number)[];

function* listPaths(value: unknown, path: Path = []): Generator<Path> {
  yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value))
    yield* listPaths(part, [...path, Array.isArray(value) ? Number(key) : key]);
}

const yaml: FuzzTarget = {
  name: 'yaml',
  seeds: [
    'assets:\n  - pid: a\n    channels: [{ name: x, address: { offset: 1 } }]\n# c\nb: &x "t\\n"\nc: *x\n',
    '{"a":[1,2.5,null,true,"x"]}',
    'a: |\n  text\nb: >-\n  more\n---\n',
    '- 1\n- ? a\n  : b\n',
  ],
  words: [
    '\n',
    ': ',
    '- ',
    '&a ',
    '*a',
    '!!str ',
    '? ',
    '"',
    "'",
    '|\n',
    '{',
    '}',
    '[',
    ']',
    '# ',
    '---\n',
    '...\n',
    '%YAML 1.2\n',
    '\t',
    '__proto__',
    '<<: ',
    '\\u0000',
    '\u{FEFF}',
    '0x1f',
    '.inf',
  ],
  run(input) {
    const read = attempt([YamlError], () => parseYaml(input));
    if (!('value' in read)) return show(read);
    const { value, positions } = read.value;
    const lines = input.toString('utf8').split(/\r\n|\n|\r/).length;
    const places = [...listPaths(value)].map((path) => {
      const { line, column } = findPosition(value, positions, path);
      assert.ok(line >= 1 && line <= lines && column >= 1, `${path.join('.')} at ${line}:${column}`);
      return [line, column];
    });
    return show([value, places]);
  },
};

const json: FuzzTarget = {
  name: 'json-body',
  seeds: ['{"a":[1,-2.5e3,9007199254740993,"\\u00e9\\ud83d\\ude00",null,true]}', '[[[[]]]]'],
  words: [
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '\\u0000',
    '\\ud800',
    '\\',
    '1234567890123456789',
    '1e999',
    '-0',
    '"__proto__":',
    '\u{FEFF}',
    '[[',
  ],
  run(input) {
    const read = attempt([InvalidRequest], () => finish(parseJson([input])));
    if (!('value' in read)) return show(read);
    const known: unknown = JSON.parse(input.toString('utf8').replace(/^\u{FEFF}/u, ''));
    const rounded: unknown = JSON.parse(
      JSON.stringify(read.value, (_key, value: unknown) =>
        typeof value === 'bigint' ? Number(value) : value,
      ),
    );
    assert.equal(show(rounded), show(JSON.parse(JSON.stringify(known))));
    return show(read);
  },
};

const SCHEMA = describeChannel(createDriverFactories());

const sheet: FuzzTarget = {
  name: 'tag-sheet',
  seeds: [
    'name,type,valueType,valueScale,isEnabled,address.offset,address.table\r\nflow,READ,FLOAT,0.1,TRUE,7,COILS\r\n',
    'name;address\r\na;"json:{""offset"":1}"\r\n',
    'name\taddress.response\nx\tjson:{"pattern":"(a)"}\n',
  ],
  words: [
    ',',
    ';',
    '\t',
    '\r\n',
    '"',
    '""',
    'json:',
    'json:{}',
    'address.',
    'address.offset',
    'name',
    'true',
    '1e400',
    '__proto__',
    '\0',
  ],
  run(input) {
    const read = attempt([DocumentError], () => parseTagSheet(input.toString('utf8'), SCHEMA));
    if (!('value' in read)) return show(read);
    const channels = read.value.channels.filter((channel) => Object.keys(channel as object).length > 0);
    const again = attempt([DocumentError], () => parseTagSheet(formatTagSheet(channels, SCHEMA), SCHEMA));
    if ('value' in again) assert.deepEqual(again.value.channels, channels);
    return show([read, again]);
  },
};

const ELEMENT_KINDS = ['BOOLEAN', 'BYTES', 'FLOAT32', 'FLOAT64', 'INTEGER', 'STRING'] as const;

const values: FuzzTarget = {
  name: 'value-texts',
  seeds: [
    '[1,2.5,"x"]',
    '["AA==","TRUE"]',
    '-9223372036854775808',
    'ns=2;s=Boiler.Level',
    'nsu=http://a%3Bb;i=5',
    '1,2:4',
    '1e-7',
    '["NaN",-0]',
  ],
  words: [
    '[',
    ']',
    ',',
    '"',
    '\\u0041',
    '\\',
    'Infinity',
    '1e400',
    '.',
    '-',
    'true',
    'ns=',
    'nsu=',
    ';i=',
    ';b=',
    ':',
  ],
  run(input) {
    const text = input.toString('utf8');
    const own = VALUE_TYPES.map((type) => {
      const value = parseValue(type, text);
      if (value === undefined) return [];
      const written = formatValue(type, value);
      const plain = JSON.parse(written) as unknown;
      const back = parseValue(type, typeof plain === 'string' ? plain : written);
      assert.ok(back !== undefined);
      assert.equal(formatValue(type, back), written);
      return [type, written];
    });
    const arrays = ELEMENT_KINDS.map((kind) => {
      const elements = parseArray(kind, text);
      if (elements instanceof ArrayTextFault) return elements.code;
      const written = formatArray(kind, elements);
      const back = parseArray(kind, written, elements.length);
      assert.ok(!(back instanceof ArrayTextFault));
      // What is too large for a 32-bit float is refused later.
      if (kind !== 'FLOAT32') assert.equal(formatArray(kind, back), written);
      return written;
    });
    const parts = splitJsonArray(text);
    if (Array.isArray(tryJson(text))) assert.equal(parts?.length, (tryJson(text) as unknown[]).length);
    return show([own, arrays, parts, parseNodeId(text), parseIndexRange(text)]);
  },
};

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What is written by hand, and what programs write. */
export const DOCUMENTS: readonly FuzzTarget[] = [yaml, json, sheet, values];
