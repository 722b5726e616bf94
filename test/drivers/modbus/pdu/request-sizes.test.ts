import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestSizes } from '../../../../drivers/modbus/pdu/request-sizes.ts';
import type { SplitCause } from '../../../../drivers/modbus/pdu/request-sizes.ts';
import type { ReadRequest } from '../../../../drivers/modbus/pdu/request.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';

const HOUR_MS = 3_600_000;

function read(offset: number, quantity: number): ReadRequest {
  return { unitId: 1, functionCode: 3, offset, quantity };
}

function createSizes() {
  const clock = new ManualClock();
  const logger = createMemoryLogger();
  const sizes = new RequestSizes({ clock, logger });
  const silent: ReadRequest[] = [];
  return {
    clock,
    logger,
    sizes,
    silent,
    cut: (offset: number, quantity: number, cause: SplitCause = 'REFUSED') =>
      sizes.recordSplit({ request: read(offset, quantity), at: offset + (quantity >> 1), cause }),
    answer: (offset: number, quantity: number) =>
      sizes.recordResponse(read(offset, quantity), (range) =>
        silent.some((one) => one.offset === range.offset),
      ),
    found: () => sizes.find({ unitId: 1, functionCode: 3 }),
  };
}

test('a request is too long when all of its entries were answered in parts', () => {
  const { cut, answer, found } = createSizes();
  cut(0, 100);
  assert.equal(answer(0, 50), undefined);
  assert.equal(found(), undefined);
  assert.equal(answer(50, 50), 50);
  assert.deepEqual(found(), { answered: 50, refused: 100, mayTry: true, borders: [] });
});

test('parts that leave an entry out make no request too long', () => {
  const { cut, answer, found } = createSizes();
  cut(0, 100);
  answer(0, 50);
  answer(51, 49);
  assert.equal(found(), undefined);
});

test('an entry that fails alone explains the requests around it for good', () => {
  const { sizes, cut, answer, found } = createSizes();
  cut(0, 100);
  cut(0, 2);
  answer(2, 98);
  sizes.recordUnreadable(read(1, 1));
  answer(0, 1);
  answer(1, 1);
  assert.equal(found(), undefined);
});

test('a request that is no longer than one that was answered crosses a border', () => {
  const { cut, answer, found } = createSizes();
  answer(500, 80);
  cut(0, 100);
  cut(0, 60);
  answer(0, 30);
  answer(30, 30);
  answer(60, 40);
  assert.deepEqual(found(), { answered: 80, refused: undefined, mayTry: false, borders: [30] });
});

test('a request that is answered whole after all was not too long', () => {
  const { cut, answer, found } = createSizes();
  cut(0, 100);
  answer(0, 100);
  answer(0, 50);
  answer(50, 50);
  assert.equal(found(), undefined);
});

test('the smallest length that was too long counts, and an answer of that length lifts it', () => {
  const { cut, answer, found } = createSizes();
  for (const quantity of [100, 60, 80]) {
    cut(0, quantity);
    answer(0, quantity >> 1);
    answer(quantity >> 1, quantity >> 1);
  }
  assert.equal(found()?.refused, 60);
  answer(0, 60);
  assert.equal(found(), undefined);
});

test('a length that is refused is believed for an hour, one that gets no answer until the next start', () => {
  for (const [cause, expected] of [
    ['REFUSED', undefined],
    ['SILENT', 100],
  ] as const) {
    const { clock, sizes, silent, cut, answer, found } = createSizes();
    silent.push(read(0, 100));
    cut(0, 100, cause);
    answer(0, 50);
    answer(50, 50);
    const before = sizes.revision;
    clock.advance(HOUR_MS);
    assert.equal(sizes.revision === before, expected !== undefined);
    assert.equal(found()?.refused, expected);
  }
});

test('a silent request is not too long when its silence turned out to be that of a part', () => {
  const { silent, cut, answer, found } = createSizes();
  silent.push(read(0, 100));
  cut(0, 100, 'SILENT');
  answer(0, 50);
  silent.pop();
  answer(50, 50);
  assert.equal(found(), undefined);
});

test('parts that are read a minute later tell nothing about a refused request', () => {
  const { clock, cut, answer, found } = createSizes();
  cut(0, 100);
  answer(0, 50);
  clock.advance(60_000);
  answer(50, 50);
  assert.equal(found(), undefined);
});

test('on a new link a length is kept, and what else was answered is forgotten', () => {
  const { sizes, cut, answer, found } = createSizes();
  answer(0, 100);
  sizes.forgetAnswered();
  cut(0, 100);
  answer(0, 50);
  answer(50, 50);
  sizes.forgetAnswered();
  assert.equal(found()?.refused, 100);
});

test('each function of each unit is told from the others, and is told of once', () => {
  const { sizes, logger, cut, answer } = createSizes();
  for (const quantity of [100, 60]) {
    cut(0, quantity);
    answer(0, quantity >> 1);
    answer(quantity >> 1, quantity >> 1);
  }
  assert.deepEqual(sizes.list(1), [{ kind: 'HOLDING_REGISTERS', maximumQuantity: 50 }]);
  assert.equal(sizes.list(2), undefined);
  assert.equal(sizes.find({ unitId: 1, functionCode: 4 }), undefined);
  assert.deepEqual(
    logger.lines.map(({ event }) => event),
    ['modbus.requestsShortened'],
  );
});
