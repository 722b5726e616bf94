import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFrame, FrameReader, FramingFault } from '../../../../drivers/modbus/pdu/mbap.ts';

type Frame = readonly [transactionId: number, unitId: number, pdu: string];

function collect(chunks: readonly Buffer[]): readonly Frame[] {
  const frames: Frame[] = [];
  const reader = new FrameReader((transactionId, unitId, pdu) => {
    frames.push([transactionId, unitId, pdu.toString('hex')]);
  });
  for (const chunk of chunks) reader.push(chunk);
  return frames;
}

// MODBUS Messaging on TCP/IP Implementation Guide V1.0b, 4.4.2.1: read one register at offset 4 of unit 255.
const REQUEST = Buffer.from('150100000006ff0300040001', 'hex');
const ANSWER = Buffer.from('150100000005ff03020005', 'hex');

test('encodeFrame writes the request of the implementation guide', () => {
  assert.deepEqual(encodeFrame(0x1501, 0xff, Buffer.from('0300040001', 'hex')), REQUEST);
});

test('the reader reads the answer of the implementation guide', () => {
  assert.deepEqual(collect([ANSWER]), [[0x1501, 0xff, '03020005']]);
});

test('the reader finds the same frames wherever the stream is cut', () => {
  const stream = Buffer.concat([ANSWER, REQUEST, ANSWER]);
  const whole = collect([stream]);
  assert.equal(whole.length, 3);
  for (let cut = 1; cut < stream.length; cut += 1) {
    assert.deepEqual(collect([stream.subarray(0, cut), stream.subarray(cut)]), whole, `cut at ${cut}`);
  }
});

test('the reader reads a stream byte by byte', () => {
  const bytes = Array.from(Buffer.concat([ANSWER, REQUEST]), (byte) => Buffer.from([byte]));
  assert.deepEqual(collect(bytes), collect([ANSWER, REQUEST]));
});

test('the reader takes the shortest and the longest frame', () => {
  const shortest = encodeFrame(1, 2, Buffer.alloc(1, 3));
  const longest = encodeFrame(1, 2, Buffer.alloc(253, 3));
  assert.deepEqual(
    collect([shortest, longest.subarray(0, 100), longest.subarray(100)]).map(([, , pdu]) => pdu.length / 2),
    [1, 253],
  );
});

for (const [fault, header] of [
  ['a protocol identifier other than 0', '00010001'],
  ['length 0', '000100000000'],
  ['length 1', '000100000001'],
  ['length 255', '0001000000ff'],
  ['length 65535', '00010000ffff'],
] as const) {
  test(`the reader refuses ${fault} before the body arrives`, () => {
    assert.throws(() => collect([Buffer.from(header, 'hex')]), FramingFault);
  });

  test(`the reader refuses ${fault} byte by byte`, () => {
    const bytes = Array.from(Buffer.from(header, 'hex'), (byte) => Buffer.from([byte]));
    assert.throws(() => collect(bytes), FramingFault);
  });
}
