import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  guessAddressing,
  hasHeadings,
  readChannels,
  withLowWordFirst,
} from '../../daemon/console/forms/channels/register-map.ts';
import type { Addressing } from '../../daemon/console/forms/channels/register-map.ts';
import { splitSheet } from '../../daemon/console/forms/channels/sheet-text.ts';
import { createColumn } from './support/grid-column.ts';

const TABLES = ['COILS', 'DISCRETE_INPUTS', 'INPUT_REGISTERS', 'HOLDING_REGISTERS'];
const TYPES = ['BOOLEAN', 'INT16', 'UINT16', 'INT32', 'UINT32', 'FLOAT32', 'STRING'];

const COLUMNS = [
  createColumn('name', 'TEXT'),
  createColumn('address.unitId', 'NUMBER'),
  createColumn('address.table', 'CHOICE', { choices: TABLES }),
  createColumn('address.offset', 'NUMBER'),
  createColumn('address.dataType', 'CHOICE', { choices: TYPES }),
  createColumn('valueScale', 'NUMBER'),
  createColumn('unit', 'TEXT'),
  createColumn('type', 'CHOICE', { choices: ['READ', 'WRITE', 'READ_WRITE'] }),
];
const DEFAULTS = { address: { unitId: 3, table: 'HOLDING_REGISTERS' } };

function read(text: string, addressing: Addressing = 'FROM_ZERO') {
  const cells = splitSheet(text);
  assert.equal(hasHeadings(cells, COLUMNS), true);
  return readChannels(cells, { columns: COLUMNS, addressing, defaults: DEFAULTS });
}

test('a German spreadsheet is read: semicolons, decimal commas, German headings', () => {
  const { channels, unknown } = read(
    'Bezeichnung;Adresse;Datentyp;Faktor;Einheit;Seite\r\nVorlauf;12;INT16;0,1;°C;7\r\n',
  );
  assert.deepEqual(channels, [
    {
      name: 'Vorlauf',
      address: { unitId: 3, table: 'HOLDING_REGISTERS', offset: 12, dataType: 'INT16' },
      valueScale: 0.1,
      unit: '°C',
      type: 'READ',
      valueType: 'DOUBLE',
    },
  ]);
  assert.deepEqual(unknown, ['Seite']);
});

test('a column Type with data types is none of directions, and one with directions is', () => {
  const types = read('Name\tRegister\tType\nPower\t10\tfloat\n').channels;
  assert.deepEqual(
    types.map(({ address, type, valueType }) => [address, type, valueType]),
    [[{ unitId: 3, table: 'HOLDING_REGISTERS', offset: 10, dataType: 'FLOAT32' }, 'READ', 'FLOAT']],
  );
  const directions = read('name,address.offset,type\nx,1,READ_WRITE\n').channels;
  assert.equal(directions[0]?.['type'], 'READ_WRITE');
});

test('addresses are taken as the manual counts them', () => {
  const text = 'Name\tRegister\nA\t40012\nB\t30001\n';
  assert.equal(guessAddressing(splitSheet(text)), 'BY_TABLE');
  const offsets = (addressing: Addressing, sheet = text): readonly unknown[] =>
    read(sheet, addressing).channels.map(({ address }) => address);
  assert.deepEqual(offsets('BY_TABLE'), [
    { unitId: 3, table: 'HOLDING_REGISTERS', offset: 11 },
    { unitId: 3, table: 'INPUT_REGISTERS', offset: 0 },
  ]);
  assert.deepEqual(offsets('FROM_ONE', 'Name\tRegister\nA\t12\n'), [
    { unitId: 3, table: 'HOLDING_REGISTERS', offset: 11 },
  ]);
  assert.deepEqual(offsets('FROM_ZERO', 'Name\tRegister\nA\t0x10-0x11\n'), [
    { unitId: 3, table: 'HOLDING_REGISTERS', offset: 16 },
  ]);
  assert.equal(guessAddressing(splitSheet('Name\tRegister\nA\t40000\nB\t71\n')), 'FROM_ZERO');
});

test('scales are read as manuals write them', () => {
  const scaleOf = (text: string): unknown =>
    read(`Name;Register;Scale\nA;1;${text}\n`).channels[0]?.['valueScale'];
  assert.deepEqual(['0.01', '1/10', 'x0,1', '÷ 100', '/10'].map(scaleOf), [0.01, 0.1, 0.1, 0.01, 0.1]);
  assert.equal(read('Name;Register;Divisor\nA;1;10\n').channels[0]?.['valueScale'], 0.1);
});

test('a wrong cell stays as it is, so that it can be seen and corrected', () => {
  const { channels } = read('Name;Register;Data type\nA;twelve;complex\n');
  assert.deepEqual(channels[0]?.['address'], {
    unitId: 3,
    table: 'HOLDING_REGISTERS',
    offset: 'twelve',
    dataType: 'complex',
  });
});

