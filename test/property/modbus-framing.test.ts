import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { appendCrc, hasRightCrc } from '../../drivers/modbus/pdu/crc.ts';
import { encodeFrame, FrameReader, FramingFault } from '../../drivers/modbus/pdu/mbap.ts';
import { TolerantFrameReader } from '../../drivers/modbus/pdu/tolerant-frame-reader.ts';
import { asciiFraming, rtuFraming, ReceivedBytes } from '../../drivers/modbus/pdu/serial-framing.ts';
import { cutInPieces, pieces } from './pieces.ts';
import { propertyTest } from './property-test.ts';

interface Frame {
  readonly transactionId: number;
  readonly unitId: number;
  readonly pdu: readonly number[];
}

const byte = fc.nat(255);
// The longest ones as often as short ones.
const pdu = (maxLength: number): fc.Arbitrary<number[]> =>
  fc.oneof(
    fc.array(byte, { minLength: 1, maxLength: 8 }),
    fc.array(byte, { minLength: maxLength - 2, maxLength }),
    fc.array(byte, { minLength: 1, maxLength, size: 'max' }),
  );
const frame: fc.Arbitrary<Frame> = fc.record(
  { transactionId: fc.nat(65_535), unitId: byte, pdu: pdu(253) },
  { noNullPrototype: true },
);

// One bit after the other, as the polynomial is written (MODBUS over Serial Line V1.02, 2.5.1.2).
function slowCrc(bytes: readonly number[]): number {
  let register = 0xffff;
  for (const one of bytes) {
    for (let bit = 0; bit < 8; bit += 1) {
      const isSet = ((register ^ (one >> bit)) & 1) === 1;
      register = (register >> 1) ^ (isSet ? 0xa001 : 0);
    }
  }
  return register;
}

function readAll(chunks: readonly Buffer[]): { readonly frames: Frame[]; readonly isFaulty: boolean } {
  const frames: Frame[] = [];
  const reader = new FrameReader((transactionId, unitId, view) =>
    frames.push({ transactionId, unitId, pdu: [...view] }),
  );
  try {
    for (const chunk of chunks) reader.push(chunk);
  } catch (error) {
    assert.ok(error instanceof FramingFault);
    return { frames, isFaulty: true };
  }
  return { frames, isFaulty: false };
}

// Cuts by the length field alone, from all bytes at once.
function slowFrames(bytes: Buffer): { readonly frames: Frame[]; readonly isFaulty: boolean } {
  const frames: Frame[] = [];
  for (let at = 0; ;) {
    if (at + 4 <= bytes.length && bytes.readUInt16BE(at + 2) !== 0) return { frames, isFaulty: true };
    if (at + 6 > bytes.length) return { frames, isFaulty: false };
    const length = bytes.readUInt16BE(at + 4);
    if (length < 2 || length > 254) return { frames, isFaulty: true };
    if (at + 6 + length > bytes.length) return { frames, isFaulty: false };
    const body = [...bytes.subarray(at + 7, at + 6 + length)];
    frames.push({ transactionId: bytes.readUInt16BE(at), unitId: bytes[at + 6] ?? 0, pdu: body });
    at += 6 + length;
  }
}

propertyTest(
  'Modbus TCP frames are the same however the stream was cut',
  fc.property(fc.array(frame, { maxLength: 8 }), pieces, (frames, cuts) => {
    const stream = Buffer.concat(
      frames.map(({ transactionId, unitId, pdu: body }) =>
        encodeFrame(transactionId, unitId, Buffer.from(body)),
      ),
    );
    assert.deepEqual(readAll(cutInPieces(stream, cuts)), { frames, isFaulty: false });
  }),
);

