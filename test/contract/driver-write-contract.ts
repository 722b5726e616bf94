import assert from 'node:assert/strict';

import { hasFailed, ignore, noDeadline, valuesOf } from './driver-bench.ts';
import type { DriverSuite } from './driver-bench.ts';
import { writeValues } from '../support/write-values.ts';

/** Tests how a driver writes. */
export function testWrites<Address>({ bench, testConnected, whileUnplugged }: DriverSuite<Address>): void {
  testConnected('a value that was written is read back', async ({ driver }) => {
    const prepared = driver.prepareRead([bench().writable]);
    for (const value of bench().values) {
      const outcomes = await writeValues(driver, [{ channel: bench().writable, value }], noDeadline());
      assert.deepEqual(
        outcomes.map(({ failure }) => failure),
        [undefined],
      );
      assert.deepEqual(valuesOf(await prepared.read(noDeadline())), [value]);
    }
  });

  testConnected('writes are carried out in order, with one outcome each', async ({ driver }) => {
    const [first, second] = bench().values;
    const requests = [first, second, first, second].map((value) => ({ channel: bench().writable, value }));
    const outcomes = await writeValues(driver, requests, noDeadline());
    assert.deepEqual(
      outcomes.map(({ failure }) => failure),
      [undefined, undefined, undefined, undefined],
    );
    assert.deepEqual(valuesOf(await driver.prepareRead([bench().writable]).read(noDeadline())), [second]);
  });

  testConnected('a refused write is a failure, and the others are carried out', async ({ driver }) => {
    const [value] = bench().values;
    const { refusedWrite = bench().refused } = bench();
    const requests = [refusedWrite, bench().writable].map((channel) => ({ channel, value }));
    const [refused, done] = await writeValues(driver, requests, noDeadline());
    assert.match(refused?.failure?.code ?? '', /^[A-Z][A-Z0-9_]+$/);
    assert.equal(done?.failure, undefined);
    assert.deepEqual(valuesOf(await driver.prepareRead([bench().writable]).read(noDeadline())), [value]);
  });

  testConnected('a write that is withdrawn when its turn comes is not carried out', async ({ driver }) => {
    const [first, second] = bench().values;
    const channel = bench().writable;
    const failure = { code: 'WRITE_CLIENT_GONE', message: 'no longer wanted' } as const;
    const requests = [
      { channel, value: first },
      { channel, value: second, findCancellation: () => failure },
    ];
    const [done, withdrawn] = await writeValues(driver, requests, noDeadline());
    assert.deepEqual([done?.failure, withdrawn?.failure], [undefined, failure]);
    assert.equal(withdrawn?.failure === undefined ? undefined : withdrawn.outcome, 'NOT_SENT');
    assert.deepEqual(valuesOf(await driver.prepareRead([channel]).read(noDeadline())), [first]);
  });

  testConnected('a write without a device is not carried out, not even later', async ({ driver }) => {
    const [previous, lost] = bench().values;
    await writeValues(driver, [{ channel: bench().writable, value: previous }], noDeadline());
    await whileUnplugged(async () => {
      assert.ok(
        await hasFailed(writeValues(driver, [{ channel: bench().writable, value: lost }], noDeadline())),
      );
    });
    await driver.disconnect();
    await driver.connect(noDeadline(), ignore);
    assert.deepEqual(valuesOf(await driver.prepareRead([bench().writable]).read(noDeadline())), [previous]);
  });

  testConnected('a write whose deadline has passed is not carried out', async ({ driver }) => {
    const [previous, late] = bench().values;
    await writeValues(driver, [{ channel: bench().writable, value: previous }], noDeadline());
    const write = writeValues(
      driver,
      [{ channel: bench().writable, value: late }],
      AbortSignal.abort(new Error('late')),
    );
    assert.ok(await hasFailed(write));
    assert.deepEqual(valuesOf(await driver.prepareRead([bench().writable]).read(noDeadline())), [previous]);
  });
}
