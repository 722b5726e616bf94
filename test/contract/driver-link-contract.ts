import assert from 'node:assert/strict';

import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import {
  TURNS,
  afterTurns,
  connect,
  hasFailed,
  ignore,
  noDeadline,
  settleResources,
  valuesOf,
} from './driver-bench.ts';
import type { DriverSuite } from './driver-bench.ts';

/** Tests how a driver opens, closes and reports its link. */
export function testLink<Address>({
  kind,
  test,
  bench,
  channels,
  expected,
  testConnected,
  whileUnplugged,
}: DriverSuite<Address>): void {
  test(`${kind}: a driver is created, plans reads and disconnects without a device`, async () => {
    await whileUnplugged(async () => {
      const resources = await settleResources();
      const driver = bench().createDriver();
      driver.prepareRead(channels());
      await driver.disconnect();
      assert.deepEqual(await settleResources(resources), resources);
    });
  });

  test(`${kind}: connect without a device throws ConnectionError, and succeeds once the device is there`, async () => {
    const driver = bench().createDriver();
    await whileUnplugged(async () => {
      await assert.rejects(driver.connect(noDeadline(), ignore), ConnectionError);
    });
    await driver.connect(noDeadline(), ignore);
    assert.deepEqual(valuesOf(await driver.prepareRead(channels()).read(noDeadline())), expected());
    await driver.disconnect();
  });

  test(`${kind}: connect with an aborted signal throws and leaves no link`, async () => {
    const driver = bench().createDriver();
    await assert.rejects(driver.connect(AbortSignal.abort(new Error('given up')), ignore));
    await assert.rejects(driver.prepareRead(channels()).read(noDeadline()), ConnectionError);
    await driver.disconnect();
  });

  testConnected('disconnect ends a read that is under way at once', async ({ driver }) => {
    bench().silence();
    const read = driver.prepareRead(channels()).read(noDeadline());
    const ended = hasFailed(read);
    await driver.disconnect();
    assert.equal(await Promise.race([ended, afterTurns(TURNS)]), true);
  });

  testConnected('disconnect can be called again, and without a connection', async ({ driver }) => {
    await driver.disconnect();
    await driver.disconnect();
    await bench().createDriver().disconnect();
  });

  testConnected(
    'a link that is lost while no request is under way is reported once',
    async ({ driver, losses, lost }) => {
      await whileUnplugged(async () => {
        await lost;
      });
      await driver.disconnect();
      assert.equal(losses.length, 1);
    },
  );

  testConnected('a link that was closed on purpose is not reported as lost', async ({ driver, losses }) => {
    await driver.disconnect();
    await bench().unplug();
    await bench().plug();
    assert.deepEqual(losses, []);
  });

  testConnected('counters and units report the requests that were sent', async ({ driver }) => {
    await driver.prepareRead(channels()).read(noDeadline());
    const counters = Object.entries(driver.counters());
    assert.ok(counters.some(([, count]) => count > 0));
    assert.ok(counters.every(([, count]) => Number.isInteger(count) && count >= 0));
    const units = driver.unitStatus();
    assert.ok(units.length > 0);
    assert.ok(units.every(({ name, state }) => name.length > 0 && state === 'ANSWERING'));
  });

  test(`${kind}: nothing stays open after use and disconnect`, async () => {
    const use = async (): Promise<void> => {
      const { driver } = await connect(bench().createDriver());
      await driver.prepareRead([...channels(), bench().refused]).read(noDeadline());
      await driver.disconnect();
    };
    // The first use may load resources that stay for the life of the process.
    await use();
    const resources = await settleResources();
    await use();
    assert.deepEqual(await settleResources(resources), resources);
  });
}
