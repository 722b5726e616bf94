import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  createSignOn,
  parseIdentification,
  planReadout,
} from '../../../../drivers/serial/meter/identification.ts';
import { MeterFrameReader, openMeterFrame } from '../../../../drivers/serial/meter/meter-frames.ts';
import { createRandom } from '../../../support/random.ts';
import { createDataMessage, READOUTS, SENT_TELEGRAMS } from './published-readouts.ts';

function read(mode: 'C' | 'D', stream: Buffer, maximumBytes = 4096, seed = 1) {
  const frames: Buffer[] = [];
  const faults: string[] = [];
  const random = createRandom(seed);
  const reader = new MeterFrameReader(mode, maximumBytes, {
    onFrame: (frame) => frames.push(frame),
    onFault: (fault) => faults.push(fault),
  });
  for (let at = 0; at < stream.length;) {
    const end = at + 1 + Math.floor(random() * 9);
    reader.push(stream.subarray(at, end));
    at = end;
  }
  return { frames, faults };
}

for (const { meter, identification, lines } of READOUTS) {
  test(`identification and data message of ${meter} are frames, and an echo is none`, () => {
    const message = createDataMessage(lines);
    const stream = Buffer.concat([
      Buffer.from(`/?!\r\n${identification}\r\n\x06050\r\n`, 'latin1'),
      Buffer.from([0x00, 0xff, 0x15]),
      message,
    ]);
    for (let seed = 1; seed < 20; seed += 1) {
      const { frames, faults } = read('C', stream, 4096, seed);
      assert.deepEqual(frames, [Buffer.from(`${identification}\r\n`, 'latin1'), message]);
      assert.deepEqual(faults, []);
    }
    assert.deepEqual(openMeterFrame(message).content, message.subarray(0, -2));
  });

  test(`a readout of ${meter} with a wrong bit is damaged`, () => {
    const message = createDataMessage(lines);
    for (let at = 1; at < message.length; at += 7) {
      const wrong = Buffer.from(message);
      wrong[at] = (wrong[at] ?? 0) ^ 0x04;
      assert.notEqual(openMeterFrame(wrong).fault, undefined);
    }
  });
}

for (const { meter, identification, lines } of SENT_TELEGRAMS) {
  test(`a telegram of ${meter} is one frame from its beginning to its end`, () => {
    const telegram = `${identification}\r\n\r\n${lines.join('\r\n')}\r\n!\r\n`;
    const { frames } = read('D', Buffer.from(`00749.123)\r\n!\r\n${telegram}${telegram}`, 'latin1'));
    assert.deepEqual(
      frames.map((frame) => frame.toString('latin1')),
      [telegram, telegram],
    );
  });
}

// An example of DSMR 5 with the checksum that the parser of N. Dokter is tested with (github.com/ndokter/dsmr_parser).
const P1_TELEGRAM = [
  '/ISk5\\2MT382-1000',
  '',
  '1-3:0.2.8(50)',
  '0-0:1.0.0(170102192002W)',
  '0-0:96.1.1(4B384547303034303436333935353037)',
  '1-0:1.8.1(000004.426*kWh)',
  '1-0:1.8.2(000002.399*kWh)',
  '1-0:2.8.1(000002.444*kWh)',
  '1-0:2.8.2(000000.000*kWh)',
  '0-0:96.14.0(0002)',
  '1-0:1.7.0(00.244*kW)',
  '1-0:2.7.0(00.000*kW)',
  '0-0:96.7.21(00013)',
  '0-0:96.7.9(00000)',
  '1-0:99.97.0(0)(0-0:96.7.19)',
  '1-0:32.32.0(00000)',
  '1-0:52.32.0(00000)',
  '1-0:72.32.0(00000)',
  '1-0:32.36.0(00000)',
  '1-0:52.36.0(00000)',
  '1-0:72.36.0(00000)',
  '0-0:96.13.0()',
  '1-0:32.7.0(0230.0*V)',
  '1-0:52.7.0(0230.0*V)',
  '1-0:72.7.0(0229.0*V)',
  '1-0:31.7.0(0.48*A)',
  '1-0:51.7.0(0.44*A)',
  '1-0:71.7.0(0.86*A)',
  '1-0:21.7.0(00.070*kW)',
  '1-0:41.7.0(00.032*kW)',
  '1-0:61.7.0(00.142*kW)',
  '1-0:22.7.0(00.000*kW)',
  '1-0:42.7.0(00.000*kW)',
  '1-0:62.7.0(00.000*kW)',
  '0-1:24.1.0(003)',
  '0-1:96.1.0(3232323241424344313233343536373839)',
  '0-1:24.2.1(170102161005W)(00000.107*m3)',
  '0-2:24.1.0(003)',
  '0-2:96.1.0()',
].join('\r\n');

test('the checksum after a telegram is checked where there is one', () => {
  const open = (end: string) => openMeterFrame(Buffer.from(`${P1_TELEGRAM}\r\n!${end}\r\n`)).fault;
  assert.equal(open('6EEE'), undefined);
  assert.equal(open(''), undefined);
  assert.match(open('6EEF') ?? '', /checksum 6EEF instead of 6EEE/);
});

test('a readout without an end is discarded with its reason', () => {
  const { frames, faults } = read('C', Buffer.from(`\x02${'1.8.0(1)\r\n'.repeat(40)}`, 'latin1'), 64);
  assert.deepEqual([frames, faults.length], [[], 1]);
  assert.match(faults[0] ?? '', /no end of the readout within 64 bytes/);
});

test('an identification says mode, speed and reaction time', () => {
  const rows = [
    ['/ISk5ME162', 'C', 9600, 20],
    ['/LGZ4ZMD', 'C', 4800, 200],
    ['/ESY6Q3D', 'C', 19_200, 200],
    ['/FMLCx', 'B', 2400, 200],
    ['/ABC?x', 'A', 300, 200],
  ] as const;
  for (const [line, mode, baudRate, reactionMs] of rows) {
    const found = parseIdentification(line, 300);
    assert.deepEqual([found?.mode, found?.baudRate, found?.reactionMs], [mode, baudRate, reactionMs], line);
  }
  for (const line of ['/?!', '/?123!', 'ISk5', '/IS', '', '/ISk5\x01']) {
    assert.equal(parseIdentification(line, 300), undefined, line);
  }
});

test('the speed is what the meter offers, or less where a head is slower', () => {
  const identification = parseIdentification('/LGZ5\\2ZMD', 300) ?? assert.fail();
  assert.deepEqual(planReadout(identification, 19_200), {
    acknowledgement: Buffer.from('\x06050\r\n'),
    baudRate: 9600,
  });
  assert.deepEqual(planReadout(identification, 2400), {
    acknowledgement: Buffer.from('\x06030\r\n'),
    baudRate: 2400,
  });
  assert.deepEqual(planReadout(identification, 300), {
    acknowledgement: Buffer.from('\x06000\r\n'),
    baudRate: 300,
  });
  const modeB = parseIdentification('/FMLCx', 300) ?? assert.fail();
  assert.deepEqual(planReadout(modeB, 19_200), { baudRate: 2400 });
});

test('a request names the meter where a line has several', () => {
  assert.equal(createSignOn(undefined).toString(), '/?!\r\n');
  assert.equal(createSignOn('12345678').toString(), '/?12345678!\r\n');
});
