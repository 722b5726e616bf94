import assert from 'node:assert/strict';
import type { Channel } from '../../../daemon/channel/channel.ts';
import { findResponseFault, isShortResponse } from '../../../drivers/modbus/pdu/response.ts';
import { encodeFrame, FrameReader, FramingFault } from '../../../drivers/modbus/pdu/mbap.ts';
import { PduCodec } from '../../../drivers/modbus/value/pdu-codec.ts';
import type { ModbusRequest } from '../../../drivers/modbus/pdu/request.ts';
import { asciiFraming, rtuFraming, ReceivedBytes } from '../../../drivers/modbus/pdu/serial-framing.ts';
import {
  ChunkFault,
  ChunkReader,
  decodeAcknowledge,
  decodeError,
  encodeHello,
} from '../../../drivers/opcua/transport/connection-protocol.ts';
import { createFrameReader } from '../../../drivers/serial/frame-reader.ts';
import type { Framing } from '../../../drivers/serial/framing.ts';
import { openMeterFrame } from '../../../drivers/serial/meter/meter-frames.ts';
import { findMeterValue } from '../../../drivers/serial/meter/meter-value.ts';
import { parseReadout } from '../../../drivers/serial/meter/readout.ts';
import { createPattern } from '../../../drivers/serial/pattern.ts';
import { PatternFault } from '../../../drivers/serial/pattern-program.ts';
import { createResponseReader } from '../../../drivers/serial/response-reader.ts';
import { addressSchema } from '../../../drivers/serial/serial-address.ts';
import type { SerialAddress } from '../../../drivers/serial/serial-address.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { cutInPieces } from '../../property/pieces.ts';
import { attempt, show } from '../fuzz-target.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

/** Reads a stream in pieces; the outcome has to be the same for all pieces. */
function inAnyPieces(input: Buffer, read: (chunks: readonly Buffer[]) => unknown): string {
  const whole = show(read([input]));
  for (const lengths of [[1], [3, 7, 1]]) assert.equal(show(read(cutInPieces(input, lengths))), whole);
  return whole;
}

const mbap: FuzzTarget = {
  name: 'modbus-tcp',
  seeds: [Buffer.from('000100000005010302002a000200000003018302', 'hex')],
  words: [Buffer.of(0, 0), Buffer.of(0, 0, 0, 5, 1), Buffer.of(0, 254), Buffer.of(0, 2)],
  run: (input) =>
    inAnyPieces(input, (chunks) => {
      const frames: unknown[] = [];
      let bytes = 0;
      const reader = new FrameReader((transactionId, unitId, pdu) => {
        const frame = encodeFrame(transactionId, unitId, pdu);
        assert.ok(input.subarray(bytes, bytes + frame.length).equals(frame));
        bytes += frame.length;
        frames.push([transactionId, unitId, Buffer.from(pdu)]);
      });
      const end = attempt([FramingFault], () => {
        for (const chunk of chunks) reader.push(chunk);
      });
      return [frames, end];
    }),
};

const line: FuzzTarget = {
  name: 'modbus-line',
  seeds: [
    rtuFraming.encode(1, Buffer.of(3, 2, 0, 42)),
    asciiFraming.encode(1, Buffer.of(3, 2, 0, 42)),
    rtuFraming.encode(1, Buffer.of(0x83, 2)),
  ],
  words: [Buffer.of(1, 3, 2), Buffer.of(1, 0x83), ':', '\r\n', rtuFraming.encode(1, Buffer.of(3, 2, 0, 0))],
  run(input) {
    const expected = { unitId: 1, functionCode: 3, pduBytes: 4 };
    const found = [rtuFraming, asciiFraming].map((framing) => {
      const received = new ReceivedBytes();
      received.push(input);
      for (const frame of [framing.find(received.bytes, expected), framing.parseWhole(received.bytes)]) {
        if (frame === undefined) continue;
        const sent = framing.encode(frame.unitId, frame.pdu).toString('latin1');
        const there = received.bytes.subarray(frame.start, frame.start + sent.length).toString('latin1');
        assert.equal(framing === rtuFraming ? there : there.toUpperCase(), sent);
      }
      return [
        framing.find(received.bytes, expected),
        framing.parseWhole(received.bytes),
        received.dropThrough(input.subarray(0, 3)),
        received.bytes,
      ];
    });
    return show(found);
  },
};

