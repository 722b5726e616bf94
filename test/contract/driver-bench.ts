import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { Channel } from '../../daemon/channel/channel.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { Driver, Reading, WriteOutcome } from '../../daemon/channel/driver.ts';
import type { ChannelValue } from '../../daemon/channel/value-type.ts';
import type { Tests } from '../support/tests-that-need.ts';

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
  /** One whose writes are refused, where the device itself cannot say that it refuses one; else `refused`. */
  readonly refusedWrite?: Channel<Address>;
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
export const BRIEF_MS = 100;
/** Turns of the event loop in which everything is done that waits for nothing else. */
export const TURNS = 200;

/** The bench, and how tests use it. */
export interface DriverSuite<Address> {
  readonly kind: string;
  readonly test: Tests['test'];
  readonly bench: () => DriverBench<Address>;
  readonly channels: () => readonly Channel<Address>[];
  /** Values of `channels`, in the same order. */
  readonly expected: () => readonly ChannelValue[];
  /** Runs a test with a driver that is connected. */
  readonly testConnected: (
    name: string,
    run: (connected: Connected<Address>, t: TestContext) => Promise<void>,
  ) => void;
  /** Takes the device away for a while. */
  readonly whileUnplugged: (run: () => Promise<unknown>) => Promise<void>;
}

/**
 * Begins a suite, which ends with the test file.
 *
 * @param createBench starts the device; called once
 * @param tests skip where the device cannot be started
 */
export function openDriverSuite<Address>(
  kind: string,
  createBench: () => Promise<DriverBench<Address>>,
  { test, before, after }: Tests,
): DriverSuite<Address> {
  let bench: DriverBench<Address>;
  before(async () => {
    bench = await createBench();
  });
  after(() => bench[Symbol.asyncDispose]());
  return {
    kind,
    test,
    bench: () => bench,
    channels: () => bench.channels.map(({ channel }) => channel),
    expected: () => bench.channels.map(({ value }) => value),
    testConnected(name, run) {
      test(`${kind}: ${name}`, async (t) => {
        const connected = await connect(bench.createDriver());
        try {
          await run(connected, t);
        } finally {
          bench.wake();
          await connected.driver.disconnect();
        }
      });
    },
    async whileUnplugged(run) {
      await bench.unplug();
      try {
        await run();
      } finally {
        await bench.plug();
      }
    },
  };
}

/** A driver that is connected. */
export interface Connected<Address> {
  readonly driver: Driver<Address>;
  /** Everything that `onLost` was called with. */
  readonly losses: readonly Error[];
  /** Resolves with the first loss. */
  readonly lost: Promise<Error>;
}

/** Connects a driver. */
export async function connect<Address>(driver: Driver<Address>): Promise<Connected<Address>> {
  const losses: Error[] = [];
  const { promise: lost, resolve } = Promise.withResolvers<Error>();
  await driver.connect(noDeadline(), (error) => {
    losses.push(error);
    resolve(error);
  });
  return { driver, losses, lost };
}

/** Gives the values of readings that all succeeded. */
export function valuesOf(readings: readonly Reading[]): readonly ChannelValue[] {
  return readings.map(({ value, failure }) => {
    assert.equal(failure, undefined);
    assert.ok(value !== undefined);
    return value;
  });
}

/** Whether a read or write brought nothing but failures, or the loss of the link. */
export async function hasFailed(call: Promise<readonly (Reading | WriteOutcome)[]>): Promise<boolean> {
  try {
    return (await call).every(({ failure }) => failure !== undefined);
  } catch (error) {
    if (error instanceof ConnectionError) return true;
    throw error;
  }
}

/** What keeps the process alive now, by kind; sorted. */
export function listResources(): readonly string[] {
  return process.getActiveResourcesInfo().toSorted();
}

/** Gives the system its turns to close what was let go, until the resources are the wished ones or nothing changes. */
export async function settleResources(wished: readonly string[] = []): Promise<readonly string[]> {
  let resources = listResources();
  for (let turn = 0; turn < TURNS && resources.join() !== wished.join(); turn += 1) {
    await afterTurns(1);
    resources = listResources();
  }
  return resources;
}

/** Lets the event loop turn so often: what waits for nothing but its turn is done then. */
export async function afterTurns(count: number): Promise<undefined> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A signal that never aborts. */
export function noDeadline(): AbortSignal {
  return new AbortController().signal;
}

/** Takes note of nothing. */
export function ignore(): void {}
