import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CommandError } from '../../../../daemon/cli/command-error.ts';
import { convertKepwareTags } from '../../../../daemon/cli/import/kepware-tags.ts';
import { convertKuraSheet } from '../../../../daemon/cli/import/kura-sheet.ts';

const TARGET = { asset: 'boiler', driver: 'line1', type: 'modbus' } as const;
const DEVICE = { unitId: 3, addressBase: 1, isLowWordFirst: true } as const;

// Columns of "Channels download" in docs/connect-field-devices/asset-implemetation.md of eclipse-kura/kura; the drivers of
// issue 4030 there have a second column with the name offset.
const KURA =
  'enabled,name,type,value.type,scaleoffset.type,scale,offset,unit,listen,unit.id,primary.table,memory.address,data.order,data.type,array.data.length';

// Heading of the files that KEPServerEX writes ("CSV Import and Export" in its manual, and the generators for it that are
// public).
const KEPWARE =
  'Tag Name,Address,Data Type,Respect Data Type,Client Access,Scan Rate,Scaling,Raw Low,Raw High,Scaled Low,Scaled High,Scaled Data Type,Clamp Low,Clamp High,Eng Units,Description,Negate Value';

test('convertKuraSheet takes over the channels of a list, and lists the others with their rows', () => {
  const { assets, untaken, remarks } = convertKuraSheet(
    `${KURA}\r
true,setpoint,READ_WRITE,FLOAT,DEFINED_BY_VALUE_TYPE,0.1,0.0,degC,false,1,HOLDING_REGISTERS,0,,INT16,\r
false,pump,READ,INTEGER,DOUBLE,1.0,5.0,,false,1,INPUT_REGISTERS,4,LITTLE_ENDIAN,UINT32,\r
true,broken,READ,INTEGER,,1.0,0.0,,false,one,INPUT_REGISTERS,4,,UINT16,\r
true,setpoint,READ,INTEGER,,1.0,0.0,,false,1,INPUT_REGISTERS,4,,UINT16,\r
true,,READ,INTEGER,,1.0,0.0,,false,1,INPUT_REGISTERS,4,,UINT16,\r
`,
    TARGET,
  );
  assert.deepEqual(
    assets[0]?.channels.map(({ channel }) => channel),
    [
      {
        name: 'setpoint',
        type: 'READ_WRITE',
        valueType: 'FLOAT',
        valueScale: 0.1,
        unit: 'degC',
        address: { unitId: 1, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'INT16' },
      },
      {
        name: 'pump',
        type: 'READ',
        valueType: 'INTEGER',
        scaleOffsetType: 'DOUBLE',
        valueOffset: 5,
        isEnabled: false,
        address: {
          unitId: 1,
          table: 'INPUT_REGISTERS',
          offset: 4,
          dataType: 'UINT32',
          wordOrder: 'LITTLE_ENDIAN',
        },
      },
    ],
  );
  assert.deepEqual(assets[0].asset, { pid: 'boiler', driver: 'line1', scaleOnWrite: false });
  assert.deepEqual(
    untaken.map(({ place }) => place),
    ['row 4', 'row 5', 'row 6'],
  );
  assert.deepEqual(
    remarks.map(({ place }) => place),
    ['row 3', 'boiler'],
  );
});

test('convertKepwareTags takes over the forms of addresses and types of the Modbus drivers', () => {
  const { assets, untaken } = convertKepwareTags(
    `${KEPWARE}
"Pump 1.Speed","400001",Word,1,R/W,100,,,,,,,,,"1/min","Speed",
"load","40005",Float,1,RO,100,,,,,,,,,,"short description",
"energy","300011",QWord,1,RO,100,,,,,,,,,,,
"run","000004",Boolean,1,RW,100,,,,,,,,,,,
"alarm","100002",Boolean,1,RO,100,,,,,,,,,,,
"fault","400020.5",Boolean,1,RO,100,,,,,,,,,,,
"serial","400030.20L",String,1,RO,100,,,,,,,,,,,
"curve","400050[10]",Short Array,1,RO,100,,,,,,,,,,,
"level","400070",Short,1,RO,100,Linear,0,1000,-50,50,Float,0,0,"%",,
"date","400080",LBCD,1,WO,100,,,,,,,,,,,
"plain","400081",,1,RO,100,,,,,,,,,,,
`,
    TARGET,
    DEVICE,
  );
  assert.deepEqual(untaken, []);
  const channels = assets[0]?.channels.map(({ channel }) => channel) ?? [];
  const at = (table: string, offset: number, more: object) => ({ unitId: 3, table, offset, ...more });
  const holding = (offset: number, more: object) => at('HOLDING_REGISTERS', offset, more);
  assert.deepEqual(
    channels.map(({ name, type, valueType, address }) => [name, type, valueType, address]),
    [
      ['Pump_1.Speed', 'READ_WRITE', 'INTEGER', holding(0, { dataType: 'UINT16' })],
      ['load', 'READ', 'FLOAT', holding(4, { dataType: 'FLOAT32', wordOrder: 'LITTLE_ENDIAN' })],
      [
        'energy',
        'READ',
        'LONG',
        at('INPUT_REGISTERS', 10, { dataType: 'UINT64', wordOrder: 'LITTLE_ENDIAN' }),
      ],
      ['run', 'READ_WRITE', 'BOOLEAN', at('COILS', 3, {})],
      ['alarm', 'READ', 'BOOLEAN', at('DISCRETE_INPUTS', 1, {})],
      ['fault', 'READ', 'BOOLEAN', holding(19, { dataType: 'BOOLEAN', bit: 5 })],
      [
        'serial',
        'READ',
        'STRING',
        holding(29, { dataType: 'STRING', length: 20, byteOrder: 'LITTLE_ENDIAN' }),
      ],
      ['curve', 'READ', 'STRING', holding(49, { dataType: 'INT16', count: 10 })],
      ['level', 'READ', 'FLOAT', holding(69, { dataType: 'INT16' })],
      ['date', 'WRITE', 'INTEGER', holding(79, { dataType: 'BCD32', wordOrder: 'LITTLE_ENDIAN' })],
      ['plain', 'READ', 'INTEGER', holding(80, { dataType: 'UINT16' })],
    ],
  );
  const [pump] = channels;
  assert.deepEqual(
    [pump?.['displayName'], pump?.['unit'], pump?.['description']],
    ['Pump 1.Speed', '1/min', 'Speed'],
  );
  const level = channels.find(({ name }) => name === 'level');
  assert.deepEqual([level?.['valueScale'], level?.['valueOffset']], [0.1, -50]);
});