const REQUESTS: readonly ModbusRequest[] = [
  { functionCode: 1, unitId: 1, offset: 0, quantity: 9 },
  { functionCode: 3, unitId: 1, offset: 0, quantity: 2 },
  { functionCode: 5, unitId: 1, offset: 7, state: true },
  { functionCode: 16, unitId: 1, offset: 7, registers: Buffer.of(1, 2) },
  { functionCode: 22, unitId: 1, offset: 7, andMask: 1, orMask: 2 },
];
const codec = new PduCodec();

const answer: FuzzTarget = {
  name: 'modbus-answer',
  seeds: [
    Buffer.of(1, 2, 0xff, 1),
    Buffer.of(3, 4, 0, 1, 0, 2),
    Buffer.of(5, 0, 7, 0xff, 0),
    Buffer.of(16, 0, 7, 0, 1),
    Buffer.of(0x83, 2),
  ],
  words: [Buffer.of(22, 0, 7, 0, 1, 0, 2), Buffer.of(0x96, 1)],
  run(input) {
    const outcomes = REQUESTS.map((request, call) => {
      const fault = findResponseFault(request, input);
      if (fault !== undefined || input[0] !== request.functionCode)
        return [fault, isShortResponse(request, input)];
      codec.encode(call, request);
      return codec.decode(call, request.unitId, input);
    });
    return show(outcomes);
  },
};

const opcua: FuzzTarget = {
  name: 'opcua-chunks',
  seeds: [
    encodeHello(
      {
        protocolVersion: 0,
        receiveBufferSize: 8192,
        sendBufferSize: 8192,
        maxMessageSize: 0,
        maxChunkCount: 0,
      },
      'opc.tcp://a',
    ),
    'MSGF\x0c\0\0\0abcd',
    'ACKF\x1c\0\0\0\0\0\0\0\0\x20\0\0\0\x20\0\0\0\0\0\0\0\0\0\0',
    'ERRF\x10\0\0\0\0\0\x0a\x80\0\0\0\0',
  ],
  words: ['MSGC', 'MSGF', 'MSGA', 'OPNF', 'CLOF', Buffer.of(8, 0, 0, 0), Buffer.of(0, 1, 0, 0)],
  run: (input) =>
    inAnyPieces(input, (chunks) => {
      const reader = new ChunkReader({ maximumChunkBytes: 256, maximumMessageBytes: 600 });
      const messages: unknown[] = [];
      const end = attempt([ChunkFault], () => {
        for (const chunk of chunks) {
          for (const message of reader.feed(chunk))
            messages.push([Buffer.from(message), decodeAcknowledge(message), decodeError(message)]);
        }
      });
      return [messages, end];
    }),
};

const FRAMINGS: readonly Framing[] = [
  { type: 'delimiter', delimiter: '\\r\\n' },
  { type: 'fixedLength', length: 5 },
  { type: 'lengthField', offset: 1, size: 1, byteOrder: 'BIG_ENDIAN', adjustment: 2 },
  { type: 'lengthField', offset: 0, size: 4, byteOrder: 'LITTLE_ENDIAN', adjustment: -4 },
  { type: 'IEC62056_21', mode: 'C', initialBaudRate: 300, characterFormat: '7E1', retries: 1 },
  { type: 'IEC62056_21', mode: 'D', initialBaudRate: 9600, characterFormat: '7E1', retries: 1 },
];

