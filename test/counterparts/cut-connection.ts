import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import type { Channel } from '../../daemon/channel/channel.ts';
import type { SubscribingDriver } from '../../daemon/channel/driver.ts';
import type { OpcuaAddress } from '../../drivers/opcua/opcua-address.ts';
import { createOpcuaChannel } from '../support/opcua-driver-under-test.ts';
import type { TcpCable } from '../support/tcp-cable.ts';
import { writeValues } from '../support/write-values.ts';
import type { OpcuaMake } from './opcua-makes.ts';

/** A server with two drivers of it: one through a cable, and one with a connection of its own. */
export interface CableServer {
  readonly cable: TcpCable;
  readonly connect: (settings: Readonly<Record<string, unknown>>) => Promise<SubscribingDriver<OpcuaAddress>>;
  readonly direct: SubscribingDriver<OpcuaAddress>;
}

// Whatever waits for a keep-alive of the server is late, and so the test fails.
const KEEP_ALIVE_MS = 300_000;
const TIMEOUT_MS = 60_000;

/** Tests that no change is lost or late that a server of this make has while the connection is cut. */
export function testCutConnection(make: OpcuaMake, lay: (t: TestContext) => Promise<CableServer>): void {
  const kept = make.republishes ? 'each one in order' : 'the last one';
  test(
    `changes while the connection is cut are reported after it: ${kept}`,
    { timeout: TIMEOUT_MS },
    async (t) => {
      const { cable, connect, direct } = await lay(t);
      const address = { nodeId: `${make.prefix}setpoint`, queueSize: 10, samplingIntervalMs: 0 };
      const channel = createOpcuaChannel('setpoint', 'INTEGER', address);
      const driver = await connect({ keepAliveMs: KEEP_ALIVE_MS, sessionTimeoutMs: KEEP_ALIVE_MS });
      const witness = await follow(direct, channel);
      const change = async (value: number): Promise<void> => {
        const [outcome] = await writeValues(direct, [{ channel, value }], noDeadline());
        assert.equal(outcome?.failure, undefined);
        await witness.until(value);
      };
      const former = await follow(driver, channel);
      await change(1);
      await former.until(1);
      cable.cut();
      await former.ended;
      for (const value of [2, 3, 4]) await change(value);
      await driver.connect(noDeadline(), () => undefined);
      const latter = await follow(driver, channel);
      await latter.until(4);
      if (make.republishes) assert.deepEqual(latter.values, [1, 2, 3, 4]);
      for (const value of [5, 6]) {
        await change(value);
        await latter.until(value);
      }
    },
  );
}

interface Follower {
  /** Values in the order of the reports. */
  readonly values: readonly unknown[];
  readonly ended: Promise<unknown>;
  /** Resolves once the value is reported. */
  readonly until: (value: number) => Promise<void>;
}

/** Subscribes to a channel, and resolves when its first value is reported. */
async function follow(
  driver: SubscribingDriver<OpcuaAddress>,
  channel: Channel<OpcuaAddress>,
): Promise<Follower> {
  const values: unknown[] = [];
  const ended = Promise.withResolvers<unknown>();
  let wake: () => void = () => undefined;
  const until = async (isReached: () => boolean): Promise<void> => {
    while (!isReached()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
  };
  await driver.subscribe({
    channels: [channel],
    minimumIntervalMs: 100,
    signal: noDeadline(),
    onEnd: ended.resolve,
    onReading(_, { value, failure }) {
      values.push(failure?.code ?? value);
      wake();
    },
  });
  await until(() => values.length > 0);
  return { values, ended: ended.promise, until: (value) => until(() => values.includes(value)) };
}

function noDeadline(): AbortSignal {
  return new AbortController().signal;
}
