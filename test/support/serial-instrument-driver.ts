import { setImmediate } from 'node:timers/promises';

import { delay, systemClock } from '../../daemon/base/clock.ts';
import type { Clock } from '../../daemon/base/clock.ts';
import { createChannelSchema } from '../../daemon/channel/channel.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { Driver, Reading } from '../../daemon/channel/driver.ts';
import type { ValueType } from '../../daemon/channel/value-type.ts';
import { addressSchema } from '../../drivers/serial/serial-address.ts';
import type { SerialAddress } from '../../drivers/serial/serial-address.ts';
import { createSerialDriverFactory } from '../../drivers/serial/serial-driver.ts';
import { createDriverContext } from './driver-context.ts';
import { ManualClock } from './manual-clock.ts';

export interface DriverUnderTest extends AsyncDisposable {
  readonly driver: Driver<SerialAddress>;
  /** Resolves with the loss that is reported through `onLost`. */
  readonly lost: Promise<Error>;
  connect(): Promise<void>;
  /** Reads channels once. */
  read(...channels: readonly Channel<SerialAddress>[]): Promise<readonly Reading[]>;
}

/** Settings of the driver, and what is different about the test. */
type DriverSettings = Readonly<Record<string, unknown>> & {
  readonly clock?: Clock;
  /** Whether the instrument may be amid a frame when the line is opened. */
  readonly isMidFrame?: boolean;
};

// Longer than that between the bytes of a frame.
const PAUSE_MS = 25;

export const LINES = { type: 'delimiter', delimiter: '\\r\\n' } as const;

/** Connects a driver to a line; disposing of it closes the line. */
export async function connectDriver(
  device: string,
  { clock = systemClock, isMidFrame = false, ...settings }: DriverSettings = {},
): Promise<DriverUnderTest> {
  const config = createSerialDriverFactory().configSchema.parse({ device, framing: LINES, ...settings });
  const driver = createSerialDriverFactory().create(config, createDriverContext({ clock }));
  const { promise: lost, resolve: onLost } = Promise.withResolvers<Error>();
  const connect = async (): Promise<void> => {
    await driver.connect(noDeadline(), onLost);
    if (isMidFrame) return;
    // What comes at once would be the rest of a frame.
    const silent = delay(clock, PAUSE_MS, noDeadline());
    if (clock instanceof ManualClock) clock.advance(PAUSE_MS);
    await silent;
  };
  await connect();
  return {
    driver,
    lost,
    connect,
    read: (...channels) => driver.prepareRead(channels).read(noDeadline()),
    [Symbol.asyncDispose]: () => driver.disconnect(),
  };
}

/** Creates a channel with the given address; a DOUBLE unless told. */
export function createChannel(
  address: Readonly<Record<string, unknown>>,
  valueType: ValueType = 'DOUBLE',
): Channel<SerialAddress> {
  return createChannelSchema(addressSchema).parse({ name: 'value', type: 'READ_WRITE', valueType, address });
}

/** A signal that never aborts. */
export function noDeadline(): AbortSignal {
  return new AbortController().signal;
}

/** Waits until a counter of the driver has a value. */
export async function countTo({ driver }: DriverUnderTest, counter: string, value: number): Promise<void> {
  while ((driver.counters()[counter] ?? 0) < value) await setImmediate();
}

/** Moves the clock until something happens. */
export async function advanceUntil<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  const settled = { isDone: false };
  const note = (): void => {
    settled.isDone = true;
  };
  promise.then(note, note);
  while (!settled.isDone) {
    clock.advance(50);
    await setImmediate();
  }
  return promise;
}
