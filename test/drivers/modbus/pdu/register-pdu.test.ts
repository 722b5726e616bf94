import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeRange } from '../../../../drivers/modbus/pdu/modbus-functions.ts';
import {
  encodeRegisterRead,
  toFileRecord,
  toRecordOffset,
} from '../../../../drivers/modbus/pdu/register-pdu.ts';
import type { LineRequest } from '../../../../drivers/modbus/pdu/request.ts';
import {
  countResponseBytes,
  findResponseFault,
  hasResponseForm,
  isShortResponse,
} from '../../../../drivers/modbus/pdu/response.ts';

const FILE: LineRequest = { functionCode: 20, unitId: 1, offset: toRecordOffset(4, 1), quantity: 2 };
const PLAIN: LineRequest = { functionCode: 3, unitId: 1, offset: 0x6b, quantity: 3 };
const READ_WRITE: LineRequest = { ...PLAIN, readWrite: {} };
const SCRATCH: LineRequest = { ...PLAIN, readWrite: { scratchOffset: 0x0e } };

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

// The first sub-request and its answer in MODBUS Application Protocol V1.1b3, 6.14; 6.17 has no read alone.
test('encodeRegisterRead encodes reads of files, and reads that write nothing or a scratch register', () => {
  const encode = (request: LineRequest): string | undefined => encodeRegisterRead(request)?.toString('hex');
  assert.equal(encode(FILE), '140706000400010002');
  assert.equal(encode(READ_WRITE), '17006b0003006b000000');
  assert.equal(encode(SCRATCH), '17006b0003000e0001020000');
  assert.equal(encode(PLAIN), undefined);
});

const RESPONSES: readonly (readonly [LineRequest, string, string | undefined])[] = [
  [FILE, '14 06 05 06 0d fe 00 20', undefined],
  [FILE, '94 02', undefined],
  [FILE, '94', 'an exception of 1 bytes'],
  [FILE, '03 04 00 01 00 02', 'function code 3 in response to function code 20 (Read File Record)'],
  [FILE, '14 04 03 06 0d fe', 'data length 4 instead of 6'],
  [FILE, '14 06 03 06 0d fe 00 20', 'file length 3 instead of 5'],
  [FILE, '14 06 05 07 0d fe 00 20', 'reference type 7 instead of 6'],
  [FILE, '14 06 05 06 0d fe 00', '3 bytes of 4'],
  [READ_WRITE, '17 06 00 01 00 02 00 03', undefined],
  [READ_WRITE, '97 01', undefined],
  [
    READ_WRITE,
    '03 06 00 01 00 02 00 03',
    'function code 3 in response to function code 23 (Read/Write Multiple Registers)',
  ],
  [READ_WRITE, '17 04 00 01 00 02', 'byte count 4 instead of 6'],
];

for (const [request, response, fault] of RESPONSES) {
  test(`the response ${response} to a request with function code ${request.functionCode} is judged`, () => {
    assert.equal(findResponseFault(request, hex(response))?.message, fault);
  });
}

test('a response is short when it has fewer values than were requested', () => {
  assert.equal(isShortResponse(READ_WRITE, hex('17 04 00 01 00 02')), true);
  assert.equal(isShortResponse(FILE, hex('14 04 03 06 0d fe')), true);
  assert.equal(isShortResponse(READ_WRITE, hex('03 04 00 01 00 02')), false);
  assert.deepEqual([FILE, READ_WRITE].map(countResponseBytes), [8, 8]);
});

test('requests of another master have not the form of a response', () => {
  assert.equal(hasResponseForm(hex('14 06 05 06 0d fe 00 20')), true);
  assert.equal(hasResponseForm(hex('14 07 06 00 04 00 01 00 02')), false);
  assert.equal(hasResponseForm(hex('17 06 00 01 00 02 00 03')), true);
  assert.equal(hasResponseForm(hex('17 00 6b 00 03 00 0e 00 01 02 00 00')), false);
  assert.equal(hasResponseForm(hex('97 03')), true);
});

test('ranges of files compare as numbers, and are described by file and record', () => {
  assert.deepEqual(toFileRecord(toRecordOffset(65_535, 9999)), { file: 65_535, record: 9999 });
  assert.ok(toRecordOffset(1, 9999) + 2000 < toRecordOffset(2, 0));
  assert.equal(
    describeRange({ functionCode: 20, offset: toRecordOffset(4, 1), quantity: 9 }),
    'FILE_RECORDS file 4, 1-9',
  );
});