/** Reads a frame of a meter as its driver does. */
function readMeterFrame(frame: Buffer): unknown {
  const sets = parseReadout(frame.toString('latin1'));
  return [openMeterFrame(frame), findMeterValue(sets, { obis: '1.8.0', unit: 'Wh' }, 'DOUBLE')];
}

const ADDRESSES: readonly SerialAddress[] = [
  { request: 'W', response: { pattern: '^ST,(?:GS|NT),([+-]? *[0-9.]+) *kg$' } },
  { request: 'W', match: '^W', response: { pattern: '(.*)' } },
  { request: 'W', response: { offset: 1, dataType: 'INT16' } },
  { request: 'W', response: { offset: 0, dataType: 'BCD32', byteOrder: 'LITTLE_ENDIAN' } },
  { request: 'W', response: { offset: 0, dataType: 'UINT8', count: 3 } },
  { request: 'W', response: { offset: 2, dataType: 'STRING', trim: true } },
  { request: 'W', response: { offset: 0, dataType: 'CP56TIME2A', timeZone: 'Europe/Berlin' } },
].map((address) => addressSchema.parse(address));

const VALUE_TYPES = ['DOUBLE', 'LONG', 'STRING', 'BOOLEAN'] as const;

const READERS = ADDRESSES.map((address, index) => {
  const channel: Channel<SerialAddress> = {
    name: 'c',
    type: 'READ',
    valueType: VALUE_TYPES[index % VALUE_TYPES.length] ?? 'DOUBLE',
    address,
    scaleOffsetType: 'DOUBLE',
    valueScale: 1,
    valueOffset: 0,
    isEnabled: true,
  };
  assert.ok(address.response !== undefined);
  return createResponseReader(channel, address.response, 'utf-8');
});

const serial: FuzzTarget = {
  name: 'serial-frames',
  seeds: [
    'ST,GS,+  12.50 kg\r\nST,NT,-1.5 kg\r\n',
    Buffer.of(0, 2, 1, 2, 3, 4),
    Buffer.of(8, 0, 0, 0, 1, 2, 3, 4),
    'W1e5\r\non\r\n',
    '/ISk5M\r\n\x021.8.0(1*kWh)\r\n!\r\n\x03w',
    '/ISk5M\r\n\r\n1-0:1.8.0(2*kWh)\r\n!12AB\r\n',
  ],
  words: ['\r\n', '\r', 'ST,GS,', ' kg', 'true', 'off', '1e400', '9007199254740993', ','],
  run(input) {
    const outcomes = FRAMINGS.map((framing) => {
      const read = (chunks: readonly Buffer[]): unknown => {
        const seen: unknown[] = [];
        const events = {
          onFrame: (frame: Buffer) =>
            seen.push([
              frame,
              framing.type === 'IEC62056_21' ? readMeterFrame(frame) : READERS.map((reader) => reader(frame)),
            ]),
          onFault: (fault: string) => seen.push(fault),
        };
        const reader = createFrameReader({
          framing,
          maximumFrameBytes: 64,
          clock: new ManualClock(),
          events,
        });
        for (const chunk of chunks) reader.push(chunk);
        return seen;
      };
      // After a length that cannot be right, what else came with it is dropped.
      return framing.type === 'lengthField' ? show(read([input])) : inAnyPieces(input, read);
    });
    return show(outcomes);
  },
};

const pattern: FuzzTarget = {
  name: 'pattern',
  seeds: ['^(a+)b$\naab', '(?:a|b){2,3}?(\\d*)\nab12', '[^a-c\\d]\\x41(.)\nzAz'],
  words: ['(?:', ')', '{1,255}', '{2}', '*?', '|', '[^', ']', '\\d', '\\W', '\\x0a', '$', '(?:a*)*'],
  run(input) {
    const [source = '', ...rest] = input.toString('latin1').split('\n');
    return show(attempt([PatternFault], () => createPattern(source).match(rest.join('\n'))));
  },
};

/** What devices send. */
export const DEVICE_BYTES: readonly FuzzTarget[] = [mbap, line, answer, opcua, serial, pattern];
