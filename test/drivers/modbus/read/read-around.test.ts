import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntryRange } from '../../../../drivers/modbus/pdu/modbus-functions.ts';
import { readAround } from '../../../../drivers/modbus/read/read-around.ts';
import type { SilentRanges } from '../../../../drivers/modbus/read/read-around.ts';
import { joinSpans } from '../../../../drivers/modbus/read/read-plan.ts';
import type { PlannedRead, Span } from '../../../../drivers/modbus/read/read-plan.ts';

const SPANS = Array.from({ length: 8 }, (_, offset) => spanAt(offset));

function spanAt(offset: number, quantity = 1): Span {
  return { unitId: 1, table: 'HOLDING_REGISTERS', offset, quantity };
}

function registers(offset: number, quantity: number): EntryRange {
  return { functionCode: 3, offset, quantity };
}

/** Lists the requests as `first-last`, with a question mark where the answer is in doubt. */
function cut(silences: Partial<SilentRanges>, read: PlannedRead = joinSpans(SPANS)): readonly string[] {
  const all = { silent: [], suspended: [], mayNarrow: true, ...silences };
  return readAround(read, all).map(
    ({ read: { offset, quantity }, isDoubtful }) =>
      `${offset}-${offset + quantity - 1}${isDoubtful ? '?' : ''}`,
  );
}

test('a request without a silent address stays as it is', () => {
  assert.deepEqual(cut({}), ['0-7']);
});

test('a request is cut around an address that is suspended', () => {
  assert.deepEqual(cut({ suspended: [{ range: registers(3, 1), isDue: false }] }), ['0-2', '3-3', '4-7']);
});

test('an address that is due is asked alone and is in doubt', () => {
  assert.deepEqual(cut({ suspended: [{ range: registers(3, 1), isDue: true }] }), ['0-2', '3-3?', '4-7']);
});

test('several values in a suspended range are halved', () => {
  assert.deepEqual(cut({ suspended: [{ range: registers(0, 8), isDue: false }] }), ['0-3?', '4-7?']);
});

test('nothing is halved when no more addresses can be told apart', () => {
  const suspended = [{ range: registers(0, 8), isDue: false }];
  assert.deepEqual(cut({ suspended, mayNarrow: false }), ['0-7']);
});

test('a value that is partly silent is not cut', () => {
  const read = joinSpans([spanAt(0, 4), spanAt(4, 2)]);
  assert.deepEqual(cut({ suspended: [{ range: registers(2, 1), isDue: false }] }, read), ['0-3', '4-5']);
});

test('a silent address that no value needs is left out', () => {
  const read = joinSpans([spanAt(0), spanAt(2)]);
  assert.deepEqual(cut({ suspended: [{ range: registers(1, 1), isDue: false }] }, read), ['0-0', '2-2']);
});

test('a range that was silent once is read whole and is in doubt', () => {
  assert.deepEqual(cut({ silent: [registers(0, 8)] }), ['0-7?']);
});

test('another table is not touched', () => {
  assert.deepEqual(cut({ suspended: [{ range: { ...registers(3, 1), functionCode: 4 }, isDue: false }] }), [
    '0-7',
  ]);
});