test('a table without headings is none', () => {
  assert.equal(hasHeadings(splitSheet('Vorlauf;12;INT16\n'), COLUMNS), false);
});

test('quoted cells may contain separators and line ends', () => {
  assert.deepEqual(splitSheet('a;b\n"x;1";"say ""hi""\nagain"\n\n'), [
    ['a', 'b'],
    ['x;1', 'say "hi"\nagain'],
  ]);
});

test('a table in Markdown is read, with input registers by their first digit and the unit before its name', () => {
  const text =
    '| Register | Registertyp | Datentyp | Name | Einheit |\n| --- | :-- | --- | --- | --- |\n' +
    '| 32011 (2010) <br /> 32012 (2011) | Input | Float32 | Voltage A | V (Volt) |\n';
  const cells = splitSheet(text);
  assert.equal(guessAddressing(cells), 'BY_TABLE');
  assert.deepEqual(read(text, 'BY_TABLE').channels, [
    {
      name: 'Voltage-A',
      address: { unitId: 3, table: 'INPUT_REGISTERS', offset: 2010, dataType: 'FLOAT32' },
      unit: 'V',
      type: 'READ',
      valueType: 'FLOAT',
    },
  ]);
  // Holding registers may have such addresses on the wire.
  assert.equal(guessAddressing(splitSheet('Name\tRegister\tTable\nA\t32011\tHolding\n')), 'FROM_ZERO');
});

test('the column with different names has the names, and a name that comes again is numbered', () => {
  const symbols = read('Address\tSymbol\tName\n1\tT1\tSensor\n2\tT2\tSensor\n');
  assert.deepEqual(
    symbols.channels.map(({ name }) => name),
    ['T1', 'T2'],
  );
  assert.deepEqual(symbols.unknown, ['Name']);
  const twice = read('Address\tName\n1\tSensor\n2\tSensor\n').channels;
  assert.deepEqual(
    twice.map(({ name }) => name),
    ['Sensor', 'Sensor-2'],
  );
});

test('a multiplier of ten is undone, and the value type follows from data type and scale', () => {
  const text = 'Address\tName\tType\tMultiplier\tBounds\n6\tOutside\tint16\t10\t-\n7\tMode\tbitfield\t1\t-\n';
  const { channels } = readChannels(splitSheet(text), {
    columns: COLUMNS,
    addressing: 'FROM_ZERO',
    defaults: { ...DEFAULTS, valueType: 'INTEGER' },
  });
  assert.deepEqual(
    channels.map(({ valueScale, valueType, address }) => [valueScale, valueType, address]),
    [
      [0.1, 'DOUBLE', { unitId: 3, table: 'HOLDING_REGISTERS', offset: 6, dataType: 'INT16' }],
      [1, 'INTEGER', { unitId: 3, table: 'HOLDING_REGISTERS', offset: 7, dataType: 'UINT16' }],
    ],
  );
});

test('the number of registers makes a type long, and the low word can be first', () => {
  const { channels } = read(
    'Name;Register;Registers;Type\nRun;128;2;UINT\nModel;532;16;STRING\nLoad;9;1;INT\n',
  );
  assert.deepEqual(
    channels.map(({ address, valueType }) => [address, valueType]),
    [
      [{ ...DEFAULTS.address, offset: 128, dataType: 'UINT32' }, 'LONG'],
      [{ ...DEFAULTS.address, offset: 532, dataType: 'STRING', length: 32 }, 'STRING'],
      [{ ...DEFAULTS.address, offset: 9, dataType: 'INT16' }, 'INTEGER'],
    ],
  );
  assert.deepEqual(
    channels.map(withLowWordFirst).map(({ address }) => (address as { wordOrder?: string }).wordOrder),
    ['LITTLE_ENDIAN', undefined, undefined],
  );
});

test('registers with a letter, bits after a point, and units with a divisor are read', () => {
  assert.equal(guessAddressing(splitSheet('Field\tRegister\nFlow\tR1\nTotal\tR9\n')), 'FROM_ONE');
  const { channels } = read(
    'Content\tAddr.\tType\tUnit\nFrequency\t507\t16 bit unsigned\tHz/100\nAlarm\t1000.3\tbit\t\n',
  );
  assert.deepEqual(
    channels.map(({ address, unit, valueScale }) => [address, unit, valueScale]),
    [
      [{ ...DEFAULTS.address, offset: 507, dataType: 'UINT16' }, 'Hz', 0.01],
      [{ ...DEFAULTS.address, offset: 1000, bit: 3, dataType: 'BOOLEAN' }, undefined, undefined],
    ],
  );
});
