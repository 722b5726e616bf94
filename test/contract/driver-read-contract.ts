import assert from 'node:assert/strict';
import { once } from 'node:events';

import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { PreparedRead } from '../../daemon/channel/driver.ts';
import { BRIEF_MS, TURNS, afterTurns, ignore, noDeadline, valuesOf } from './driver-bench.ts';
import type { DriverSuite } from './driver-bench.ts';

/** Tests how a driver reads. */
export function testReads<Address>({
  bench,
  channels,
  expected,
  testConnected,
  whileUnplugged,
}: DriverSuite<Address>): void {
  testConnected(
    'a read returns one reading per channel, in the order of the channels',
    async ({ driver }) => {
      const readings = await driver.prepareRead(channels()).read(noDeadline());
      assert.deepEqual(valuesOf(readings), expected());
      assert.ok(readings.every(({ timestampMs }) => Number.isFinite(timestampMs) && timestampMs > 0));
      const reversed = await driver.prepareRead(channels().toReversed()).read(noDeadline());
      assert.deepEqual(valuesOf(reversed), expected().toReversed());
    },
  );

  testConnected('concurrent reads each return their own values', async ({ driver }) => {
    const reads = bench().channels.map(({ channel }) => driver.prepareRead([channel]).read(noDeadline()));
    assert.deepEqual((await Promise.all(reads)).flatMap(valuesOf), expected());
  });

  testConnected(
    'a channel that the device refuses is a failure, and the others have values',
    async ({ driver }) => {
      const [first, ...others] = channels();
      assert.ok(first !== undefined);
      const prepared = driver.prepareRead([first, bench().refused, ...others]);
      // The failure in the first read must not affect the second.
      for (let round = 0; round < 2; round += 1) {
        const readings = await prepared.read(noDeadline());
        assert.equal(readings.length, others.length + 2);
        const failure = readings[1]?.failure;
        assert.match(failure?.code ?? '', /^[A-Z][A-Z0-9_]+$/);
        assert.ok(failure !== undefined && failure.message.length > 0);
        assert.deepEqual(valuesOf(readings.toSpliced(1, 1)), expected());
      }
    },
  );

  testConnected('a prepared read returns values again after a new connection', async ({ driver }) => {
    const prepared = driver.prepareRead(channels());
    assert.deepEqual(valuesOf(await prepared.read(noDeadline())), expected());
    await driver.disconnect();
    await assert.rejects(prepared.read(noDeadline()), ConnectionError);
    await driver.connect(noDeadline(), ignore);
    assert.deepEqual(valuesOf(await prepared.read(noDeadline())), expected());
  });

  testConnected(
    'a read without a device throws ConnectionError, and returns values once the device is back',
    async ({ driver }) => {
      const prepared = driver.prepareRead(channels());
      await whileUnplugged(async () => {
        await assert.rejects(prepared.read(noDeadline()), ConnectionError);
      });
      await driver.disconnect();
      await driver.connect(noDeadline(), ignore);
      assert.deepEqual(valuesOf(await prepared.read(noDeadline())), expected());
    },
  );

  testConnected('a read ends at its deadline, with a failure for every channel', async ({ driver }) => {
    bench().silence();
    const deadline = AbortSignal.timeout(BRIEF_MS);
    const ended = driver.prepareRead(channels()).read(deadline);
    await once(deadline, 'abort');
    const readings = await Promise.race([ended, afterTurns(TURNS)]);
    assert.equal(readings?.length, bench().channels.length);
    assert.ok(readings.every(({ failure }) => failure !== undefined));
  });

  testConnected(
    'a read whose deadline has passed returns a failure for every channel',
    async ({ driver }) => {
      const readings = await driver.prepareRead(channels()).read(AbortSignal.abort(new Error('too late')));
      assert.equal(readings.length, bench().channels.length);
      assert.ok(readings.every(({ failure }) => failure !== undefined));
    },
  );

  testConnected('a plan names every channel once', async ({ driver }, t) => {
    const prepared: PreparedRead = driver.prepareRead(channels());
    await prepared.read(noDeadline());
    const requests = prepared.describe?.();
    if (requests === undefined) return t.skip('the driver has no plan');
    const names = requests.flatMap((request) => request.channels);
    assert.deepEqual(
      names.toSorted(),
      channels()
        .map(({ name }) => name)
        .toSorted(),
    );
    assert.ok(requests.every(({ requestBytes, answerBytes }) => requestBytes > 0 && answerBytes > 0));
  });
}
