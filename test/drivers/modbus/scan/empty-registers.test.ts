import assert from 'node:assert/strict';
import { test } from 'node:test';

import { adviseNotAvailable, findEmptyRegisters } from '../../../../drivers/modbus/scan/empty-registers.ts';

const find = (...words: readonly number[]) =>
  findEmptyRegisters('INPUT_REGISTERS', new Map(words.map((word, index) => [10 + index, word])), []);
const texts = (...words: readonly number[]): readonly string[] => find(...words).map(({ text }) => text);

test('adjacent registers are one range, and the fields say what to configure', () => {
  assert.deepEqual(find(0x8000, 0x8000, 5, 0x8000), [
    {
      kind: 'NOT_AVAILABLE',
      text: 'INPUT_REGISTERS 10-11, 13: 0x8000, not available?',
      reasons: [
        {
          code: 'SCAN_NOT_AVAILABLE',
          parameters: { table: 'INPUT_REGISTERS', registers: '10-11, 13', entry: '0x8000' },
        },
      ],
      fields: { table: 'INPUT_REGISTERS', notAvailable: '0x8000', count: 3, registers: '10-11,13' },
    },
  ]);
});

test('two registers are one number where they are probably not two', () => {
  assert.deepEqual(texts(1, 0x8000, 0, 7), ['INPUT_REGISTERS 11-12: 0x80000000, not available?']);
  assert.deepEqual(texts(0, 0x7fff, 1, 0, 0xffff, 1, 0xffff, 0x8001), []);
  assert.deepEqual(texts(0x8000, 0x8000, 0, 7), ['INPUT_REGISTERS 10-11: 0x8000, not available?']);
  assert.deepEqual(texts(0x7fc0, 0), ['INPUT_REGISTERS 10-11: NaN, not available?']);
  assert.deepEqual(texts(0x7fff, 0xffff, 3, 0x7fff, 0xffff), [
    'INPUT_REGISTERS 10-11, 13-14: 0x7FFFFFFF, not available?',
  ]);
});

test('a single 0xFFFF is rather -1 or half of a negative number, and a single 0x7FFF a value', () => {
  assert.deepEqual(texts(0xffff, 0xffd8, 1, 0xffff, 0xfff0), []);
  assert.deepEqual(texts(0x7fff, 1), []);
  assert.deepEqual(texts(0x7fff, 1, 0x7fff), ['INPUT_REGISTERS 10, 12: 0x7FFF, not available?']);
  assert.deepEqual(texts(0xffff, 0xffff), ['INPUT_REGISTERS 10-11: 0xFFFF, not available?']);
});

test('many ranges are counted, and the texts and pads of the common model are no values', () => {
  const words = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 0x8000 : 1));
  assert.match(texts(...words).join(), /10, 12, 14, 16, 18, 20, 22, 24 and 12 more: 0x8000/);
  const models = [{ number: 1, at: 10, length: 40 }];
  const map = new Map(words.map((word, index) => [10 + index, word]));
  assert.deepEqual(findEmptyRegisters('HOLDING_REGISTERS', map, models), []);
});

test('the advice names each number once', () => {
  assert.equal(adviseNotAvailable([]), undefined);
  assert.match(
    adviseNotAvailable([...find(0x8000, 1), ...find(0x8000, 1)])?.message ?? '',
    /^If the device reports 0x8000 /,
  );
});
