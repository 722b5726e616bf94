import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MessageOrder } from '../../../../drivers/opcua/subscribe/message-order.ts';

const LARGEST = 0xffff_ffff;

test('the first message has number 1, and each number that is missing before one is counted', () => {
  const order = new MessageOrder();
  assert.deepEqual(
    [1, 2, 5, 0].map((number) => order.countMissing(number)),
    [0, 1, 4, undefined],
  );
  order.advance();
  assert.deepEqual([order.next, order.countMissing(2), order.countMissing(1)], [2, 0, undefined]);
});

test('a number that does not continue the sequence has no count', () => {
  const order = new MessageOrder();
  assert.deepEqual(
    [order.countMissing(1001), order.countMissing(1002), order.countMissing(LARGEST)],
    [1000, undefined, undefined],
  );
});

test('a fetched message is known, also after numbers begin again at 1', () => {
  const order = new MessageOrder(LARGEST - 1);
  order.advanceFetched();
  assert.equal(order.countMissing(1), 1);
  order.advanceFetched();
  assert.deepEqual([order.next, order.countMissing(1), order.countMissing(3)], [1, 0, 2]);
  assert.deepEqual(
    [LARGEST - 1, LARGEST, 1].map((number) => order.isFetched(number)),
    [true, true, false],
  );
});
