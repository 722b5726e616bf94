import assert from 'node:assert/strict';
import * as fc from 'fast-check';

import { openMeterFrame, MeterFrameReader } from '../../drivers/serial/meter/meter-frames.ts';
import { findMeterValue } from '../../drivers/serial/meter/meter-value.ts';
import { parseObisCode } from '../../drivers/serial/meter/obis-code.ts';
import { findUnitShift, parseReadout } from '../../drivers/serial/meter/readout.ts';
import { cutInPieces, pieces } from './pieces.ts';
import { propertyTest } from './property-test.ts';

/** A readout as a slow reader of single characters takes it: code, then what is between parentheses. */
function readSlowly(text: string): readonly { readonly text: string; readonly values: readonly string[] }[] {
  const sets: { text: string; values: string[] }[] = [];
  let code = '';
  let value: string | undefined;
  let isNew = true;
  for (const character of text) {
    if (value !== undefined) {
      if (character === ')') {
        const last = sets.at(-1);
        if (isNew && (code.trim() !== '' || last === undefined))
          sets.push({ text: code.trim(), values: [value] });
        else last?.values.push(value);
        [code, value, isNew] = ['', undefined, false];
      } else value += character;
    } else if (character === '(') value = '';
    else if (character === '\r' || character === '\n') [code, isNew] = ['', true];
    else [code, isNew] = [code + character, true];
  }
  return sets;
}

const group = fc.oneof(fc.nat(255).map(String), fc.constantFrom('C', 'F', 'L', 'P'));
const code = fc
  .tuple(
    fc.option(fc.tuple(fc.nat(255), fc.nat(255)), { nil: undefined }),
    fc.array(group, { minLength: 1, maxLength: 3 }),
    fc.option(fc.tuple(fc.constantFrom('*', '&'), fc.nat(255)), { nil: undefined }),
  )
  .map(([channel, groups, period]) => {
    const head = channel === undefined ? '' : `${channel[0]}-${channel[1]}:`;
    return `${head}${groups.join('.')}${period === undefined ? '' : period.join('')}`;
  });
const content = fc.string({ unit: fc.constantFrom(...Array.from('0123456789.*kWh -:,')), maxLength: 16 });
const line = fc.tuple(fc.option(code, { nil: '' }), fc.array(content, { minLength: 1, maxLength: 3 }));
const lines = fc
  .array(line, { minLength: 1, maxLength: 12 })
  .map((sets) => sets.map(([name, values]) => `${name}${values.map((value) => `(${value})`).join('')}`));

propertyTest(
  'a readout has the codes and values that a reader of single characters finds',
  fc.property(lines, (sent) => {
    const text = `${sent.join('\r\n')}\r\n!\r\n`;
    assert.deepEqual(
      parseReadout(text).map(({ text: name, values }) => ({ text: name, values })),
      readSlowly(text),
    );
  }),
  2,
);

propertyTest(
  'data messages and telegrams come out whole between other bytes, however they were cut, and a changed bit is noticed',
  fc.property(
    lines,
    pieces,
    fc.nat(),
    fc.nat(6),
    fc.constantFrom('C' as const, 'D' as const),
    (sent, cuts, at, bit, mode) => {
      const block = Buffer.from(`${sent.join('\r\n')}\r\n!\r\n\x03`, 'latin1');
      const sum = block.reduce((total, byte) => total ^ byte, 0);
      const frame =
        mode === 'C'
          ? Buffer.from([2, ...block, sum])
          : Buffer.from(`/ESY5Q3D\r\n\r\n${sent.join('\r\n')}\r\n!\r\n`, 'latin1');
      const frames: Buffer[] = [];
      const reader = new MeterFrameReader(mode, 4096, {
        onFrame: (each) => frames.push(each),
        onFault: assert.fail,
      });
      const noise = Buffer.from([0x00, 0xff, 0x15, 0x0a]);
      for (const piece of cutInPieces(Buffer.concat([noise, frame, noise, frame]), cuts)) reader.push(piece);
      assert.deepEqual(frames, [frame, frame]);
      assert.notEqual(openMeterFrame(frame).content, undefined);
      if (mode === 'D') return;
      const damaged = Buffer.from(frame);
      const place = 1 + (at % (frame.length - 2));
      damaged[place] = (damaged[place] ?? 0) ^ (1 << bit);
      assert.notEqual(openMeterFrame(damaged).fault, undefined);
    },
  ),
  2,
);

propertyTest(
  'a number keeps its digits when its unit is converted, as with whole numbers',
  fc.property(
    fc.nat(999_999_999),
    fc.integer({ min: 0, max: 6 }),
    fc.constantFrom('', 'k', 'M', 'G'),
    fc.constantFrom('', 'k', 'M', 'G'),
    (digits, decimals, from, to) => {
      const powers: Readonly<Record<string, number>> = { '': 0, k: 3, M: 6, G: 9 };
      const shift = (powers[from] ?? 0) - (powers[to] ?? 0);
      assert.equal(findUnitShift(`${from}Wh`, `${to}Wh`), shift);
      const padded = String(digits).padStart(decimals + 1, '0');
      const text = decimals === 0 ? padded : `${padded.slice(0, -decimals)}.${padded.slice(-decimals)}`;
      const { value } = findMeterValue(
        parseReadout(`1.8.0(${text}*${from}Wh)\r\n`),
        { obis: '1.8.0', unit: `${to}Wh` },
        'DOUBLE',
      );
      const power = shift - decimals;
      // The nearest double of a fraction of whole numbers.
      const expected = power >= 0 ? BigInt(digits) * 10n ** BigInt(power) : digits / 10 ** -power;
      assert.equal(Number(value), Number(expected));
    },
  ),
  2,
);

propertyTest(
  'a code means the same with leading zeros, in lower case, and with the period of the current value',
  fc.property(fc.array(group, { minLength: 1, maxLength: 3 }), (groups) => {
    const plain = parseObisCode(groups.join('.'));
    const padded = groups.map((each) => (/^\d+$/.test(each) ? each.padStart(3, '0') : each.toLowerCase()));
    assert.deepEqual(parseObisCode(padded.join('.')), plain);
    assert.deepEqual(parseObisCode(`${padded.join('.')}*255`), plain);
  }),
);
