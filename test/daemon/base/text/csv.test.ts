import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { DocumentFault } from '../../../../daemon/base/document-error.ts';
import { formatCsv, parseCsv } from '../../../../daemon/base/text/csv.ts';

const cellsOf = (text: string) => parseCsv(text).map(({ cells }) => cells);

test('parseCsv reads the forms that RFC 4180 allows', () => {
  assert.deepEqual(cellsOf('a,b\r\n"x ""y"" z","1,2"\r\n"two\nlines",\r\n'), [
    ['a', 'b'],
    ['x "y" z', '1,2'],
    ['two\nlines', ''],
  ]);
  assert.deepEqual(cellsOf('a,b\n1,2'), [
    ['a', 'b'],
    ['1', '2'],
  ]);
});

test('parseCsv reads the separators that spreadsheets of other locales write', () => {
  assert.deepEqual(cellsOf('\uFEFFa;b\r\n1,5;2\r\n'), [
    ['a', 'b'],
    ['1,5', '2'],
  ]);
  assert.deepEqual(cellsOf('a\tb\r1\t2\r'), [
    ['a', 'b'],
    ['1', '2'],
  ]);
});

test('parseCsv counts empty rows and omits them', () => {
  const numbers = parseCsv('a,b\n\n,\n1,2\n').map(({ number }) => number);
  assert.deepEqual(numbers, [1, 4]);
});

test('parseCsv names the row whose quotes are invalid', () => {
  for (const text of ['a\nb\n"c', 'a\nb\n"c"d\n', 'a\nb\n"c" ,d\n', 'a\nb\n"']) {
    assert.throws(
      () => parseCsv(text),
      (error: { readonly faults?: readonly { readonly row?: number }[] }) => error.faults?.[0]?.row === 3,
      text,
    );
  }
});

test('parseCsv reads the output of formatCsv', () => {
  const rows = [
    ['plain', ' blank ', 'a,b', 'a;b', 'tab\there'],
    ['"', '""', 'line\nline', '=1+1', '-5'],
    ['é€😀', 'x', 'x', 'x', '\u00A0'],
  ];
  assert.deepEqual(cellsOf(formatCsv(rows)), rows);
});

test('parseCsv reads a long cell and many rows', () => {
  const long = 'x""'.repeat(3000);
  assert.equal(cellsOf(`a\n"${long}"\n`)[1]?.[0]?.length, 6000);
  assert.equal(parseCsv('a,b\n'.repeat(100_000)).length, 100_000);
});

test('parseCsv refuses text beyond the limits of a tag sheet', () => {
  const refusal = (text: string): unknown => {
    try {
      return parseCsv(text);
    } catch (error) {
      const { faults } = error as { readonly faults: readonly DocumentFault[] };
      return faults.map(({ message, row, reasons = [] }) => [row, message, reasons.length]);
    }
  };
  const toFaults = (row: number, message: string) => [[row, message, 1]];
  assert.deepEqual(refusal(`a${',b'.repeat(200)}`), toFaults(1, 'expected at most 200 columns'));
  assert.deepEqual(refusal('a\n'.repeat(100_002)), toFaults(100_002, 'expected at most 100001 rows'));
  const long = 'x'.repeat(10_001);
  for (const cell of [long, `"${long}"`]) {
    assert.deepEqual(refusal(`a\n${cell}\n`), toFaults(2, 'expected at most 10000 characters in a cell'));
  }
});

test('parseCsv refuses NUL', () => {
  assert.throws(() => parseCsv('a,b\n1,\0'), { code: 'CONFIGURATION_INVALID' });
});

test('a separator inside the quotes of the header separates nothing', () => {
  assert.deepEqual(cellsOf('"a;b",c\n1,2\n'), [
    ['a;b', 'c'],
    ['1', '2'],
  ]);
  assert.deepEqual(cellsOf('"a\n""x"",b"\tc\n1\t2\n'), [
    ['a\n"x",b', 'c'],
    ['1', '2'],
  ]);
});
