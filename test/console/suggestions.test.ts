import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Text } from '@codemirror/state';

import { describeDocument } from '../../daemon/configuration/document-schema.ts';
import { narrowAddresses } from '../../daemon/console/forms/editor/schema-at.ts';
import { listSuggestions } from '../../daemon/console/forms/editor/suggestions.ts';
import { findCursor } from '../../daemon/console/forms/editor/text-cursor.ts';
import type { Schema } from '../../daemon/console/forms/schema.ts';
import { createDriverFactories } from '../../drivers/index.ts';

const WHOLE = describeDocument(createDriverFactories()) as Schema;
const DRIVER = WHOLE.properties?.['drivers']?.items ?? {};
const ASSET = WHOLE.properties?.['assets']?.items ?? {};

/** Lists what is written for each suggestion where `|` is in a text. */
function suggest(marked: string, schema: Schema): readonly string[] {
  const lines = marked.replace('|', '').split('\n');
  const cursor = findCursor(Text.of(lines), marked.indexOf('|'));
  const names = (path: readonly (string | number)[]) => (path.at(-1) === 'driver' ? ['plant'] : undefined);
  return cursor === undefined ? [] : listSuggestions(cursor, schema, names).map(({ text }) => text);
}

test('listSuggestions lists the keys of the kind of driver that a text has, without those that are there', () => {
  const keys = suggest('type: modbus\ntransport: rtu\nba|', DRIVER);
  assert.deepEqual(keys.slice(0, 2), ['pid: ', 'device: '], 'keys that are needed first');
  assert.ok(keys.includes('baudRate: '));
  assert.ok(!keys.includes('host: ') && !keys.includes('type: ') && !keys.includes('endpointUrl: '));
  assert.ok(suggest('pid: a\ntype: opcua\n|', DRIVER).includes('endpointUrl: '));
});

test('listSuggestions lists every value of the key that tells the kinds apart', () => {
  const TRANSPORTS = ['tcp', 'tcp-tls', 'udp', 'rtu-over-tcp', 'tcp-listen', 'rtu', 'ascii'];
  assert.deepEqual(suggest('type: modbus\nhost: a\ntransport: |\nport: 1', DRIVER), TRANSPORTS);
  assert.deepEqual(suggest('type: |modbus\ntransport: tcp', DRIVER), ['modbus', 'opcua', 'serial']);
});

test('listSuggestions lists values of enums, of booleans, and names of what is referred to', () => {
  assert.deepEqual(suggest('type: modbus\nwriteFunction: S|', DRIVER), ['AUTO', 'SINGLE', 'MULTIPLE']);

  assert.deepEqual(suggest('type: modbus\njoinWrites: |', DRIVER), ['true', 'false']);
  assert.deepEqual(suggest('driver: |', ASSET), ['plant']);
});

test('listSuggestions knows lists, deeper levels, and lines between others', () => {
  const text = 'driver: plant\nchannels:\n  - name: a\n    |\n    type: READ\n  - name: b\n';
  const keys = suggest(text, ASSET);
  assert.ok(keys.includes('valueType: ') && keys.includes('address: '));
  assert.ok(!keys.includes('type: ') && !keys.includes('driver: '));
  assert.ok(suggest('driver: plant\nchannels:\n  - |', ASSET).includes('name: '));
  assert.ok(suggest('driver: plant\nchannels:\n  - address: {|}', ASSET).includes('table: '));
});

test('listSuggestions says of each key if values can follow it', () => {
  const cursor = findCursor(Text.of(['type: modbus', '']), 13);
  assert.ok(cursor !== undefined);
  const keys = listSuggestions(cursor, DRIVER, () => undefined);
  const hasValues = (label: string) => keys.find((key) => key.label === label)?.hasValues();
  assert.deepEqual(['writeFunction', 'joinWrites', 'retries'].map(hasValues), [true, true, false]);
});

test('listSuggestions writes quotes in JSON, and no second colon', () => {
  assert.ok(suggest('{ "type": "modbus",\n  "res|"\n}', DRIVER).includes('"responseTimeoutMs": '));
  assert.deepEqual(suggest('{ "type": "modbus", "writeFunction": "|" }', DRIVER), [
    '"AUTO"',
    '"SINGLE"',
    '"MULTIPLE"',
  ]);
  assert.ok(suggest('type: modbus\nhos|: a', DRIVER).includes('host'));
});

test('listSuggestions suggests nothing in comments, in texts, and where nothing is known', () => {
  assert.deepEqual(suggest('type: modbus\n# ho|', DRIVER), []);
  assert.deepEqual(suggest('type: modbus # ho|', DRIVER), []);
  assert.deepEqual(suggest('pid: "a b|"', DRIVER), []);
  assert.deepEqual(suggest('type: modbus\nretries: |', DRIVER), []);
  assert.deepEqual(suggest('type: modbus\nbogus:\n  a|', DRIVER), []);
});

test('narrowAddresses leaves the addresses of one kind of driver', () => {
  const text = 'channels:\n  - name: a\n    address:\n      |';
  const keys = suggest(text, narrowAddresses(ASSET, 'opcua'));
  assert.ok(keys.includes('nodeId: ') && !keys.includes('table: '));
  assert.ok(suggest(text, narrowAddresses(ASSET, 'of a bundle')).includes('table: '));
});
