import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findMeterValue } from '../../../../drivers/serial/meter/meter-value.ts';
import type { MeterAddress } from '../../../../drivers/serial/meter/meter-value.ts';
import { findByCode, parseObisCode } from '../../../../drivers/serial/meter/obis-code.ts';
import { findUnitShift, parseReadout } from '../../../../drivers/serial/meter/readout.ts';
import { HEAT_METER, READOUTS, SENT_TELEGRAMS } from './published-readouts.ts';

for (const { meter, lines, values } of [...READOUTS, HEAT_METER, ...SENT_TELEGRAMS]) {
  test(`the values of a readout of ${meter} are found by their codes`, () => {
    const sets = parseReadout(`${lines.join('\r\n')}\r\n!\r\n`);
    for (const [address, valueType, expected] of values) {
      const { value, failure } = findMeterValue(sets, address as MeterAddress, valueType);
      assert.equal(failure?.code ?? value, expected, JSON.stringify(address));
    }
  });
}

test('a code is parsed complete, reduced, with letters and with a period', () => {
  const quantities = ['1-0:1.8.0*255', '1-0:1.8.0.255', '1.8.0', '01.08.00', '1.8', '1-0:1.8.0&255'];
  for (const text of quantities) {
    assert.deepEqual(
      [parseObisCode(text)?.quantity, parseObisCode(text)?.period],
      ['1.8.0', undefined],
      text,
    );
  }
  assert.equal(parseObisCode('F.F')?.quantity, '97.97.0');
  assert.equal(parseObisCode('c.1.0')?.quantity, '96.1.0');
  assert.equal(parseObisCode('1.8.1*01')?.period, '1');
  for (const text of ['', '1-0', '1.8.0*', 'a b', '1-0:1.8.0*2555', '1.8.0(', '1..8']) {
    assert.equal(parseObisCode(text), undefined, text);
  }
});

test('a code without a channel finds the only one, and is ambiguous with several', () => {
  const items = ['1-1:1.8.0', '1-2:1.8.0', '1-1:2.8.0'].map((text) => ({ text, code: parseObisCode(text) }));
  const find = (text: string) => {
    const code = parseObisCode(text);
    const search = code === undefined ? assert.fail() : findByCode(code, items);
    return search.kind === 'FOUND' ? search.item.text : search.kind;
  };
  assert.equal(find('2.8.0'), '1-1:2.8.0');
  assert.equal(find('1.8.0'), 'AMBIGUOUS');
  assert.equal(find('1-2:1.8.0'), '1-2:1.8.0');
  assert.equal(find('1-3:1.8.0'), 'NONE');
  const { failure } = findMeterValue(
    parseReadout('1-1:1.8.0(1*kWh)\r\n1-2:1.8.0(2*kWh)\r\n'),
    { obis: '1.8.0' },
    'DOUBLE',
  );
  assert.match(failure?.message ?? '', /expected one of 1-1:1\.8\.0 and 1-2:1\.8\.0/);
});

test('units of the same quantity are converted by powers of ten, others are not', () => {
  const shifts = [
    ['kWh', 'Wh', 3],
    ['Wh', 'MWh', -6],
    ['KWH', 'kWh', 0],
    ['kvarh', 'varh', 3],
    ['m3', 'm3', 0],
    ['GJ', 'MJ', 3],
    ['mA', 'A', -3],
    ['MW', 'mW', 9],
    ['kWh', 'kvarh', undefined],
    ['kW', 'kWh', undefined],
    ['V', 'A', undefined],
  ] as const;
  for (const [from, to, shift] of shifts) assert.equal(findUnitShift(from, to), shift, `${from} to ${to}`);
});

test('a conversion has no rounding error of its own', () => {
  const sets = parseReadout('1.8.0(000123.457*kWh)\r\n');
  assert.equal(findMeterValue(sets, { obis: '1.8.0', unit: 'Wh' }, 'DOUBLE').value, 123_457);
  assert.equal(findMeterValue(sets, { obis: '1.8.0', unit: 'GWh' }, 'DOUBLE').value, 0.000_123_457);
});
