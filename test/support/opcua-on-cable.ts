/** An OPC UA driver whose connection can be cut, and subscribers that record what it reports. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { Clock } from '../../daemon/base/clock.ts';
import type { Logger } from '../../daemon/base/logger.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { SubscribingDriver } from '../../daemon/channel/driver.ts';
import type { OpcuaAddress } from '../../drivers/opcua/opcua-address.ts';
import { createOpcuaDriver } from './opcua-driver-under-test.ts';
import { layTcpCable } from './tcp-cable.ts';
import { writeValues } from './write-values.ts';

/** A subscriber. */
export interface Follower {
  /** Values and failure codes of a channel, in the order of the reports; default: of the first channel. */
  readonly values: (index?: number) => readonly unknown[];
  readonly ends: readonly ConnectionError[];
  readonly ended: Promise<ConnectionError>;
  /** Resolves once the channel has had the value. */
  readonly until: (value: number, index?: number) => Promise<void>;
  readonly stop: () => void;
}

/** A driver that is connected over a cable. */
export interface CabledDriver {
  readonly driver: SubscribingDriver<OpcuaAddress>;
  readonly connect: () => Promise<void>;
  /** Breaks the connection; resolves when the driver has noticed it. */
  readonly cut: () => Promise<void>;
  /** Subscribes, and resolves when each channel was reported. */
  readonly follow: (channels: readonly Channel<OpcuaAddress>[], intervalMs?: number) => Promise<Follower>;
  /** Reads a channel: a server takes requests in their order, so that it has answered all earlier ones then. */
  readonly read: (channel: Channel<OpcuaAddress>) => Promise<unknown>;
}

export interface CableOptions {
  readonly port: number;
  readonly dataDirectory: string;
  /** Interval of subscribers without one of their own. */
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger?: Logger;
  readonly config?: Readonly<Record<string, unknown>>;
}

// Neither a keep-alive of the session nor a timeout when a test moves its clock.
const CALM = { keepAliveMs: 300_000, sessionTimeoutMs: 3_600_000, requestTimeoutMs: 300_000 };

/** Connects a driver over a cable; both end with the test. */
export async function connectOverCable(
  t: TestContext,
  { port, intervalMs, config, ...context }: CableOptions,
): Promise<CabledDriver> {
  const cable = await layTcpCable(port);
  const endpointUrl = `opc.tcp://127.0.0.1:${cable.port}`;
  const driver = createOpcuaDriver({ ...CALM, ...config, endpointUrl }, context);
  t.after(async () => {
    await driver.disconnect();
    await cable[Symbol.asyncDispose]();
  });
  let lost = Promise.withResolvers<Error>();
  const connect = (): Promise<void> => {
    lost = Promise.withResolvers<Error>();
    return driver.connect(noDeadline(), lost.resolve);
  };
  await connect();
  return {
    driver,
    connect,
    async cut() {
      cable.cut();
      await lost.promise;
    },
    follow: (channels, ownMs = intervalMs) => follow(driver, channels, ownMs),
    read: (channel) => driver.prepareRead([channel]).read(noDeadline()),
  };
}

/** Connects another driver, which writes to the server; it ends with the test. */
export async function connectWriter(
  t: TestContext,
  endpointUrl: string,
  dataDirectory: string,
): Promise<(channel: Channel<OpcuaAddress>, value: number) => Promise<void>> {
  const driver = createOpcuaDriver({ endpointUrl }, { dataDirectory });
  await driver.connect(noDeadline(), () => undefined);
  t.after(() => driver.disconnect());
  return async (channel, value) => {
    const [outcome] = await writeValues(driver, [{ channel, value }], noDeadline());
    assert.equal(outcome?.failure, undefined);
  };
}

/** Lets a test wait until something that it records is there. */
export function createWait() {
  let wake: () => void = () => undefined;
  return {
    note: () => wake(),
    async until(isReached: () => boolean): Promise<void> {
      while (!isReached()) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
  };
}

/** Subscribes, and resolves when each channel was reported. */
export async function follow(
  driver: SubscribingDriver<OpcuaAddress>,
  channels: readonly Channel<OpcuaAddress>[],
  minimumIntervalMs: number,
): Promise<Follower> {
  const waiting = createWait();
  const readings = channels.map((): unknown[] => []);
  const ends: ConnectionError[] = [];
  const ended = Promise.withResolvers<ConnectionError>();
  const ending = new AbortController();
  const values = (index = 0): readonly unknown[] => readings[index] ?? [];
  await driver.subscribe({
    channels,
    minimumIntervalMs,
    signal: ending.signal,
    onReading(index, { value, failure }) {
      readings[index]?.push(failure?.code ?? value);
      waiting.note();
    },
    onEnd(error) {
      ends.push(error);
      ended.resolve(error);
    },
  });
  await waiting.until(() => readings.every(({ length }) => length > 0));
  return {
    values,
    ends,
    ended: ended.promise,
    until: (value, index) => waiting.until(() => values(index).includes(value)),
    stop: () => ending.abort(),
  };
}

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
