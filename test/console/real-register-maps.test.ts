import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  guessAddressing,
  hasHeadings,
  readChannels,
  withLowWordFirst,
} from '../../daemon/console/forms/channels/register-map.ts';
import { splitSheet } from '../../daemon/console/forms/channels/sheet-text.ts';
import { addressSchema } from '../../drivers/modbus/modbus-address.ts';
import { createColumn } from './support/grid-column.ts';

const COLUMNS = [
  createColumn('name', 'TEXT'),
  createColumn('address.unitId', 'NUMBER'),
  createColumn('address.table', 'CHOICE', {
    choices: ['COILS', 'DISCRETE_INPUTS', 'INPUT_REGISTERS', 'HOLDING_REGISTERS'],
  }),
  createColumn('address.offset', 'NUMBER'),
  createColumn('address.dataType', 'CHOICE', {
    choices: ['BOOLEAN', 'INT16', 'UINT16', 'INT32', 'UINT32', 'FLOAT32', 'STRING'],
  }),
  createColumn('valueScale', 'NUMBER'),
  createColumn('unit', 'TEXT'),
  createColumn('type', 'CHOICE', { choices: ['READ', 'WRITE', 'READ_WRITE'] }),
];
const DEFAULTS = { address: { unitId: 1, table: 'HOLDING_REGISTERS' } };

/** Reads a table as the form does after it was pasted, without a choice by hand. */
function paste(text: string): readonly Readonly<Record<string, unknown>>[] {
  const cells = splitSheet(text);
  assert.equal(hasHeadings(cells, COLUMNS), true);
  return readChannels(cells, { columns: COLUMNS, addressing: guessAddressing(cells), defaults: DEFAULTS })
    .channels;
}

/** Short form: name, offset, data type, scale and unit of each channel that the driver accepts. */
function show(channels: readonly Readonly<Record<string, unknown>>[]): readonly unknown[] {
  return channels.map(({ name, address, valueScale, unit }) => {
    const { offset, dataType } = addressSchema.parse(address);
    return [name, offset, dataType, valueScale, unit].filter((each) => each !== undefined);
  });
}

test('the register map of an ultrasonic flow meter TUF-2000M becomes channels with the low word first', () => {
  const channels = paste(
    [
      'REGISTER\tNUMBER\tVARIABLE NAME\tFORMAT\tNOTE',
      '0001-0002\t2\tFlow Rate\tREAL4\tUnit: m3/h',
      '0005-0006\t2\tVelocity\tREAL4\tUnit: m/s',
      '0009-0010\t2\tPositive accumulator\tLONG\tUnit is selected by M31, and depends on totalizer multiplier',
      '0011-0012\t2\tPositive decimal fraction\tREAL4\tSame unit as the integer part',
      '0056\t1\tDay+Hour for Auto-Save\tBCD\tFor example 0512H means auto-save on 12:00 on 5th',
      '0059\t1\tKey to input\tINTEGER\tM59 writable',
      '0072\t1\tError Code\tBIT\t16 bits, see note 4',
      '0092\t1\tWorking step and Signal Quality\tINTEGER\tThe high byte is the working step',
      '0103-0104\t2\tTotal working hours\tLONG\t',
    ].join('\n'),
  );
  assert.deepEqual(show(channels), [
    ['Flow-Rate', 0, 'FLOAT32', 'm3/h'],
    ['Velocity', 4, 'FLOAT32', 'm/s'],
    ['Positive-accumulator', 8, 'INT32'],
    ['Positive-decimal-fraction', 10, 'FLOAT32'],
    ['Day-Hour-for-Auto-Save', 55, 'BCD16'],
    ['Key-to-input', 58, 'INT16'],
    ['Error-Code', 71, 'UINT16'],
    ['Working-step-and-Signal-Quality', 91, 'INT16'],
    ['Total-working-hours', 102, 'INT32'],
  ]);
  const [flow, , total, , day] = channels
    .map(withLowWordFirst)
    .map(({ address }) => addressSchema.parse(address));
  assert.deepEqual(
    [flow?.wordOrder, total?.wordOrder, day?.wordOrder],
    ['LITTLE_ENDIAN', 'LITTLE_ENDIAN', 'BIG_ENDIAN'],
  );
});

test('a number of three registers is shown as it is, for a hand to correct', () => {
  const [calendar] = paste('REGISTER\tVARIABLE NAME\tFORMAT\n0053-0055\tCalendar\tBCD\n');
  assert.deepEqual(calendar?.['address'], { ...DEFAULTS.address, offset: 53, dataType: 'BCD' });
});

test('energy meters list floats in input registers by their first digit (Eastron SDM630)', () => {
  const channels = paste(
    'Register;Parameter;Register type;Data type;Units\n30001;Phase 1 line to neutral volts;Input;Float;V\n30013;Phase 1 power;Input;Float;W\n30071;Frequency of supply voltages;Input;Float;Hz\n',
  );
  assert.deepEqual(show(channels), [
    ['Phase-1-line-to-neutral-volts', 0, 'FLOAT32', 'V'],
    ['Phase-1-power', 12, 'FLOAT32', 'W'],
    ['Frequency-of-supply-voltages', 70, 'FLOAT32', 'Hz'],
  ]);
});

test('inverters list addresses with their lengths and gains (Huawei SUN2000)', () => {
  const channels = paste(
    'Signal Name\tRead/Write\tType\tUnit\tGain\tAddress\tNumber of Registers\nModel\tRO\tSTR\t\t1\t30000\t15\nInput power\tRO\tI32\tkW\t1000\t32064\t2\nGrid frequency\tRO\tU16\tHz\t100\t32085\t1\nCumulative energy yield\tRO\tU32\tkWh\t100\t32106\t2\n',
  );
  assert.deepEqual(show(channels), [
    ['Model', 30000, 'STRING', 1],
    ['Input-power', 32064, 'INT32', 0.001, 'kW'],
    ['Grid-frequency', 32085, 'UINT16', 0.01, 'Hz'],
    ['Cumulative-energy-yield', 32106, 'UINT32', 0.01, 'kWh'],
  ]);
});

test('electricity meters list hexadecimal registers with sizes and resolutions (ABB B23)', () => {
  const channels = paste(
    'Quantity,Details,Start Reg (Hex),Size,Res.,Unit,Data type\nVoltage,L1-N,5B00,2,0.1,V,Unsigned\nCurrent,L1,5B0C,2,0.01,A,Unsigned\nActive power,Total,5B14,2,0.01,W,Signed\nFrequency,,5B2C,1,0.01,Hz,Unsigned\n',
  );
  assert.deepEqual(show(channels), [
    ['Voltage', 0x5b00, 'UINT32', 0.1, 'V'],
    ['Current', 0x5b0c, 'UINT32', 0.01, 'A'],
    ['Active-power', 0x5b14, 'INT32', 0.01, 'W'],
    ['Frequency', 0x5b2c, 'UINT16', 0.01, 'Hz'],
  ]);
});

test('heat pumps list signed tenths in input registers in German (Stiebel Eltron ISG)', () => {
  const channels = paste(
    'Modbus-Adresse;Objektbezeichnung;Datentyp;Faktor;Einheit;Registertyp\n507;AUSSENTEMPERATUR;signed 16 bit;0,1;°C;Input\n508;ISTTEMPERATUR HK 1;signed 16 bit;0,1;°C;Input\n',
  );
  assert.deepEqual(show(channels), [
    ['AUSSENTEMPERATUR', 507, 'INT16', 0.1, '°C'],
    ['ISTTEMPERATUR-HK-1', 508, 'INT16', 0.1, '°C'],
  ]);
});
