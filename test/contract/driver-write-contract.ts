import assert from 'node:assert/strict';

import { hasFailed, ignore, noDeadline, valuesOf } from './driver-bench.ts';
import type { DriverSuite } from './driver-bench.ts';

/** What a driver has to do when it writes. */
export function testWrites<Address>({ bench, testConnected, whileUnplugged }: DriverSuite<Address>): void {
  testConnected('a value that was written is read back', async ({ driver }) => {
    const prepared = driver.prepareRead([bench().writable]);
    for (const value of bench().values) {
      const outcomes = await driver.write([{ channel: bench().writable, value }], noDeadline());
      assert.deepEqual(
        outcomes.map(({ failure }) => failure),
        [undefined],
      );
      assert.deepEqual(valuesOf(await prepared.read(noDeadline())), [value]);
    }
  });

  testConnected('writes are carried out in their order, with one outcome each', async ({ driver }) => {
    const [first, second] = bench().values;
    const requests = [first, second, first, second].map((value) => ({ channel: bench().writable, value }));
    const outcomes = await driver.write(requests, noDeadline());
    assert.deepEqual(
      outcomes.map(({ failure }) => failure),
      [undefined, undefined, undefined, undefined],
    );
    assert.deepEqual(valuesOf(await driver.prepareRead([bench().writable]).read(noDeadline())), [second]);
  });

  testConnected('a write that is refused is a failure, and the others are done', async ({ driver }) => {
    const [value] = bench().values;
    const { refusedWrite = bench().refused } = bench();
    const requests = [refusedWrite, bench().writable].map((channel) => ({ channel, value }));
    const [refused, done] = await driver.write(requests, noDeadline());
    assert.match(refused?.failure?.code ?? '', /^[A-Z][A-Z0-9_]+$/);
    assert.equal(done?.failure, undefined);
    assert.deepEqual(valuesOf(await driver.prepareRead([bench().writable]).read(noDeadline())), [value]);
  });

  testConnected('a write without a device is not done, and not done later either', async ({ driver }) => {
    const [former, lost] = bench().values;
    await driver.write([{ channel: bench().writable, value: former }], noDeadline());
    await whileUnplugged(async () => {
      assert.ok(await hasFailed(driver.write([{ channel: bench().writable, value: lost }], noDeadline())));
    });
    await driver.disconnect();
    await driver.connect(noDeadline(), ignore);
    assert.deepEqual(valuesOf(await driver.prepareRead([bench().writable]).read(noDeadline())), [former]);
  });

  testConnected('a write whose deadline has passed is not done', async ({ driver }) => {
    const [former, late] = bench().values;
    await driver.write([{ channel: bench().writable, value: former }], noDeadline());
    const write = driver.write(
      [{ channel: bench().writable, value: late }],
      AbortSignal.abort(new Error('late')),
    );
    assert.ok(await hasFailed(write));
    assert.deepEqual(valuesOf(await driver.prepareRead([bench().writable]).read(noDeadline())), [former]);
  });
}
