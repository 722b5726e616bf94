import { openMqttLink } from '../mqtt/broker/mqtt-link.ts';
import { CommandRunner } from './command/command-runner.ts';
import { Sender } from './delivery/sender.ts';
import type { BundleContext } from '../../daemon/software/bundle/runner/context.ts';
import { readSettings } from './settings.ts';
import { runSender } from '../mqtt/sender-program.ts';
import { SenderStatus } from './status.ts';
import { machineTime } from '../mqtt/time.ts';

let stop: (() => Promise<void>) | undefined;

/** Starts to send. */
export function activate(context: BundleContext): void {
  const status = new SenderStatus((detail) => context.logger.warn(detail));
  const gateway = context.gateway.name;
  const { assets } = context;
  const commands = new CommandRunner({ gateway, assets, status });
  let sender: Sender | undefined;
  stop = runSender(
    context,
    {
      apply: (declared) => {
        const settings = readSettings(declared, gateway);
        // What it no longer sends is not kept for it; if the gateway does not take the list, only that is put off.
        context.declareRecorders(settings.delivery.recorders).catch(() => {});
        if (sender !== undefined) return sender.change(settings);
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
      },
      setSettingsFault: (fault) => status.setSettingsFault(fault),
      report: () => {
        void sender?.look();
        return status.report(sender?.levels ?? { waiting: 0, backlog: 0, heldTopics: 0 });
      },
      stop: async () => sender?.stop(),
    },
    machineTime,
  );
}

/** Sends what is outstanding, if the broker acknowledges it soon, and ends the connection. */
export async function deactivate(): Promise<void> {
  await stop?.();
}
