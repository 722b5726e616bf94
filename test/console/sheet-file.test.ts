import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decodeSheetFile } from '../../daemon/console/views/devices/sheet-file.ts';

test('a table is read from UTF-8, with or without a byte order mark', () => {
  assert.equal(decodeSheetFile(Buffer.from('name;unit\nflow;°C\n')), 'name;unit\nflow;°C\n');
  assert.equal(decodeSheetFile(Buffer.from('\uFEFFname;unit\n')), 'name;unit\n');
});

test('a table is read from Windows-1252, as spreadsheets save it', () => {
  assert.equal(decodeSheetFile(Buffer.from('flow;°C\n', 'latin1')), 'flow;°C\n');
  assert.equal(decodeSheetFile(Uint8Array.of(0x80, 0x0a)), '€\n');
});

test('a workbook is no table', () => {
  assert.equal(decodeSheetFile(Buffer.from('PK\u0003\u0004\u0014\u0000\u0006\u0000')), undefined);
});
