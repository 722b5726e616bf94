import { setImmediate } from 'node:timers/promises';

import { Asset } from '../../../../daemon/plant/asset/asset.ts';
import { DriverConnection } from '../../../../daemon/plant/asset/connection/driver-connection.ts';
import type { GrantedEvent } from '../../../../daemon/plant/access/granted-listener.ts';
import type { ListenRequest } from '../../../../daemon/plant/asset/read/subscriber-feed.ts';
import type { ListenerControl } from '../../../../daemon/plant/asset/read/subscription.ts';
import type { Channel } from '../../../../daemon/channel/channel.ts';
import { createLastWrites } from '../../../support/last-writes.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createMemoryLogger } from '../../../support/memory-logger.ts';
import type { ScriptedDriver } from '../../../support/scripted-driver.ts';
import { createChannel } from './channel-fixture.ts';

/** A subscriber and the events it received. */
export class ListenerProbe {
  readonly events: GrantedEvent[] = [];
  endReason: string | undefined;
  isFull = false;
  control: ListenerControl | undefined;

  send(event: GrantedEvent): void {
    this.events.push(event);
  }

  end(reason: string): void {
    this.endReason = reason;
  }

  /** Each event in short: `snapshot level=7`, `change level!`, `gap ID_UNKNOWN`. */
  get texts(): readonly string[] {
    return this.events.map((event) => {
      if (event.type === 'gap') return `gap ${event.reason}`;
      const records = event.records.map(({ name, value, failure }) =>
        failure === undefined ? `${name}=${String(value)}` : `${name}!${failure.code}`,
      );
      return [event.type, ...records].join(' ');
    });
  }

  get lastId(): string | undefined {
    return this.events.flatMap((event) => ('id' in event ? event.id : [])).at(-1);
  }
}

export interface ListeningBench<D extends ScriptedDriver> {
  readonly driver: D;
  readonly asset: Asset;
  readonly clock: ManualClock;
  readonly listen: (request?: Partial<ListenRequest>) => ListenerProbe;
  /** Advances the clock in steps of 100 ms and runs everything that falls due. */
  readonly pass: (ms: number) => Promise<void>;
  /** Runs everything that needs no time to pass. */
  readonly settle: () => Promise<void>;
}

export const CHANNELS: readonly Channel[] = [
  createChannel(),
  createChannel({ name: 'total', valueType: 'LONG' }),
  createChannel({ name: 'speed', type: 'WRITE' }),
  createChannel({ name: 'spare', isEnabled: false }),
];

/** Creates an asset on a scripted device on which `level` is 7 and `total` is 1. */
export function createListeningBench<D extends ScriptedDriver>(
  driver: D,
  channels: readonly Channel[] = CHANNELS,
): ListeningBench<D> {
  driver.values.set('level', 7).set('total', 1n);
  const clock = new ManualClock();
  const connection = new DriverConnection({
    driver,
    endpoint: 'line 1',
    callDeadlineMs: 1000,
    onStateChange: () => undefined,
    logger: createMemoryLogger(),
    clock,
    random: () => 0.5,
  });
  const asset = new Asset({ scaleOnWrite: true, pid: 'pump', driver: 'line', channels }, connection, {
    clock,
    findSource: () => undefined,
    lastWrites: createLastWrites(clock),
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  };
  return {
    driver,
    asset,
    clock,
    listen(request = {}) {
      const output = new ListenerProbe();
      output.control = asset.listen({ deadbandOf: () => 0, minimumIntervalMs: 1000, ...request, output });
      return output;
    },
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 100) {
        clock.advance(Math.min(100, ms - passed));
        await settle();
      }
    },
    settle,
  };
}
