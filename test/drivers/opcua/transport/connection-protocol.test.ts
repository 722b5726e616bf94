import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ChunkFault,
  ChunkReader,
  decodeAcknowledge,
  decodeError,
  encodeHello,
} from '../../../../drivers/opcua/transport/connection-protocol.ts';
import { parseEndpointUrl } from '../../../../drivers/opcua/transport/opcua-transport.ts';

const LIMITS = { maximumChunkBytes: 1000, maximumMessageBytes: 2500 };

function createChunk(type: string, length: number): Buffer {
  const chunk = Buffer.alloc(Math.max(length, 8), type.charCodeAt(3));
  chunk.write(type, 'latin1');
  chunk.writeUInt32LE(length, 4);
  return chunk;
}

function feedAll(reader: ChunkReader, bytes: Buffer, partBytes: number): readonly Buffer[] {
  const chunks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += partBytes) {
    chunks.push(...reader.feed(bytes.subarray(start, start + partBytes)));
  }
  return chunks;
}

test('chunks come out whole, however the bytes come in', () => {
  const sent = [createChunk('ACKF', 28), createChunk('MSGC', 1000), createChunk('MSGF', 9)];
  const bytes = Buffer.concat(sent);
  for (const partBytes of [1, 7, 8, 9, 500, bytes.length]) {
    assert.deepEqual(feedAll(new ChunkReader(LIMITS), bytes, partBytes), sent);
  }
});

test('a length that cannot be is refused with the header, before a body comes', () => {
  for (const length of [0, 7, 1001, 0x7fff_ffff, 0xffff_ffff]) {
    const header = createChunk('MSGF', 8);
    header.writeUInt32LE(length, 4);
    assert.throws(() => feedAll(new ChunkReader(LIMITS), header, 8), ChunkFault, String(length));
  }
});

test('bytes that are no message are refused', () => {
  for (const text of ['HTTP/1.1', 'HELF\x20\0\0\0', 'MSGX\x20\0\0\0', '\0\0\0\0\0\0\0\0']) {
    const bytes = Buffer.from(text, 'latin1');
    assert.throws(() => feedAll(new ChunkReader(LIMITS), bytes, 8), ChunkFault, text);
  }
});

test('a message of too many bytes is refused; several that end are not', () => {
  const part = createChunk('MSGC', 1000);
  const reader = new ChunkReader(LIMITS);
  for (let round = 0; round < 5; round += 1) {
    feedAll(reader, Buffer.concat([part, part, createChunk('MSGF', 500)]), 100);
  }
  assert.throws(() => feedAll(reader, Buffer.concat([part, part, part]), 100), ChunkFault);
});

test('the Hello message tells limits and URL', () => {
  const limits = {
    protocolVersion: 0,
    receiveBufferSize: 65_536,
    sendBufferSize: 8192,
    maxMessageSize: 1,
    maxChunkCount: 2,
  };
  const message = encodeHello(limits, 'opc.tcp://a');
  assert.equal(message.toString('latin1', 0, 4), 'HELF');
  assert.equal(message.readUInt32LE(4), message.length);
  assert.deepEqual(
    [12, 16, 20, 24].map((offset) => message.readUInt32LE(offset)),
    [65_536, 8192, 1, 2],
  );
  assert.equal(message.toString('latin1', 32), 'opc.tcp://a');
});

test('an Acknowledge message is read, and refused when it is short or its buffers are too small', () => {
  const message = createChunk('ACKF', 28).fill(0, 8);
  message.writeUInt32LE(8192, 12);
  message.writeUInt32LE(65_536, 16);
  assert.deepEqual(decodeAcknowledge(message), {
    protocolVersion: 0,
    receiveBufferSize: 8192,
    sendBufferSize: 65_536,
    maxMessageSize: 0,
    maxChunkCount: 0,
  });
  assert.equal(decodeAcknowledge(message.subarray(0, 27)), undefined);
  message.writeUInt32LE(8191, 12);
  assert.equal(decodeAcknowledge(message), undefined);
});

test('an Error message yields its status', () => {
  const message = createChunk('ERRF', 16);
  message.writeUInt32LE(0x8083_0000, 8);
  assert.equal(decodeError(message), 0x8083_0000);
  assert.equal(decodeError(message.subarray(0, 11)), undefined);
  assert.equal(decodeError(createChunk('MSGF', 16)), undefined);
});

test('parseEndpointUrl returns host and port, 4840 where none is named', () => {
  assert.deepEqual(parseEndpointUrl('opc.tcp://plc'), { hostname: 'plc', port: 4840 });
  assert.deepEqual(parseEndpointUrl('opc.tcp://plc:80/a:80'), { hostname: 'plc', port: 80 });
  assert.deepEqual(parseEndpointUrl('OPC.TCP://192.0.2.7:4841/x'), { hostname: '192.0.2.7', port: 4841 });
  assert.deepEqual(parseEndpointUrl('opc.tcp://[2001:db8::1]:4842'), { hostname: '2001:db8::1', port: 4842 });
  assert.throws(() => parseEndpointUrl('opc.tcp://'), TypeError);
});
