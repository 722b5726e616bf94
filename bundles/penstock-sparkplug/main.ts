import type { BundleContext } from '../../daemon/software/bundle/runner/context.ts';
import { openMqttLink } from '../mqtt/broker/mqtt-link.ts';
import type { DeclaredSettings } from '../mqtt/settings/settings-reader.ts';
import { machineTime } from '../mqtt/time.ts';
import { EdgeNode } from './delivery/edge-node.ts';
import { BirthCount } from './node/birth-count.ts';
import { readSettings } from './settings.ts';
import { NodeStatus } from './status.ts';

const REPORT_INTERVAL_MS = 1000;

let deactivating: (() => Promise<void>) | undefined;

/**
 * Starts the edge node. Settings that cannot be used are reported, and waited for: another program cannot correct them by a restart.
 */
export function activate(context: BundleContext): void {
  const status = new NodeStatus();
  const { assets, logger, bundle, gateway } = context;
  const births = new BirthCount(bundle.dataDirectory);
  let node: EdgeNode | undefined;
  const apply = (declared: DeclaredSettings): void => {
    const settings = readSettings(declared, gateway.name);
    status.setSettingsFault(undefined);
    // What it no longer sends is not kept for it; if the gateway does not take the list, only that is put off.
    context.declareRecorders(settings.recorders).catch(() => {});
    if (node !== undefined) {
      node.change(settings);
      return;
    }
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
  };
  let reported = '';
  const report = (): void => {
    const none = { backlog: 0, devices: 0, metrics: 0, lastBirthMs: 0, bdSeq: 0 };
    const current = status.report(node?.levels ?? none);
    const text = JSON.stringify(current);
    if (text === reported) return;
    reported = text;
    context.status(current);
  };
  context.settings.onChange((declared) => {
    try {
      apply(declared);
    } catch (error) {
      // Not thrown: the gateway would show the error alone, without counters.
      status.setSettingsFault(describe(error));
    } finally {
      report();
    }
  });
  try {
    apply(context.settings.current);
  } catch (error) {
    status.setSettingsFault(describe(error));
  }
  report();
  const timer = setInterval(report, REPORT_INTERVAL_MS);
  deactivating = async () => {
    clearInterval(timer);
    await node?.stop();
  };
}

/** Sends the death of the node, and ends the connection. */
export async function deactivate(): Promise<void> {
  await deactivating?.();
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