const brokenStream = fc
  .tuple(
    fc.array(frame, { minLength: 1, maxLength: 4 }),
    fc.array(fc.tuple(fc.nat(40), byte), { maxLength: 3 }),
    fc.nat(60),
  )
  .map(([frames, changes, missing]) => {
    const stream = Buffer.concat(
      frames.map(({ transactionId, unitId, pdu: body }) =>
        encodeFrame(transactionId, unitId, Buffer.from(body)),
      ),
    );
    for (const [at, value] of changes) if (at < stream.length) stream[at] = value;
    return stream.subarray(0, Math.max(0, stream.length - missing));
  });

propertyTest(
  'a stream that is broken somewhere gives the frames before that, and the same fault, however it was cut',
  fc.property(brokenStream, pieces, (stream, cuts) => {
    assert.deepEqual(readAll(cutInPieces(stream, cuts)), slowFrames(stream));
  }),
  2,
);

propertyTest(
  'the CRC of a frame is that of the bitwise calculation, and any changed bit is seen',
  fc.property(byte, pdu(253), fc.nat(), (unitId, body, changed) => {
    const sent = appendCrc(unitId, Buffer.from(body));
    const crc = slowCrc([unitId, ...body]);
    assert.deepEqual([...sent], [unitId, ...body, crc & 255, crc >> 8]);
    assert.ok(hasRightCrc(sent));
    const bit = changed % (8 * sent.length);
    sent[bit >> 3] = (sent[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.ok(!hasRightCrc(sent));
  }),
);

propertyTest(
  'ASCII frames have two digits for each byte, and bytes whose sum with the LRC is 0',
  fc.property(byte, pdu(253), (unitId, body) => {
    const text = asciiFraming.encode(unitId, Buffer.from(body)).toString('latin1');
    assert.match(text, /^:[0-9A-F]+\r\n$/);
    const bytes = (text.slice(1, -2).match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));
    assert.deepEqual(bytes.slice(0, -1), [unitId, ...body]);
    assert.equal(bytes.reduce((sum, one) => sum + one, 0) % 256, 0);
    assert.equal(text.length, asciiFraming.countCharacters(body.length));
    assert.equal(
      rtuFraming.encode(unitId, Buffer.from(body)).length,
      rtuFraming.countCharacters(body.length),
    );
  }),
);

const noise = fc.array(fc.oneof(byte, fc.constantFrom(0x3a, 0x0d, 0x0a, 1, 3, 0x83)), { maxLength: 30 });

for (const [mode, framing] of [
  ['RTU', rtuFraming],
  ['ASCII', asciiFraming],
] as const) {
  propertyTest(
    `in ${mode} mode an answer is found behind noise with the right sum, whichever pieces it came in`,
    fc.property(
      byte,
      fc.nat(127),
      fc.array(byte, { maxLength: 100 }),
      noise,
      pieces,
      (unitId, functionCode, data, before, cuts) => {
        const body = [functionCode, ...data];
        const sent = framing.encode(unitId, Buffer.from(body));
        const expected = { unitId, functionCode, pduBytes: body.length };
        const received = new ReceivedBytes();
        let isFound = false;
        for (const piece of cutInPieces(Buffer.concat([Buffer.from(before), sent]), cuts)) {
          assert.ok(!isFound || framing.find(received.bytes, expected) !== undefined);
          received.push(piece);
          isFound = framing.find(received.bytes, expected) !== undefined;
        }
        const found = framing.find(received.bytes, expected);
        assert.ok(found !== undefined);
        assert.equal(found.unitId, unitId);
        // Noise can be a frame by chance; then it has a right sum as well.
        const whole = framing.encode(unitId, found.pdu);
        const there = received.bytes.subarray(found.start, found.start + whole.length);
        assert.equal(there.toString('latin1').toUpperCase(), whole.toString('latin1').toUpperCase());
        assert.deepEqual(framing.parseWhole(sent)?.pdu, Buffer.from(body));
      },
    ),
    2,
  );

  propertyTest(
    `in ${mode} mode whatever is found in any bytes has the right sum, unit and function`,
    fc.property(
      fc.uint8Array({ maxLength: 80 }),
      fc.nat(3),
      fc.nat(3),
      fc.integer({ min: 2, max: 8 }),
      (bytes, unitId, functionCode, pduBytes) => {
        const sent = framing.encode(unitId, Buffer.from([functionCode, ...bytes.subarray(0, pduBytes - 1)]));
        const held = Buffer.concat([
          bytes.subarray(0, 20),
          sent.subarray(0, sent.length - (bytes.length % 3)),
          bytes,
        ]);
        const found = framing.find(held, { unitId, functionCode, pduBytes });
        if (found === undefined) return;
        assert.equal(found.unitId, unitId);
        assert.equal((found.pdu[0] ?? 0) & 0x7f, functionCode);
        assert.ok(mode === 'ASCII' || [2, pduBytes].includes(found.pdu.length));
      },
    ),
  );
}

propertyTest(
  'received bytes are kept up to their bound, and dropped through the first occurrence',
  fc.property(
    fc.array(fc.uint8Array({ maxLength: 900, size: 'max' }), { maxLength: 4 }),
    fc.uint8Array({ minLength: 1, maxLength: 3 }),
    (chunks, sought) => {
      const received = new ReceivedBytes();
      let expected: number[] = [];
      for (const chunk of chunks) {
        const fits = expected.length + chunk.length <= 2048;
        expected = [...expected, ...chunk].slice(0, 2048);
        assert.equal(received.push(Buffer.from(chunk)), fits);
        assert.deepEqual([...received.bytes], expected);
      }
      const text = String.fromCharCode(...expected);
      const at = text.indexOf(String.fromCharCode(...sought));
      assert.equal(received.startsWith(Buffer.from(sought)), at === 0);
      assert.equal(received.dropThrough(Buffer.from(sought)), at !== -1);
      assert.deepEqual([...received.bytes], at === -1 ? expected : expected.slice(at + sought.length));
    },
  ),
);

const MAXIMUM_STRAY = 12;

// Looks at every position for the header of a frame that was sent.
function hasHeader(bytes: Buffer, from: number, to: number, ids: ReadonlySet<number>): boolean {
  for (let at = from; at < to; at += 1) {
    if (at + 7 > bytes.length) return false;
    const length = bytes.readUInt16BE(at + 4);
    const isHeader = bytes.readUInt16BE(at + 2) === 0 && length >= 2 && length <= 254;
    if (isHeader && ids.has(bytes.readUInt16BE(at))) return true;
  }
  return false;
}

propertyTest(
  'Modbus TCP frames are found among other bytes, however the stream was cut',
  fc.property(
    fc.array(fc.tuple(fc.array(byte, { maxLength: MAXIMUM_STRAY }), frame), { minLength: 1, maxLength: 6 }),
    pieces,
    (items, cuts) => {
      const ids = new Set(items.map(([, { transactionId }]) => transactionId));
      const parts = items.map(([stray, { transactionId, unitId, pdu: body }]) => ({
        stray: Buffer.from(stray),
        frame: encodeFrame(transactionId, unitId, Buffer.from(body)),
      }));
      const stream = Buffer.concat(parts.flatMap(({ stray, frame: whole }) => [stray, whole]));
      let at = 0;
      for (const { stray, frame: whole } of parts) {
        // Bytes that begin a frame by chance are none to skip.
        fc.pre(!hasHeader(stream, at, at + stray.length, ids));
        at += stray.length + whole.length;
      }
      const found: Frame[] = [];
      const reader = new TolerantFrameReader({
        onFrame: (transactionId, unitId, view) => found.push({ transactionId, unitId, pdu: [...view] }),
        isExpected: (transactionId) => ids.has(transactionId),
        maximumStrayBytes: MAXIMUM_STRAY,
      });
      for (const chunk of cutInPieces(stream, cuts)) reader.push(chunk);
      assert.deepEqual(
        found,
        items.map(([, one]) => one),
      );
    },
  ),
);
