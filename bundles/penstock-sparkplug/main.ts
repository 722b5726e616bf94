import type { BundleContext } from '../../daemon/software/bundle/runner/context.ts';
import { openMqttLink } from '../mqtt/broker/mqtt-link.ts';
import { runSender } from '../mqtt/sender-program.ts';
import { machineTime } from '../mqtt/time.ts';
import { EdgeNode } from './delivery/edge-node.ts';
import { BirthCount } from './node/birth-count.ts';
import { readSettings } from './settings.ts';
import { NodeStatus } from './status.ts';

let stop: (() => Promise<void>) | undefined;

/** Starts the edge node. */
export function activate(context: BundleContext): void {
  const status = new NodeStatus();
  const { assets, logger, bundle, gateway } = context;
  const births = new BirthCount(bundle.dataDirectory);
  let node: EdgeNode | undefined;
  stop = runSender(
    context,
    {
      apply: (declared) => {
        const settings = readSettings(declared, gateway.name);
        // What it no longer sends is not kept for it; if the gateway does not take the list, only that is put off.
        context.declareRecorders(settings.recorders).catch(() => {});
        if (node !== undefined) return node.change(settings);
        node = new EdgeNode(
          {
            gateway: gateway.name,
            version: bundle.version,
            journal: (recorder) => context.journal(recorder),
            assets,
            births,
            status,
            logger,
            time: machineTime,
            epochMs: () => Date.now(),
            openLink: openMqttLink,
          },
          settings,
        );
        node.start();
      },
      setSettingsFault: (fault) => status.setSettingsFault(fault),
      report: () =>
        status.report(node?.levels ?? { backlog: 0, devices: 0, metrics: 0, lastBirthMs: 0, bdSeq: 0 }),
      stop: async () => node?.stop(),
    },
    machineTime,
  );
}

/** Sends the death of the node, and ends the connection. */
export async function deactivate(): Promise<void> {
  await stop?.();
}
