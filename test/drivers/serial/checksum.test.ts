import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createChecksum, createCyclicCheck } from '../../../drivers/serial/checksum.ts';
import { checksumSchema } from '../../../drivers/serial/checksum-setting.ts';
import { configSchema } from '../../../drivers/serial/serial-config.ts';
import { LINES } from '../../support/serial-instrument-driver.ts';

const CHECK_TEXT = Buffer.from('123456789');

function create(setting: object, dataBits: 7 | 8 = 8) {
  return createChecksum(checksumSchema.parse(setting), dataBits);
}

// Name, width, polynomial, initial, reflect, xorOut and check as the catalogue of parametrised CRC algorithms lists them.
const CATALOGUE = [
  ['CRC-8/SMBUS', 8, 0x07, 0x00, false, 0x00, 0xf4],
  ['CRC-8/MAXIM-DOW', 8, 0x31, 0x00, true, 0x00, 0xa1],
  ['CRC-8/ROHC', 8, 0x07, 0xff, true, 0x00, 0xd0],
  ['CRC-8/SAE-J1850', 8, 0x1d, 0xff, false, 0xff, 0x4b],
  ['CRC-8/I-432-1', 8, 0x07, 0x00, false, 0x55, 0xa1],
  ['CRC-8/AUTOSAR', 8, 0x2f, 0xff, false, 0xff, 0xdf],
  ['CRC-16/MODBUS', 16, 0x8005, 0xffff, true, 0x0000, 0x4b37],
  ['CRC-16/ARC', 16, 0x8005, 0x0000, true, 0x0000, 0xbb3d],
  ['CRC-16/USB', 16, 0x8005, 0xffff, true, 0xffff, 0xb4c8],
  ['CRC-16/MAXIM-DOW', 16, 0x8005, 0x0000, true, 0xffff, 0x44c2],
  ['CRC-16/XMODEM', 16, 0x1021, 0x0000, false, 0x0000, 0x31c3],
  ['CRC-16/IBM-3740', 16, 0x1021, 0xffff, false, 0x0000, 0x29b1],
  ['CRC-16/GENIBUS', 16, 0x1021, 0xffff, false, 0xffff, 0xd64e],
  ['CRC-16/KERMIT', 16, 0x1021, 0x0000, true, 0x0000, 0x2189],
  ['CRC-16/IBM-SDLC', 16, 0x1021, 0xffff, true, 0xffff, 0x906e],
  ['CRC-16/DNP', 16, 0x3d65, 0x0000, true, 0xffff, 0xea82],
  ['CRC-16/EN-13757', 16, 0x3d65, 0x0000, false, 0xffff, 0xc2b7],
] as const;

for (const [name, width, polynomial, initial, reflect, xorOut, check] of CATALOGUE) {
  test(`${name} of "123456789" is that of the catalogue`, () => {
    assert.equal(createCyclicCheck({ width, polynomial, initial, reflect, xorOut })(CHECK_TEXT), check);
    const kind = width === 8 ? 'CRC8' : 'CRC16';
    const setting = { kind, polynomial, initial, reflect, xorOut, form: 'HEX' };
    const digits = check
      .toString(16)
      .toUpperCase()
      .padStart(width / 4, '0');
    assert.equal(create(setting).seal(CHECK_TEXT)?.toString('latin1'), digits);
  });
}

test('XOR, sum and its two’s complement are those of the bytes', () => {
  for (const [kind, sum] of [
    ['XOR', 0x31],
    ['SUM', 0xdd],
    ['TWOS_COMPLEMENT', 0x23],
  ] as const) {
    assert.deepEqual(create({ kind }).seal(CHECK_TEXT), Buffer.of(sum), kind);
    assert.deepEqual(create({ kind }, 7).seal(CHECK_TEXT), Buffer.of(sum & 0x7f), `${kind} of 7 bits`);
  }
});

const NMEA = { kind: 'XOR', form: 'HEX', after: '$', separator: '*' };

test('sentences of NMEA 0183 are checked as receivers send them', () => {
  const sentences = [
    '$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47',
    '$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A',
    '$GPGLL,4916.45,N,12311.12,W,225444,A,*1D',
  ];
  for (const sentence of sentences) {
    const opened = create(NMEA).open(Buffer.from(sentence));
    assert.equal(opened.content?.toString(), sentence.slice(0, -3));
  }
  assert.equal(create(NMEA).open(Buffer.from('$GPGLL,4916.45,N,12311.12,W,225444,A,*1d')).fault, undefined);
});

