import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import type { SubscribingDriver } from '../../daemon/channel/driver.ts';
import type { OpcuaAddress } from '../../drivers/opcua/opcua-address.ts';
import { createOpcuaChannel } from '../support/opcua-driver-under-test.ts';
import { follow } from '../support/opcua-on-cable.ts';
import { writeValues } from '../support/write-values.ts';
import type { OpcuaMake } from './opcua-makes.ts';

/** Two drivers of one server. */
export interface DriverPair {
  /** The driver under test. */
  readonly driver: SubscribingDriver<OpcuaAddress>;
  /** Writes, and receives each value before the next is written. */
  readonly direct: SubscribingDriver<OpcuaAddress>;
}

// A queue of 10 holds the changes of this time.
const LONG_MS = 500;
const SHORT_MS = 100;
// Beyond the time for which items of a subscriber stay that has left, and the change of the interval after it.
const CHANGES_ALONE = 30;
const CHANGES_TOGETHER = 10;
const ROUNDS = 3;
const TIMEOUT_MS = 120_000;

/** Tests that a subscriber receives what the queue of its item allows while another one with a short interval comes and goes. */
export function testChangedIntervals(
  make: OpcuaMake,
  connect: (t: TestContext) => Promise<DriverPair>,
): void {
  const received = make.hasQueues ? 'each change once, in order' : 'the last change';
  test(
    `a subscriber with a long interval receives ${received}, while one with a short interval comes and goes`,
    { timeout: TIMEOUT_MS },
    async (t) => {
      const { driver, direct } = await connect(t);
      // A few servers sample at the publishing interval unless they are given another one.
      const address = { nodeId: `${make.prefix}setpoint`, queueSize: 100, samplingIntervalMs: 50 };
      const channel = createOpcuaChannel('setpoint', 'INTEGER', address);
      const witness = await follow(direct, [channel], SHORT_MS);
      const steady = await follow(driver, [channel], LONG_MS);
      let value = 0;
      const change = async (times: number): Promise<void> => {
        for (let count = 0; count < times; count += 1) {
          value += 1;
          const [outcome] = await writeValues(direct, [{ channel, value }], new AbortController().signal);
          assert.equal(outcome?.failure, undefined);
          await witness.until(value);
        }
      };
      for (let round = 0; round < ROUNDS; round += 1) {
        await change(CHANGES_ALONE);
        const passing = await follow(driver, [channel], SHORT_MS);
        await change(CHANGES_TOGETHER);
        await passing.until(value);
        passing.stop();
        const values = passing.values();
        if (make.hasQueues) assert.deepEqual(values, countFrom(Number(values[0]), value));
      }
      await change(CHANGES_ALONE);
      await steady.until(value);
      if (make.hasQueues) assert.deepEqual(steady.values(), countFrom(0, value));
      if (make.changesIntervals === true) assert.equal(driver.counters()['subscriptions'], 1);
    },
  );
}

function countFrom(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
