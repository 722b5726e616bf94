import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createChecksum, sealRequest } from '../../../drivers/serial/checksum.ts';
import { ChecksumGuess, describeChecksum } from '../../../drivers/serial/checksum-guess.ts';
import { checksumSchema } from '../../../drivers/serial/checksum-setting.ts';

const BODIES = [
  '$WIMWV,214.8,R,1.5,M,A',
  '$WIMWV,215.0,R,1.4,M,A',
  '$WIXDR,C,20.4,C,TEMP',
  '$WIXDR,C,21,C,TEMP',
];

function guessOf(setting: object, bodies: readonly string[], mark = '') {
  const checksum = createChecksum(checksumSchema.parse(setting), 8);
  const guess = new ChecksumGuess();
  for (const body of bodies) {
    guess.push(sealRequest([Buffer.from(`${body}${mark}`), Buffer.alloc(0)], checksum));
  }
  return guess.find();
}

const SETTINGS: readonly (readonly [setting: object, mark?: string])[] = [
  [{ kind: 'XOR', form: 'HEX', after: '$', separator: '*' }, '*'],
  [{ kind: 'SUM' }],
  [{ kind: 'TWOS_COMPLEMENT', form: 'HEX', from: 1 }],
  [{ kind: 'CRC16', polynomial: 0x8005, initial: 0xffff, reflect: true, byteOrder: 'LITTLE_ENDIAN' }],
  [{ kind: 'CRC16', polynomial: 0x1021, form: 'HEX' }],
  [{ kind: 'CRC8', polynomial: 0x31, reflect: true, from: 1 }],
];

for (const [setting, mark] of SETTINGS) {
  test(`the checksum ${describeChecksum(setting)} is found in frames that carry it`, () => {
    assert.deepEqual(guessOf(setting, BODIES, mark), setting);
    assert.equal(guessOf(setting, BODIES.slice(1), mark), undefined);
  });
}

test('frames without a checksum, and equal ones, give no advice', () => {
  const guess = new ChecksumGuess();
  for (let count = 0; count < 20; count += 1) guess.push(Buffer.from('ST,GS,+   12.50 kg'));
  assert.equal(guess.find(), undefined);
  for (const weight of ['12.51', '12.52', '12.53', '12.54'])
    guess.push(Buffer.from(`ST,GS,+   ${weight} kg`));
  assert.equal(guess.find(), undefined);
});

test('a setting is written as the configuration has it', () => {
  assert.equal(
    describeChecksum({ kind: 'XOR', form: 'HEX', after: '$', separator: '*' }),
    "{ kind: XOR, form: HEX, after: '$', separator: '*' }",
  );
  assert.equal(
    describeChecksum({ kind: 'CRC16', polynomial: 0x1021 }),
    '{ kind: CRC16, polynomial: 0x1021 }',
  );
});
