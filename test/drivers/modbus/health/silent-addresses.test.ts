import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntryRange } from '../../../../drivers/modbus/pdu/modbus-functions.ts';
import { FIRST_PAUSE_MS, SilentAddresses } from '../../../../drivers/modbus/health/silent-addresses.ts';

function create(random = () => 0.5): SilentAddresses {
  return new SilentAddresses({ responseTimeoutMs: () => 1000, random });
}

function registers(offset: number, quantity = 1): EntryRange {
  return { functionCode: 3, offset, quantity };
}

const ALIVE = registers(5000);

/** Records, `times` times, that a range is silent while the unit answers another request. */
function silence(addresses: SilentAddresses, range: EntryRange, times = 1): readonly string[] {
  return Array.from({ length: times }).flatMap(() => {
    addresses.recordTimeout({ range, reasons: [], atMs: 7 }, 0);
    return addresses.recordResponse(ALIVE, 0).map(({ state }) => state);
  });
}

test('an address is suspended by its second silence that the unit survives', () => {
  const addresses = create();
  assert.deepEqual(silence(addresses, registers(1)), []);
  assert.deepEqual(silence(addresses, registers(1)), ['SUSPENDED']);
});

test('a silence is not that of the address as long as the unit answers nothing', () => {
  const addresses = create();
  for (let turn = 0; turn < 3; turn += 1) {
    addresses.recordTimeout({ range: registers(1), reasons: [], atMs: 7 }, 0);
  }
  addresses.forgetPending();
  addresses.recordResponse(ALIVE, 0);
  assert.equal(addresses.isEmpty, true);
});

test('an answer between two silences restarts the count', () => {
  const addresses = create();
  silence(addresses, registers(1));
  addresses.recordResponse(registers(0, 4), 0);
  assert.deepEqual(silence(addresses, registers(1)), []);
});

test('a part of a suspended range replaces it with its first silence', () => {
  const addresses = create();
  silence(addresses, registers(0, 8), 2);
  assert.deepEqual(silence(addresses, registers(4, 4)), ['NARROWED']);
  assert.deepEqual(
    addresses.list().map(({ range }) => range),
    [registers(4, 4)],
  );
});

test('the part has been silent since the whole was', () => {
  const addresses = create();
  silence(addresses, registers(0, 8), 2);
  addresses.recordTimeout({ range: registers(4, 4), reasons: [], atMs: 99 }, 0);
  addresses.recordResponse(ALIVE, 0);
  assert.equal(addresses.list()[0]?.sinceMs, 7);
});

test('a request is refused when it contains a suspended range, and not for a part of one', () => {
  const addresses = create();
  silence(addresses, registers(4, 4), 2);
  const refused = [registers(4, 4), registers(0, 9), registers(4, 2), registers(7, 4)].map(
    (range) => addresses.findRefusal(range, 0) !== undefined,
  );
  assert.deepEqual(refused, [true, true, false, false]);
});

test('another function on the same entries is another address', () => {
  const addresses = create();
  silence(addresses, registers(4), 2);
  assert.equal(addresses.findRefusal({ functionCode: 6, offset: 4, quantity: 1 }, 0), undefined);
});

test('the pause doubles with each failed try up to a minute', () => {
  const addresses = create();
  silence(addresses, registers(1), 2);
  const pauses = Array.from({ length: 7 }, () => {
    const pauseMs = addresses.list()[0]?.nextAttemptMs;
    silence(addresses, registers(1));
    return pauseMs;
  });
  assert.deepEqual(pauses, [2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
});

test('the pause varies by a quarter in both directions', () => {
  const pauses = [0, 1].map((random) => {
    const addresses = create(() => random);
    silence(addresses, registers(1), 2);
    return addresses.list()[0]?.nextAttemptMs;
  });
  assert.deepEqual(pauses, [0.75 * FIRST_PAUSE_MS, 1.25 * FIRST_PAUSE_MS]);
});

test('while an address that is due is asked, no other request asks it', () => {
  const addresses = create();
  silence(addresses, registers(1), 2);
  assert.equal(addresses.findRefusal(registers(1), FIRST_PAUSE_MS), undefined);
  addresses.recordAttempt(registers(1), FIRST_PAUSE_MS);
  assert.notEqual(addresses.findRefusal(registers(1), FIRST_PAUSE_MS), undefined);
});

test('an address whose attempt was lost with its link may be asked at once', () => {
  const addresses = create();
  silence(addresses, registers(1), 2);
  addresses.recordAttempt(registers(1), FIRST_PAUSE_MS);
  addresses.recordLostAttempt(registers(0, 4), FIRST_PAUSE_MS);
  assert.equal(addresses.findRefusal(registers(1), FIRST_PAUSE_MS), undefined);
});

test('many addresses that are suspended take at most a twentieth of the line', () => {
  const addresses = create();
  for (let offset = 0; offset < 90; offset += 1) silence(addresses, registers(2 * offset), 12);
  const last = addresses.list().at(-1);
  assert.ok((last?.nextAttemptMs ?? 0) >= 20 * 90 * 1000);
});

test('at most 100 addresses are kept for a unit', () => {
  const addresses = create();
  for (let offset = 0; offset < 300; offset += 1) silence(addresses, registers(2 * offset), 2);
  assert.equal(addresses.list().length, 100);
  assert.equal(addresses.isFull, true);
});
