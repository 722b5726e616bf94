import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProbeCandidates } from '../../../../drivers/modbus/pdu/probe-candidates.ts';
import type { ReadRequest } from '../../../../drivers/modbus/pdu/request.ts';

function read(offset: number, quantity = 1): ReadRequest {
  return { functionCode: 3, unitId: 1, offset, quantity };
}

test('a silent unit is checked by the read that it answered last, unless that is the pending request', () => {
  const requests = new ProbeCandidates();
  requests.recordResponse(read(1));
  requests.recordResponse(read(2));
  assert.deepEqual(requests.findCheck(read(9), []), read(2));
  assert.equal(requests.findCheck(read(1), []), undefined);
});

test('a request that was silent is no check any more', () => {
  const requests = new ProbeCandidates();
  requests.recordResponse(read(1));
  requests.recordResponse(read(2));
  requests.recordTimeout(read(2));
  assert.deepEqual(requests.findCheck(read(2), [read(2)]), read(1));
});

test('a request that touches what was silent is checked by one that does not', () => {
  const requests = new ProbeCandidates();
  requests.recordResponse(read(50));
  requests.recordResponse(read(12));
  requests.recordTimeout(read(10, 4));
  assert.deepEqual(requests.findCheck(read(12), [read(10, 4)]), read(50));
  assert.equal(requests.findCheck(read(50), [read(10, 4)]), undefined);
});

test('a read of what was silent when it was written is checked by another', () => {
  const requests = new ProbeCandidates();
  requests.recordResponse(read(50));
  requests.recordResponse(read(10, 2));
  const written = { functionCode: 16, offset: 10, quantity: 2 } as const;
  assert.deepEqual(requests.findCheck(read(10, 2), [written]), read(50));
});

test('where all that was answered touches what was silent, the read that was answered last is the check', () => {
  const requests = new ProbeCandidates();
  requests.recordResponse(read(11));
  requests.recordResponse(read(12));
  requests.recordTimeout(read(10, 4));
  assert.deepEqual(requests.findCheck(read(11), [read(10, 4)]), read(12));
  assert.equal(requests.findCheck(read(12), [read(10, 4)]), undefined);
});

test('a unit that never answered has no check', () => {
  const requests = new ProbeCandidates();
  requests.recordTimeout(read(1));
  assert.equal(requests.findCheck(read(2), []), undefined);
});

test('the probe is the whole request that was answered last, and another one every second turn', () => {
  const requests = new ProbeCandidates();
  requests.recordResponse(read(50));
  requests.recordResponse(read(10, 4));
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5].map((turn) => requests.takeProbe(turn)),
    [read(10, 4), read(50), read(10, 4), read(10), read(10, 4), read(13)],
  );
});

test('a unit that answered one request only and is silent since is probed by it, and by its first and last entry', () => {
  const requests = new ProbeCandidates();
  requests.recordResponse(read(10, 4));
  requests.recordTimeout(read(10, 4));
  assert.deepEqual(
    [0, 1, 2, 3].map((turn) => requests.takeProbe(turn)),
    [read(10, 4), read(10), read(10, 4), read(13)],
  );
});

test('a unit that never answered is probed by what was never sent, and then by all in turn', () => {
  const requests = new ProbeCandidates();
  requests.recordTimeout(read(1));
  requests.recordTimeout(read(2));
  requests.recordWanted(read(2));
  requests.recordWanted(read(4));
  requests.recordWanted({ functionCode: 6, unitId: 1, offset: 3, register: 7 });
  assert.deepEqual(
    [0, 1, 4, 5, 6, 7].map((turn) => requests.takeProbe(turn)),
    [read(3), read(4), read(1), read(2), read(3), read(4)],
  );
});

test('a request that was never sent is tried however many others were silent', () => {
  const requests = new ProbeCandidates();
  for (let offset = 0; offset < 1000; offset += 1) requests.recordTimeout(read(offset));
  requests.recordWanted(read(5000));
  assert.equal(requests.hasUntried, true);
  assert.deepEqual(requests.takeProbe(0), read(5000));
  assert.equal(requests.hasUntried, false);
});

test('a unit that used to answer is probed by what was never sent in every second turn', () => {
  const requests = new ProbeCandidates();
  requests.recordResponse(read(1));
  requests.recordWanted(read(2));
  assert.equal(requests.hasUntried, false);
  assert.deepEqual(
    [0, 1, 2, 3].map((turn) => requests.takeProbe(turn)),
    [read(1), read(2), read(1), read(2)],
  );
});

test('requests outside of the entries that are retained are forgotten', () => {
  const requests = new ProbeCandidates();
  requests.recordResponse(read(10, 4));
  requests.recordTimeout(read(20));
  requests.recordWanted(read(30));
  requests.retain([{ functionCode: 3, offset: 20, quantity: 1 }]);
  assert.deepEqual(requests.takeProbe(0), read(20));
  assert.deepEqual(requests.takeProbe(1), read(20));
});

test('a unit of which nothing is known has no probe', () => {
  assert.equal(new ProbeCandidates().takeProbe(0), undefined);
});
