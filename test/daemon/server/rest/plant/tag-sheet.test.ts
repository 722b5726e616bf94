import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseCsv } from '../../../../../daemon/base/text/csv.ts';
import { z } from '../../../../../daemon/base/schema.ts';
import { DocumentError } from '../../../../../daemon/base/document-error.ts';
import type { DocumentFault } from '../../../../../daemon/base/document-error.ts';
import { describeChannel } from '../../../../../daemon/configuration/document-schema.ts';
import { locateInSheet } from '../../../../../daemon/server/rest/plant/tag-sheet.ts';
import { formatTagSheet, parseTagSheet } from '../../../../support/tag-sheets.ts';
import * as sheets from '../../../../../daemon/server/rest/plant/tag-sheet.ts';
import { createDriverFactories } from '../../../../../drivers/index.ts';

const addressSchema = z.strictObject({
  unitId: z.int().default(1),
  text: z.string().optional(),
  either: z.union([z.string(), z.number()]).optional(),
  response: z.strictObject({ pattern: z.string().optional(), length: z.int().optional() }).optional(),
  list: z.array(z.int()).nullable().optional(),
});
const [factory] = createDriverFactories();
assert.ok(factory);
const SCHEMA = describeChannel([{ ...factory, addressSchema }]);

const HEAD = { name: 'flow', type: 'READ', valueType: 'INTEGER' };

function faultsOf(text: string): readonly (readonly [number | undefined, string | undefined])[] {
  try {
    parseTagSheet(text, SCHEMA);
  } catch (error) {
    assert.ok(error instanceof DocumentError);
    return error.faults.map(({ row, column }) => [row, column]);
  }
  return [];
}

test('labels and raw values that are not available survive a round trip through a sheet, in one cell each', () => {
  const channels = [
    { ...HEAD, labels: { '0': 'Off', '1': 'Hot water' }, notAvailable: [128, '5-9', 'NaN'], address: {} },
    { ...HEAD, labels: { '-1': 'a=b; c', '2': ' padded' }, notAvailable: [-1, '5 - 9', '7'], address: {} },
    { ...HEAD, name: 'plain', labels: {}, notAvailable: [], address: {} },
    { ...HEAD, name: 'plain', address: {} },
  ];
  const csv = formatTagSheet(channels, SCHEMA);
  assert.deepEqual(parseTagSheet(csv, SCHEMA).channels, channels);
  const [head = [], first = [], second = []] = parseCsv(csv).map(({ cells }) => cells);
  const [labels, notAvailable] = ['labels', 'notAvailable'].map((name) => head.indexOf(name));
  assert.equal(first[labels ?? -1], '0=Off; 1=Hot water');
  assert.equal(first[notAvailable ?? -1], '128 5-9 NaN');
  // No formula, and nothing that would be split elsewhere.
  assert.equal(second[labels ?? -1], 'json:{"2":" padded","-1":"a=b; c"}');
  assert.equal(second[notAvailable ?? -1], 'json:[-1,"5 - 9","7"]');
});

test('labels and lists of raw values are read from plain cells', () => {
  const text = 'name,labels,notAvailable\nmode," 0 = Off ;1=Hot water","0x8000; 0x7FF0-0x7FFF -1"\n';
  assert.deepEqual(parseTagSheet(text, SCHEMA).channels, [
    {
      name: 'mode',
      labels: { '0': 'Off', '1': 'Hot water' },
      notAvailable: ['0x8000', '0x7FF0-0x7FFF', -1],
    },
  ]);
  const [channel] = parseTagSheet('name,labels\nmode,Off\n', SCHEMA).channels;
  assert.deepEqual(channel, { name: 'mode', labels: 'Off' });
});

test('arrays, times and texts of Modbus and serial channels survive a round trip through a sheet', () => {
  const modbus = { table: 'HOLDING_REGISTERS', offset: 7 };
  const response = { offset: 3, dataType: 'UINT16', count: 5 };
  const channels = [
    { ...HEAD, valueType: 'STRING', address: { ...modbus, dataType: 'FLOAT32', count: 12 } },
    { ...HEAD, valueType: 'STRING', address: { ...modbus, dataType: 'DTL', timeZone: '+01:00' } },
    { ...HEAD, valueType: 'LONG', address: { ...modbus, dataType: 'CP56TIME2A', timeZone: 'Europe/Berlin' } },
    {
      ...HEAD,
      valueType: 'STRING',
      address: {
        ...modbus,
        dataType: 'STRING',
        length: 8,
        encoding: 'latin1',
        padding: 'SPACE',
        trim: false,
      },
    },
    { ...HEAD, valueType: 'STRING', address: { request: 'R', response } },
    {
      ...HEAD,
      valueType: 'STRING',
      address: { response: { ...response, dataType: 'DATE_AND_TIME', timeZone: '+01:00' } },
    },
  ];
  const schema = describeChannel(createDriverFactories());
  const sheet = formatTagSheet(channels, schema);
  const header = sheet.split('\r\n', 1)[0]?.split(',') ?? [];
  for (const field of [
    'count',
    'encoding',
    'padding',
    'trim',
    'timeZone',
    'response.count',
    'response.timeZone',
  ]) {
    assert.ok(header.includes(`address.${field}`), field);
  }
  assert.deepEqual(parseTagSheet(sheet, schema).channels, channels);
});

