import { openMqttLink } from '../../../bundles/mqtt/broker/mqtt-link.ts';
import { machineTime } from '../../../bundles/mqtt/time.ts';
import type { Time } from '../../../bundles/mqtt/time.ts';
import { EdgeNode } from '../../../bundles/penstock-sparkplug/delivery/edge-node.ts';
import type { EdgeNodeOptions } from '../../../bundles/penstock-sparkplug/delivery/edge-node.ts';
import type { SparkplugSettings } from '../../../bundles/penstock-sparkplug/settings.ts';
import { NodeStatus } from '../../../bundles/penstock-sparkplug/status.ts';
import type { RecordedChannel } from '../../../daemon/software/bundle/runner/context.ts';
import { MemoryJournal } from '../../support/memory-journal.ts';
import type { Owner } from '../../support/temporary-directory.ts';

/** Time that passes a hundred times faster, in waits as well. */
export const fastTime: Time = {
  ...machineTime,
  nowMs: () => machineTime.nowMs() * 100,
  sleep: (ms, signal) => machineTime.sleep(ms / 100, signal),
};

/** Makes a channel of a recorder. */
export function makeChannel(
  asset: string,
  channel = 'value',
  more: Partial<RecordedChannel> = {},
): RecordedChannel {
  return { asset, channel, valueType: 'DOUBLE', isWritable: false, ...more };
}

type Written = Parameters<EdgeNodeOptions['assets']['write']>;

/** Options of a node that a test starts. */
interface NodeBench {
  readonly gateway?: string;
  readonly channels?: readonly RecordedChannel[];
  readonly journal?: MemoryJournal;
  readonly assets?: Partial<EdgeNodeOptions['assets']>;
  readonly births?: EdgeNodeOptions['births'];
  readonly time?: Time;
}

/** Starts an edge node over real sockets with a journal in memory; it stops with the test. */
export function startNode(owner: Owner, settings: SparkplugSettings, bench: NodeBench = {}) {
  const { gateway = 'north', channels = [makeChannel('boiler'), makeChannel('pump')] } = bench;
  const { journal = new MemoryJournal(), time = fastTime } = bench;
  if (bench.journal === undefined) journal.define(channels);
  void journal.acknowledged();
  const writes: Written[] = [];
  const log: string[] = [];
  const note = (message: string): void => void log.push(message);
  const status = new NodeStatus();
  let bdSeq = -1;
  const node = new EdgeNode(
    {
      gateway,
      version: '1.2.3',
      journal: () => journal,
      assets: {
        read: () => Promise.resolve([]),
        write: (...write) => {
          writes.push(write);
          return Promise.resolve(
            write[1].map(({ name }) => ({ name, timestampMs: 1, outcome: 'VERIFIED' as const })),
          );
        },
        ...bench.assets,
      },
      births: bench.births ?? { next: () => (bdSeq = (bdSeq + 1) % 256) },
      status,
      logger: { debug: note, info: note, warn: note, error: note },
      time,
      epochMs: () => Date.now(),
      openLink: openMqttLink,
    },
    settings,
  );
  node.start();
  owner.after(async () => node.stop());
  const report = () => status.report(node.levels);
  return { node, journal, writes, log, report, counter: (name: string) => report().counters[name] ?? 0 };
}

/** Waits until a condition holds that nothing reports. */
export async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 5));
}
