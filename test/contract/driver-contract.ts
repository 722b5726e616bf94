import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import type { TestContext } from 'node:test';

import type { Channel } from '../../daemon/channel/channel.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import { isSubscribing } from '../../daemon/channel/driver.ts';
import type { Driver, PreparedRead, Reading, WriteOutcome } from '../../daemon/channel/driver.ts';
import type { ChannelValue } from '../../daemon/channel/value-type.ts';

/** A channel of a device, and the raw value that is read from it. */
export interface KnownChannel<Address> {
  readonly channel: Channel<Address>;
  readonly value: ChannelValue;
}

/** A device of another make on a cable that the suite can pull. */
export interface DriverBench<Address> extends AsyncDisposable {
  /** Makes a driver for the device; several may follow each other. */
  createDriver(): Driver<Address>;
  /** Channels with values that differ and do not change by themselves; at least two. */
  readonly channels: readonly KnownChannel<Address>[];
  /** A channel whose reads and writes the device refuses. */
  readonly refused: Channel<Address>;
  /** A channel that reads back what is written, and two values for it. */
  readonly writable: Channel<Address>;
  readonly values: readonly [ChannelValue, ChannelValue];
  /** Takes the device away: the link is lost, and cannot be opened until `plug`. */
  unplug(): Promise<void>;
  plug(): Promise<void>;
  /** Makes the device silent: the link stays, and nothing is answered until `wake`. */
  silence(): void;
  wake(): void;
}

/** Long enough for any answer, short enough for a test that waits for none. */
const BRIEF_MS = 100;
/** Turns of the event loop in which everything is done that waits for nothing else. */
const TURNS = 200;

/**
 * What every driver has to do, whatever it speaks.
 *
 * @param createBench starts the device; called once
 */