test('channels survive a round trip through a sheet unchanged', () => {
  const channels = [
    { ...HEAD, address: { unitId: 1 } },
    { ...HEAD, valueScale: 0.1, valueOffset: -273.15, unit: '°C', isEnabled: false, address: {} },
    { ...HEAD, valueScale: 1e-12, valueOffset: 1e21, unit: '"m³/h", net', address: { unitId: -1 } },
    { ...HEAD, unit: '=1+1', address: { text: '', either: '5', response: {} } },
    {
      ...HEAD,
      unit: '-5',
      address: { text: 'true', either: 5, response: { pattern: '(\\d+)\r\n', length: 4 } },
    },
    { ...HEAD, unit: '@x', address: { text: 'json:1', either: 'x', list: [1, 2] } },
    { ...HEAD, unit: ' padded ', address: { text: '007', list: null } },
  ];
  const { channels: read, rows } = parseTagSheet(formatTagSheet(channels, SCHEMA), SCHEMA);
  assert.deepEqual(read, channels);
  assert.deepEqual(rows, [2, 3, 4, 5, 6, 7, 8]);
});

test('a text that begins as a cell of JSON does, survives a round trip through a sheet', () => {
  const channels = [
    { ...HEAD, description: 'json:' },
    { ...HEAD, description: 'json:{' },
    { ...HEAD, description: 'json:"x"' },
    { ...HEAD, description: 'json: see the manual' },
  ];
  assert.deepEqual(parseTagSheet(formatTagSheet(channels, SCHEMA), SCHEMA).channels, channels);
});

test('no cell of a sheet is a formula for a spreadsheet', () => {
  const texts = ['=1+1', '+cmd', '-cmd', '-5', '@SUM(A1)', '\t=1', '\r=1'];
  const channels = texts.map((unit) => ({ ...HEAD, unit, address: { text: unit, unitId: -1 } }));
  const sheet = formatTagSheet(channels, SCHEMA);
  const cells = parseCsv(sheet).flatMap((row) => row.cells);
  assert.deepEqual(
    cells.filter((cell) => /^[=+@\t\r-]/.test(cell) && !/^-\d+$/.test(cell)),
    [],
  );
  assert.equal(cells.filter((cell) => cell === '-1').length, texts.length);
  assert.ok(cells.includes('json:"-5"'), 'a text of digits is no number');
  assert.deepEqual(parseTagSheet(sheet, SCHEMA).channels, channels);
});

function scalesOf(separator: string, ...numbers: readonly string[]): readonly unknown[] {
  const rows = numbers.map((number) => ['flow', number].join(separator));
  const { channels } = parseTagSheet([`name${separator}valueScale`, ...rows].join('\n'), SCHEMA);
  return channels.map((channel) => (channel as { readonly valueScale?: unknown }).valueScale);
}

test('a sheet of a German spreadsheet may have decimal commas', () => {
  const numbers = ['0,1', '-273,15', '1,234', '1,5E-3', ',5', '7', '0.1'];
  assert.deepEqual(scalesOf(';', ...numbers), [0.1, -273.15, 1.234, 1.5e-3, 0.5, 7, 0.1]);
});

test('between tabs, a comma that may group thousands makes no number', () => {
  assert.deepEqual(scalesOf('\t', '0,1', '0,125', '12,5', '1,234', '1.5'), [0.1, 0.125, 12.5, '1,234', 1.5]);
});

test('numbers with several marks stay text, and so does a decimal comma between commas', () => {
  assert.deepEqual(scalesOf(';', '1.234,5', '1,2,3', '1,'), ['1.234,5', '1,2,3', 1]);
  assert.deepEqual(scalesOf(',', '"0,1"'), ['0,1']);
});

test('a sheet without channels has a column for each field', () => {
  const [header = ''] = formatTagSheet([], SCHEMA).split('\r\n');
  const columns = header.split(',');
  assert.deepEqual(columns.slice(0, 3), ['name', 'type', 'valueType']);
  for (const name of ['address.unitId', 'address.response.pattern', 'address.list']) {
    assert.ok(columns.includes(name), name);
  }
  assert.deepEqual(parseTagSheet(header, SCHEMA).channels, []);
});

test('columns may be omitted and appear in any order', () => {
  const text = 'address.unitId,name,isEnabled\r\n3,flow,TRUE\r\n';
  assert.deepEqual(parseTagSheet(text, SCHEMA).channels, [
    { address: { unitId: 3 }, name: 'flow', isEnabled: true },
  ]);
});

test('a value that does not fit the type of its column stays text', () => {
  const text = 'name,valueScale,valueOffset,address.unitId\r\n5,"0,1",1e999,9007199254740993\r\n';
  assert.deepEqual(parseTagSheet(text, SCHEMA).channels, [
    { name: '5', valueScale: '0,1', valueOffset: '1e999', address: { unitId: '9007199254740993' } },
  ]);
});

test('every error of a sheet is reported at once, with row and column', () => {
  assert.deepEqual(faultsOf('name,color,name\r\nflow,red,x,y\r\nflow,json:{,x\r\n'), [
    [1, 'color'],
    [1, 'name'],
    [2, undefined],
    [3, 'color'],
  ]);
  assert.deepEqual(faultsOf(''), [[1, undefined]]);
});

test('an error of a channel is reported with its row and column', () => {
  const sheet = parseTagSheet('name\r\nflow\r\n\r\nlevel\r\n', SCHEMA);
  const fault: DocumentFault = {
    path: ['assets', 2, 'channels', 1, 'address', 'unitId'],
    message: 'is missing',
  };
  assert.deepEqual(locateInSheet(fault, 2, sheet), { ...fault, row: 4, column: 'address.unitId' });
  assert.deepEqual(locateInSheet(fault, 1, sheet), fault);
});

test('a sheet of many rows is written and read in steps', () => {
  const channels = Array.from({ length: 500 }, (_, index) => ({ ...HEAD, name: `flow${index}` }));
  assert.ok([...sheets.formatTagSheet(channels, SCHEMA)].length >= 500);
  assert.ok([...sheets.parseTagSheet(formatTagSheet(channels, SCHEMA), SCHEMA)].length >= 500);
});
