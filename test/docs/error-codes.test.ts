import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { DEPLOYMENT_CODES } from '../../daemon/software/package/deployment-error.ts';
import { CODE_TABLES } from '../support/tables/error-tables.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const TABLE_FILE = /(?:^|\/)error-codes\.ts$/;

const files = ['daemon', 'drivers'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.posix.join(folder, file)),
);
const readText = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

const declared = CODE_TABLES.flatMap(({ codes }) => Object.entries(codes));

/** Code, meaning and remedy of each row of the page; the first table has a column with the HTTP status before the meaning. */
const rows = [
  ...readText('docs/reference/error-codes.md').matchAll(
    /^\| `([A-Z][A-Z0-9_]+)` +\| (?:[\d, ]* \| )?([^|]*) \| ([^|]*) \|$/gm,
  ),
].map(([, code = '', meaning = '', remedy = '']) => ({
  code,
  meaning: meaning.trim(),
  remedy: remedy.trim(),
}));

test('every table of error codes is compared', () => {
  assert.equal(CODE_TABLES.length, files.filter((file) => TABLE_FILE.test(file)).length);
});

test('every error code is declared once', () => {
  const codes = declared.map(([code]) => code);
  assert.deepEqual(
    codes.filter((code, index) => codes.indexOf(code) !== index),
    [],
  );
});

test('docs/reference/error-codes.md has every code that a user sees with its meaning, and no other', () => {
  const byCode = ([one = '']: readonly string[], [other = '']: readonly string[]): number =>
    one < other ? -1 : 1;
  assert.deepEqual(
    rows.map(({ code, meaning }) => [code, meaning]).toSorted(byCode),
    declared
      .filter(([, { internal }]) => internal === undefined)
      .map(([code, { meaning }]) => [code, meaning])
      .toSorted(byCode),
  );
});

test('docs/reference/error-codes.md says what to do about each code', () => {
  assert.deepEqual(
    rows.filter(({ remedy }) => remedy === '').map(({ code }) => code),
    [],
  );
});

// The compiler refuses a code that no table declares; this finds those that are declared and no longer raised.
test('every error code of a table is used', () => {
  const literals = files
    .filter((file) => !TABLE_FILE.test(file))
    .flatMap((file) => readText(file).match(/'[A-Z][A-Z0-9_]*'/g) ?? [])
    .map((literal) => literal.slice(1, -1));
  // Reasons of packages get their prefix where the error is created.
  const used = new Set(
    literals.flatMap((code) => (code in DEPLOYMENT_CODES ? [code, `PACKAGE_${code}`] : [code])),
  );
  assert.deepEqual(
    declared.map(([code]) => code).filter((code) => !used.has(code)),
    [],
  );
});

test('every number of a failed operation has its code, whose meaning begins with it', () => {
  const numbered = declared.flatMap(([code, { meaning }]) =>
    code.startsWith('PACKAGE_') ? [[code, meaning] as const] : [],
  );
  for (const [reason, number] of Object.entries(DEPLOYMENT_CODES)) {
    const meaning = new Map(numbered).get(`PACKAGE_${reason}`);
    assert.ok(meaning?.startsWith(`${number}: `), `${reason}: ${meaning}`);
  }
});
