import assert from 'node:assert/strict';

import type { Channel } from '../../daemon/channel/channel.ts';
import { isSubscribing } from '../../daemon/channel/driver.ts';
import type { SubscribingDriver } from '../../daemon/channel/driver.ts';
import type { ChannelValue } from '../../daemon/channel/value-type.ts';
import { BRIEF_MS, ignore, noDeadline } from './driver-bench.ts';
import type { DriverSuite } from './driver-bench.ts';
import { writeValues } from '../support/write-values.ts';

/** Tests how a driver subscribes, if its device reports changes by itself; skipped for other drivers. */
export function testSubscriptions<Address>({
  bench,
  testConnected,
  whileUnplugged,
}: DriverSuite<Address>): void {
  testConnected(
    'a subscription reports each channel, then changes, until its signal ends',
    async ({ driver }, t) => {
      if (!isSubscribing(driver)) return t.skip('the device does not report changes by itself');
      const [first, second] = bench().values;
      const [ending, witnessed] = [new AbortController(), new AbortController()];
      const write = (value: ChannelValue): Promise<unknown> =>
        writeValues(driver, [{ channel: bench().writable, value }], noDeadline());
      await write(first);
      const ended = await follow(driver, bench().writable, ending.signal);
      const witness = await follow(driver, bench().writable, witnessed.signal);
      await Promise.all([ended.sees(first), witness.sees(first)]);
      await write(second);
      await Promise.all([ended.sees(second), witness.sees(second)]);
      ending.abort();
      const reported = ended.values.length;
      const seen = witness.values.length;
      await write(first);
      await witness.sees(first, seen);
      assert.equal(ended.values.length, reported);
      witnessed.abort();
    },
  );

  testConnected('a subscription ends once with its link', async ({ driver }, t) => {
    if (!isSubscribing(driver)) return t.skip('the device does not report changes by itself');
    const ends: Error[] = [];
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    await driver.subscribe({
      channels: [bench().writable],
      onReading: ignore,
      onEnd(error) {
        ends.push(error);
        resolve();
      },
      minimumIntervalMs: BRIEF_MS,
      signal: noDeadline(),
    });
    await whileUnplugged(async () => {
      await ended;
    });
    await driver.disconnect();
    assert.equal(ends.length, 1);
  });
}

interface Followed {
  /** The values that were reported, in order. */
  readonly values: readonly (ChannelValue | undefined)[];
  /** Resolves when a value has been reported at position `from` or later. */
  sees(value: ChannelValue, from?: number): Promise<void>;
}

async function follow<Address>(
  driver: SubscribingDriver<Address>,
  channel: Channel<Address>,
  signal: AbortSignal,
): Promise<Followed> {
  const values: (ChannelValue | undefined)[] = [];
  const waiting = new Set<() => void>();
  await driver.subscribe({
    channels: [channel],
    onReading(index, reading) {
      assert.equal(index, 0);
      values.push(reading.value);
      for (const look of waiting) look();
    },
    onEnd: (error) => assert.fail(error),
    minimumIntervalMs: BRIEF_MS,
    signal,
  });
  return {
    values,
    sees: (value, from = 0) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!values.slice(from).includes(value)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
