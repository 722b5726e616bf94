import { openMqttLink } from '../mqtt/broker/mqtt-link.ts';
import { CommandRunner } from './command/command-runner.ts';
import { Sender } from './delivery/sender.ts';
import type { BundleContext } from '../../daemon/software/bundle/runner/context.ts';
import { readSettings } from './settings.ts';
import type { DeclaredSettings } from '../mqtt/settings/settings-reader.ts';
import { SenderStatus } from './status.ts';
import { machineTime } from '../mqtt/time.ts';

const REPORT_INTERVAL_MS = 1000;

let deactivating: (() => Promise<void>) | undefined;

/**
 * Starts to send. Settings that cannot be used are reported, and waited for: another program cannot correct them by a restart.
 */
export function activate(context: BundleContext): void {
  const status = new SenderStatus();
  const gateway = context.gateway.name;
  const { assets } = context;
  const commands = new CommandRunner({ gateway, assets, status });
  let sender: Sender | undefined;
  const apply = (declared: DeclaredSettings): void => {
    const settings = readSettings(declared, gateway);
    status.setSettingsFault(undefined);
    // What it no longer sends is not kept for it; if the gateway does not take the list, only that is put off.
    context.declareRecorders(settings.delivery.recorders).catch(() => {});
    if (sender !== undefined) {
      sender.change(settings);
      return;
    }
    sender = new Sender(
      {
        gateway,
        journal: (recorder) => context.journal(recorder),
        status,
        time: machineTime,
        openLink: openMqttLink,
        onCommand: (message, connection) => commands.accept(message, connection),
      },
      settings,
    );
    sender.start();
  };
  let reported = '';
  const report = (): void => {
    const current = status.report(sender?.levels ?? { waiting: 0, backlog: 0, heldTopics: 0 });
    const text = JSON.stringify(current);
    if (text === reported) return;
    reported = text;
    context.status(current);
  };
  context.settings.onChange((declared) => {
    try {
      apply(declared);
    } catch (error) {
      // Not thrown: the gateway would show the error alone, without counters and checks.
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
  const timer = setInterval(() => {
    void sender?.look();
    report();
  }, REPORT_INTERVAL_MS);
  deactivating = async () => {
    clearInterval(timer);
    await sender?.stop();
  };
}

/** Sends what is outstanding, if the broker acknowledges it soon, and ends the connection. */
export async function deactivate(): Promise<void> {
  await deactivating?.();
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
