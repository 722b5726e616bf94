import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { Channel } from '../../daemon/channel/channel.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { Driver, Reading } from '../../daemon/channel/driver.ts';
import type { WriteOutcome } from '../../daemon/channel/write-step.ts';
import type { ChannelValue } from '../../daemon/channel/value-type.ts';
import type { Tests } from '../support/tests-that-need.ts';

/** A channel of a device, and the raw value that a read of it returns. */
export interface KnownChannel<Address> {
  readonly channel: Channel<Address>;
  readonly value: ChannelValue;
}

/** A device of another manufacturer, on a cable that the suite can unplug. */
export interface DriverBench<Address> extends AsyncDisposable {
  /** Creates a driver for the device; several may follow each other. */
  createDriver(): Driver<Address>;
  /** At least two channels whose values differ and do not change by themselves. */
  readonly channels: readonly KnownChannel<Address>[];
  /** A channel whose reads and writes the device refuses. */
  readonly refused: Channel<Address>;
  /** A channel whose writes are refused, where the device itself cannot report a refusal; otherwise `refused`. */
  readonly refusedWrite?: Channel<Address>;
  /** A channel that returns the value last written, and two values for it. */
  readonly writable: Channel<Address>;
  readonly values: readonly [ChannelValue, ChannelValue];
  /** Unplugs the device: the link is lost and cannot be opened until `plug`. */
  unplug(): Promise<void>;
  plug(): Promise<void>;
  /** Silences the device: the link stays, and no request is answered until `wake`. */
  silence(): void;
  wake(): void;
}

/** Long enough for any answer, and short enough for a test in which none arrives. */
export const BRIEF_MS = 100;
/** Turns of the event loop after which all work is done that needs no input and no timer. */
export const TURNS = 200;
// Requests of the runtime end without the code under test; the module loader and the reporter start them at any time.
const REQUESTS: ReadonlySet<string> = new Set(['CloseReq', 'FSReqCallback', 'FSReqPromise', 'WriteWrap']);

/** The bench, and the functions by which tests use it. */
export interface DriverSuite<Address> {
  readonly kind: string;
  readonly test: Tests['test'];
  readonly bench: () => DriverBench<Address>;
  readonly channels: () => readonly Channel<Address>[];
  /** Values of `channels`, in the same order. */
  readonly expected: () => readonly ChannelValue[];
  /** Runs a test with a connected driver. */
  readonly testConnected: (
    name: string,
    run: (connected: Connected<Address>, t: TestContext) => Promise<void>,
  ) => void;
  /** Unplugs the device while `run` runs. */
  readonly whileUnplugged: (run: () => Promise<unknown>) => Promise<void>;
}

/**
 * Opens a suite, which closes with the test file.
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
  /** The errors that `onLost` received. */
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

/** Returns the values of readings, all of which must have succeeded. */
export function valuesOf(readings: readonly Reading[]): readonly ChannelValue[] {
  return readings.map(({ value, failure }) => {
    assert.equal(failure, undefined);
    assert.ok(value !== undefined);
    return value;
  });
}

/** Returns whether every outcome of a read or write is a failure, or the link was lost. */
export async function hasFailed(call: Promise<readonly (Reading | WriteOutcome)[]>): Promise<boolean> {
  try {
    return (await call).every(({ failure }) => failure !== undefined);
  } catch (error) {
    if (error instanceof ConnectionError) return true;
    throw error;
  }
}

/** Returns the kinds of the resources that keep the process alive, sorted, once no request is outstanding. */
async function listResources(): Promise<readonly string[]> {
  let resources = process.getActiveResourcesInfo();
  while (resources.some((kind) => REQUESTS.has(kind))) {
    await afterTurns(1);
    resources = process.getActiveResourcesInfo();
  }
  return resources.toSorted();
}

/**
 * Turns the event loop until only the expected resources are open, at most `TURNS` times.
 *
 * @returns the open resources
 */
export async function settleResources(expected: readonly string[] = []): Promise<readonly string[]> {
  let resources = await listResources();
  for (let turn = 0; turn < TURNS && resources.join() !== expected.join(); turn += 1) {
    await afterTurns(1);
    resources = await listResources();
  }
  return resources;
}

/** Turns the event loop `count` times, which completes work that needs no input and no timer. */
export async function afterTurns(count: number): Promise<undefined> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns a signal that never aborts. */
export function noDeadline(): AbortSignal {
  return new AbortController().signal;
}

/** Does nothing; a callback for tests that need none. */
export function ignore(): void {}
