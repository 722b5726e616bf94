import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { GERMAN_CAUSES } from '../../daemon/console/text/gateway/cause-messages.ts';
import ENGLISH_MEANINGS from '../../daemon/console/text/gateway/english-meanings.json' with { type: 'json' };
import { GERMAN_GATEWAY_CAUSES } from '../../daemon/console/text/gateway/gateway-causes.ts';
import { GERMAN_REFUSALS } from '../../daemon/console/text/gateway/refusal-causes.ts';
import { listMeanings } from '../support/tables/english-meanings.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(path.join(ROOT, 'docs/reference/error-codes.md'), 'utf8');
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

const OTHERS: ReadonlySet<string> = new Set([
  'DISK_RESERVE_REACHED',
  'ISSUER_MISSING',
  'NO_REVOCATION_LIST',
  'REVOCATION_LIST_STALE',
]);

test('a German cause in the gateway has the code of a table, of the system, or of the disk', () => {
  const tables = globSync('daemon/**/error-codes.ts', { cwd: ROOT }).map((file) =>
    readFileSync(path.join(ROOT, file), 'utf8'),
  );
  for (const [code, cause] of Object.entries(GERMAN_GATEWAY_CAUSES)) {
    const isDeclared = tables.some((table) => new RegExp(`^  ${code}:`, 'm').test(table));
    assert.ok(isDeclared || code in constants.errno || OTHERS.has(code), code);
    assert.match(cause, /^\p{Lu}[^"”()]*\p{L}$/u);
  }
});

test('a reload that fails for what a start would fail for has a German cause', () => {
  const tables = globSync('daemon/**/error-codes.ts', { cwd: ROOT }).map((file) =>
    readFileSync(path.join(ROOT, file), 'utf8'),
  );
  const codes = tables.flatMap((table) =>
    [...table.matchAll(/^  ([A-Z_]+): \{[^}]*internal: AT_START/gm)].map(([, code = '']) => code),
  );
  assert.ok(codes.length > 10);
  const missing = codes.filter((code) => GERMAN_GATEWAY_CAUSES[code] === undefined);
  assert.deepEqual(missing, ['RELOAD_FAILED', 'RELOAD_UNANSWERED']);
});

test('every code that an audit event may have has words in English, those of the page, and in German', () => {
  const meanings = listMeanings();
  const byCode = ([one]: readonly [string, string], [other]: readonly [string, string]): number =>
    one < other ? -1 : 1;
  assert.deepEqual(Object.entries(ENGLISH_MEANINGS).toSorted(byCode), meanings.toSorted(byCode));
  const german: Readonly<Record<string, string>> = {
    ...GERMAN_CAUSES,
    ...GERMAN_GATEWAY_CAUSES,
    ...GERMAN_REFUSALS,
  };
  assert.deepEqual(
    meanings.filter(([code]) => german[code] === undefined),
    [],
  );
  const known = new Set(meanings.map(([code]) => code));
  for (const [code, cause] of Object.entries(GERMAN_REFUSALS)) {
    assert.ok(known.has(code), code);
    assert.match(cause, /^\p{Lu}[^."”()]*\p{L}$/u);
  }
});