test('a frame is damaged when a byte changed, the checksum or its place is missing', () => {
  const check = create(NMEA);
  const wrong = [
    '$GPGLL,4916.46,N,12311.12,W,225444,A,*1D',
    '$GPGLL,4916.45,N,12311.12,W,225444,A,*1C',
    '$GPGLL,4916.45,N,12311.12,W,225444,A,',
    'GPGLL,4916.45,N,12311.12,W,225444,A,*1D',
    '*1D',
    '',
  ];
  for (const frame of wrong) assert.notEqual(check.open(Buffer.from(frame)).fault, undefined, frame);
  assert.equal(check.open(Buffer.from('$AB*00')).fault, '"$AB*00" has the checksum "00" instead of "03"');
});

test('the covered bytes begin at an offset, and bytes may follow the checksum', () => {
  const framed = create({ kind: 'SUM', from: 1, trailing: 1 });
  const opened = framed.open(Buffer.from([0x02, 0x10, 0x20, 0x30, 0x03]));
  assert.deepEqual(opened.content, Buffer.from([0x02, 0x10, 0x20]));
  assert.deepEqual(framed.seal(Buffer.from([0x02, 0x10, 0x20])), Buffer.of(0x30));
  assert.equal(framed.seal(Buffer.alloc(0)), undefined);
});

test('the bytes of a CRC-16 are in their order', () => {
  // The request of the MODBUS over Serial Line guide for unit 2, function 7 ends with 41 12.
  const setting = { kind: 'CRC16', polynomial: 0x8005, initial: 0xffff, reflect: true };
  const request = Buffer.of(0x02, 0x07);
  assert.deepEqual(create({ ...setting, byteOrder: 'LITTLE_ENDIAN' }).seal(request), Buffer.of(0x41, 0x12));
  assert.deepEqual(create(setting).seal(request), Buffer.of(0x12, 0x41));
});

test('a checksum that means nothing is refused at its field', () => {
  const crc = { kind: 'CRC16', polynomial: 0x8005 };
  const wrong: readonly (readonly [checksum: object, place: string, settings?: object])[] = [
    [{ kind: 'PARITY' }, 'checksum.kind'],
    [{ kind: 'XOR', polynomial: 7 }, 'checksum'],
    [{ kind: 'SUM', byteOrder: 'BIG_ENDIAN' }, 'checksum'],
    [{ kind: 'CRC8', polynomial: 7, byteOrder: 'BIG_ENDIAN' }, 'checksum'],
    [{ kind: 'CRC16' }, 'checksum.polynomial'],
    [{ kind: 'CRC16', polynomial: 0 }, 'checksum.polynomial'],
    [{ kind: 'CRC16', polynomial: 0x8408 }, 'checksum.polynomial'],
    [{ kind: 'CRC8', polynomial: 0x107 }, 'checksum.polynomial'],
    [{ ...crc, initial: 0x1_0000 }, 'checksum.initial'],
    [{ ...crc, xorOut: -1 }, 'checksum.xorOut'],
    [{ kind: 'XOR', from: 1, after: '$' }, 'checksum.after'],
    [{ kind: 'XOR', separator: '\\q' }, 'checksum.separator'],
    [{ kind: 'XOR', after: '' }, 'checksum.after'],
    [{ kind: 'XOR', afterDelimiter: true, separator: '*' }, 'checksum.separator'],
    [{ kind: 'XOR', afterDelimiter: true, trailing: 1 }, 'checksum.trailing'],
    [
      { kind: 'XOR', afterDelimiter: true },
      'checksum.afterDelimiter',
      { framing: { type: 'idleGap', gapMs: 20 } },
    ],
    [{ ...crc, from: 3 }, 'checksum.from', { framing: { type: 'fixedLength', length: 4 } }],
    [crc, 'checksum.form', { dataBits: 7, parity: 'even' }],
  ];
  for (const [checksum, place, settings = {}] of wrong) {
    const parsed = configSchema.safeParse({ device: '/dev/ttyS0', framing: LINES, checksum, ...settings });
    assert.equal(parsed.error?.issues[0]?.path.join('.'), place, JSON.stringify(checksum));
  }
  assert.ok(configSchema.safeParse({ device: '/dev/ttyS0', framing: LINES, checksum: NMEA }).success);
});