test('convertKepwareTags lists what it does not take over with its row', () => {
  const { assets, untaken, remarks } = convertKepwareTags(
    `Tag Name;Address;Data Type;Client Access;Scaling;Raw Low;Raw High;Scaled Low;Scaled High;Clamp High
root;400001;Word;RO;Square Root;0;10;0;10;
block;DB3.DBW0;Word;RO;;;;;;
zero;400000;Word;RO;;;;;;
matrix;400001[2][3];Word;RO;;;;;;
kind;400001;Date;RO;;;;;;
access;400001;Word;X;;;;;;
same;400001;Word;RO;Linear;1;1;0;10;
clamped;400001;Word;RO;Linear;0;10;0;100;1
`,
    TARGET,
    DEVICE,
  );
  assert.deepEqual(
    untaken.map(({ place }) => place),
    ['row 2', 'row 3', 'row 4', 'row 6', 'row 7', 'row 8'],
  );
  assert.match(untaken[2]?.reason ?? '', /--address-base 0$/);
  assert.deepEqual(
    assets[0]?.channels.map(({ place }) => place),
    ['row 5', 'row 9'],
  );
  assert.deepEqual(
    remarks.map(({ place }) => place),
    ['row 5', 'row 9'],
  );
});

test('convertKepwareTags makes one list of an array with rows and columns', () => {
  const { assets, untaken } = convertKepwareTags(
    'Tag Name,Address,Data Type,Engineering Units\nmatrix,400001[2][3],Word Array,A\nbits,000001 [2] [8],Boolean Array,\n',
    TARGET,
    DEVICE,
  );
  assert.deepEqual(untaken, []);
  assert.deepEqual(
    assets[0]?.channels.map(({ channel: { unit, valueType, address } }) => [unit, valueType, address]),
    [
      ['A', 'STRING', { unitId: 3, table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT16', count: 6 }],
      [undefined, 'STRING', { unitId: 3, table: 'COILS', offset: 0, count: 16 }],
    ],
  );
});

test('a name that has to change is numbered where another channel has the new one', () => {
  const { assets, untaken, remarks } = convertKepwareTags(
    'Tag Name,Address,Data Type\na b,400001,Word\na#b,400002,Word\na_b,400003,Word\na_b,400004,Word\n',
    TARGET,
    DEVICE,
  );
  assert.deepEqual(
    assets[0]?.channels.map(({ channel: { name, displayName } }) => [name, displayName]),
    [
      ['a_b_2', 'a b'],
      ['a_b_3', 'a#b'],
      ['a_b', undefined],
    ],
  );
  assert.deepEqual(
    [...untaken, ...remarks].map(({ reason }) => reason),
    ['the name "a_b" is used twice in its asset', 'renamed to a_b_2', 'renamed to a_b_3'],
  );
});

test('convertKepwareTags takes NodeIds where the driver is one of OPC UA', () => {
  const { assets, untaken } = convertKepwareTags(
    `${KEPWARE}\n"a","ns=4;s=|var|PLC.a",Boolean,1,R/W,1000,,,,,,,,,,"",\n"b","400001",Word,1,RO,100,,,,,,,,,,"",\n`,
    { ...TARGET, type: 'opcua' },
    DEVICE,
  );
  assert.deepEqual(
    assets[0]?.channels.map(({ channel }) => [channel['valueType'], channel['address']]),
    [['BOOLEAN', { nodeId: 'ns=4;s=|var|PLC.a' }]],
  );
  assert.deepEqual(
    untaken.map(({ place }) => place),
    ['row 3'],
  );
});

test('a table that cannot be read is refused with its row', () => {
  const rows = 'a,400001,Word,1,RO\n';
  for (const [text, detail] of [
    ['', /row 1/],
    ['name,Address\n', /Tag Name/],
    [`${KEPWARE}\n${','.repeat(16)},x,y\n`, /row 2/],
    [`${KEPWARE}\n"a\n`, /row 2/],
    [`${KEPWARE}\n${rows.repeat(100_001)}`, /row 100002: expected at most 100001 rows/],
  ] as const) {
    assert.throws(
      () => convertKepwareTags(text, TARGET, DEVICE),
      (error) =>
        error instanceof CommandError && error.code === 'IMPORT_UNREADABLE' && detail.test(error.detail),
    );
  }
});
