import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { GERMAN_CAUSES } from '../../daemon/console/text/gateway/cause-messages.ts';

const PAGE = readFileSync(path.resolve(import.meta.dirname, '../../docs/reference/error-codes.md'), 'utf8');
/** Tables of the codes in records of channels, tests of connections and package operations. */
const TABLES = ['Channels', 'Connections', 'Modbus', 'OPC UA', 'Serial instruments', 'Packages', 'Bundles'];
/** Code of a row; package operations have the number with which its meaning begins. */
const CODE = /^\| `([A-Z0-9_]+)` +\|(?: +\|)? (?:(\d+): )?/gm;

/** Codes of Modbus exceptions by the status of a device that means the same. */
function listExceptions(): ReadonlyMap<string, string> {
  const rows = [...PAGE.matchAll(/^\| `(MODBUS_\w+)` +\|[^|]*\| exception ([0-9A-F]{2}):/gm)];
  assert.ok(rows.length > 5);
  return new Map(
    rows.map(([, code = '', hex = '']) => [`MODBUS_EXCEPTION_${Number.parseInt(hex, 16)}`, code]),
  );
}

test('every code in a record has a German cause, and no other code has one', () => {
  const codes = TABLES.flatMap((name) => {
    const table = PAGE.split(`<!-- table: ${name} -->`)[1]?.split('<!-- end:')[0] ?? '';
    const found = [...table.matchAll(CODE)].map(([, code = '', number = code]) => number);
    assert.ok(found.length > 0, name);
    return found;
  });
  const statuses = [...listExceptions().keys()];
  assert.deepEqual(Object.keys(GERMAN_CAUSES).toSorted(), [...new Set([...codes, ...statuses])].toSorted());
});

test('a Modbus exception has the same cause as status of the device and as code', () => {
  for (const [status, code] of listExceptions()) assert.equal(GERMAN_CAUSES[status], GERMAN_CAUSES[code]);
});

test('a German cause is one phrase, to which the message of the gateway can be added', () => {
  for (const cause of Object.values(GERMAN_CAUSES)) assert.match(cause, /^\p{Lu}[^."”()]*\p{L}$/u);
});