export function testDriver<Address>(kind: string, createBench: () => Promise<DriverBench<Address>>): void {
  let bench: DriverBench<Address>;
  before(async () => {
    bench = await createBench();
  });
  after(() => bench[Symbol.asyncDispose]());

  /** Runs a test with a driver that is connected. */
  function testConnected(
    name: string,
    run: (connected: Connected<Address>, t: TestContext) => Promise<void>,
  ): void {
    test(`${kind}: ${name}`, async (t) => {
      const connected = await connect(bench.createDriver());
      try {
        await run(connected, t);
      } finally {
        bench.wake();
        await connected.driver.disconnect();
      }
    });
  }

  async function whileUnplugged(run: () => Promise<unknown>): Promise<void> {
    await bench.unplug();
    try {
      await run();
    } finally {
      await bench.plug();
    }
  }

  const channels = (): readonly Channel<Address>[] => bench.channels.map(({ channel }) => channel);
  const expected = (): readonly ChannelValue[] => bench.channels.map(({ value }) => value);

  test(`${kind}: a driver is made, plans reads and disconnects without a device`, async () => {
    await whileUnplugged(async () => {
      const resources = listResources();
      const driver = bench.createDriver();
      driver.prepareRead(channels());
      await driver.disconnect();
      assert.deepEqual(listResources(), resources);
    });
  });

  test(`${kind}: connect without a device throws ConnectionError, and works once it is there`, async () => {
    const driver = bench.createDriver();
    await whileUnplugged(async () => {
      await assert.rejects(driver.connect(noDeadline(), ignore), ConnectionError);
    });
    await driver.connect(noDeadline(), ignore);
    assert.deepEqual(valuesOf(await driver.prepareRead(channels()).read(noDeadline())), expected());
    await driver.disconnect();
  });

  test(`${kind}: connect with a signal that has aborted throws and leaves no link`, async () => {
    const driver = bench.createDriver();
    await assert.rejects(driver.connect(AbortSignal.abort(new Error('given up')), ignore));
    await assert.rejects(driver.prepareRead(channels()).read(noDeadline()), ConnectionError);
    await driver.disconnect();
  });

  testConnected('a read gives one reading per channel, in the order of the channels', async ({ driver }) => {
    const readings = await driver.prepareRead(channels()).read(noDeadline());
    assert.deepEqual(valuesOf(readings), expected());
    assert.ok(readings.every(({ timestampMs }) => Number.isFinite(timestampMs) && timestampMs > 0));
    const reversed = await driver.prepareRead(channels().toReversed()).read(noDeadline());
    assert.deepEqual(valuesOf(reversed), expected().toReversed());
  });

  testConnected('reads at the same time each give their own values', async ({ driver }) => {
    const reads = bench.channels.map(({ channel }) => driver.prepareRead([channel]).read(noDeadline()));
    assert.deepEqual((await Promise.all(reads)).flatMap(valuesOf), expected());
  });

  testConnected(
    'a channel that the device refuses is a failure, and the others have values',
    async ({ driver }) => {
      const [first, ...others] = channels();
      assert.ok(first !== undefined);
      const prepared = driver.prepareRead([first, bench.refused, ...others]);
      // What a driver learns from the first read must not spoil the second.
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

  testConnected('a prepared read gives values again after a new connection', async ({ driver }) => {
    const prepared = driver.prepareRead(channels());
    assert.deepEqual(valuesOf(await prepared.read(noDeadline())), expected());
    await driver.disconnect();
    await assert.rejects(prepared.read(noDeadline()), ConnectionError);
    await driver.connect(noDeadline(), ignore);
    assert.deepEqual(valuesOf(await prepared.read(noDeadline())), expected());
  });

  testConnected(
    'a read without a device throws ConnectionError, and gives values once it is back',
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

  testConnected('a read ends with its deadline, with a failure for every channel', async ({ driver }) => {
    bench.silence();
    const deadline = AbortSignal.timeout(BRIEF_MS);
    const ended = driver.prepareRead(channels()).read(deadline);
    await once(deadline, 'abort');
    const readings = await Promise.race([ended, afterTurns(TURNS)]);
    assert.equal(readings?.length, bench.channels.length);
    assert.ok(readings.every(({ failure }) => failure !== undefined));
  });

  testConnected('a read whose deadline has passed gives a failure for every channel', async ({ driver }) => {
    const readings = await driver.prepareRead(channels()).read(AbortSignal.abort(new Error('too late')));
    assert.equal(readings.length, bench.channels.length);
    assert.ok(readings.every(({ failure }) => failure !== undefined));
  });

  testConnected('a value that was written is read back', async ({ driver }) => {
    const prepared = driver.prepareRead([bench.writable]);
    for (const value of bench.values) {
      const outcomes = await driver.write([{ channel: bench.writable, value }], noDeadline());
      assert.deepEqual(
        outcomes.map(({ failure }) => failure),
        [undefined],
      );
      assert.deepEqual(valuesOf(await prepared.read(noDeadline())), [value]);
    }
  });

  testConnected('writes are carried out in their order, with one outcome each', async ({ driver }) => {
    const [first, second] = bench.values;
    const requests = [first, second, first, second].map((value) => ({ channel: bench.writable, value }));
    const outcomes = await driver.write(requests, noDeadline());
    assert.deepEqual(
      outcomes.map(({ failure }) => failure),
      [undefined, undefined, undefined, undefined],
    );
    assert.deepEqual(valuesOf(await driver.prepareRead([bench.writable]).read(noDeadline())), [second]);
  });

  testConnected(
    'a write that the device refuses is a failure, and the others are done',
    async ({ driver }) => {
      const [value] = bench.values;
      const requests = [bench.refused, bench.writable].map((channel) => ({ channel, value }));
      const [refused, done] = await driver.write(requests, noDeadline());
      assert.match(refused?.failure?.code ?? '', /^[A-Z][A-Z0-9_]+$/);
      assert.equal(done?.failure, undefined);
      assert.deepEqual(valuesOf(await driver.prepareRead([bench.writable]).read(noDeadline())), [value]);
    },
  );

  testConnected('a write without a device is not done, and not done later either', async ({ driver }) => {
    const [former, lost] = bench.values;
    await driver.write([{ channel: bench.writable, value: former }], noDeadline());
    await whileUnplugged(async () => {
      assert.ok(await hasFailed(driver.write([{ channel: bench.writable, value: lost }], noDeadline())));
    });
    await driver.disconnect();
    await driver.connect(noDeadline(), ignore);
    assert.deepEqual(valuesOf(await driver.prepareRead([bench.writable]).read(noDeadline())), [former]);
  });

  testConnected('a write whose deadline has passed is not done', async ({ driver }) => {
    const [former, late] = bench.values;
    await driver.write([{ channel: bench.writable, value: former }], noDeadline());
    const write = driver.write(
      [{ channel: bench.writable, value: late }],
      AbortSignal.abort(new Error('late')),
    );
    assert.ok(await hasFailed(write));
    assert.deepEqual(valuesOf(await driver.prepareRead([bench.writable]).read(noDeadline())), [former]);
  });

  testConnected('disconnect ends a read that is under way at once', async ({ driver }) => {
    bench.silence();
    const read = driver.prepareRead(channels()).read(noDeadline());
    const ended = hasFailed(read);
    await driver.disconnect();
    assert.equal(await Promise.race([ended, afterTurns(TURNS)]), true);
  });

  testConnected('disconnect can be called again, and without a connection', async ({ driver }) => {
    await driver.disconnect();
    await driver.disconnect();
    await bench.createDriver().disconnect();
  });

  testConnected(
    'a link that is lost while nobody asks is reported once',
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
    await bench.unplug();
    await bench.plug();
    assert.deepEqual(losses, []);
  });

  testConnected('counters and units tell of what was asked', async ({ driver }) => {
    await driver.prepareRead(channels()).read(noDeadline());
    const counters = Object.entries(driver.counters());
    assert.ok(counters.some(([, count]) => count > 0));
    assert.ok(counters.every(([, count]) => Number.isInteger(count) && count >= 0));
    const units = driver.unitStatus();
    assert.ok(units.length > 0);
    assert.ok(units.every(({ name, state }) => name.length > 0 && state === 'ANSWERING'));
  });

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

  testConnected('a subscription reports each channel, and then changes', async ({ driver }, t) => {
    if (!isSubscribing(driver)) return t.skip('the device does not report changes by itself');
    const [first, second] = bench.values;
    await driver.write([{ channel: bench.writable, value: first }], noDeadline());
    const seen = new Set<ChannelValue | undefined>();
    const { promise: changed, resolve } = Promise.withResolvers<void>();
    const ending = new AbortController();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    await driver.subscribe({
      channels: [bench.writable],
      onReading(index, reading) {
        assert.equal(index, 0);
        seen.add(reading.value);
        if (seen.has(first)) begin();
        if (seen.has(second)) resolve();
      },
      onEnd: (error) => assert.fail(error),
      minimumIntervalMs: BRIEF_MS,
      signal: ending.signal,
    });
    await begun;
    await driver.write([{ channel: bench.writable, value: second }], noDeadline());
    await changed;
    ending.abort();
  });

  testConnected('a subscription ends once with its link', async ({ driver }, t) => {
    if (!isSubscribing(driver)) return t.skip('the device does not report changes by itself');
    const ends: Error[] = [];
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    await driver.subscribe({
      channels: [bench.writable],
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

  test(`${kind}: nothing stays open after use and disconnect`, async () => {
    const use = async (): Promise<void> => {
      const { driver } = await connect(bench.createDriver());
      await driver.prepareRead([...channels(), bench.refused]).read(noDeadline());
      await driver.disconnect();
    };
    // The first use may load what stays for the life of the process.
    await use();
    const resources = await settleResources();
    await use();
    assert.deepEqual(await settleResources(resources), resources);
  });
}

interface Connected<Address> {
  readonly driver: Driver<Address>;
  /** Everything that `onLost` was called with. */
  readonly losses: readonly Error[];
  /** Resolves with the first loss. */
  readonly lost: Promise<Error>;
}

async function connect<Address>(driver: Driver<Address>): Promise<Connected<Address>> {
  const losses: Error[] = [];
  const { promise: lost, resolve } = Promise.withResolvers<Error>();
  await driver.connect(noDeadline(), (error) => {
    losses.push(error);
    resolve(error);
  });
  return { driver, losses, lost };
}

function valuesOf(readings: readonly Reading[]): readonly ChannelValue[] {
  return readings.map(({ value, failure }) => {
    assert.equal(failure, undefined);
    assert.ok(value !== undefined);
    return value;
  });
}

/** Whether a read or write brought nothing but failures, or the loss of the link. */
async function hasFailed(call: Promise<readonly (Reading | WriteOutcome)[]>): Promise<boolean> {
  try {
    return (await call).every(({ failure }) => failure !== undefined);
  } catch (error) {
    if (error instanceof ConnectionError) return true;
    throw error;
  }
}

/** What keeps the process alive now, by kind; sorted. */
function listResources(): readonly string[] {
  return process.getActiveResourcesInfo().toSorted();
}

/** Gives the system its turns to close what was let go, until the resources are the wished ones or nothing changes. */
async function settleResources(wished: readonly string[] = []): Promise<readonly string[]> {
  let resources = listResources();
  for (let turn = 0; turn < TURNS && resources.join() !== wished.join(); turn += 1) {
    await afterTurns(1);
    resources = listResources();
  }
  return resources;
}

/** Lets the event loop turn so often: what waits for nothing but its turn is done then. */
async function afterTurns(count: number): Promise<undefined> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}

function ignore(): void {}
