import { openMqttLink } from '../../../bundles/mqtt/broker/mqtt-link.ts';
import { Sender } from '../../../bundles/penstock-mqtt/delivery/sender.ts';
import type { CommandHandler } from '../../../bundles/penstock-mqtt/delivery/sender.ts';
import type { MqttSettings } from '../../../bundles/penstock-mqtt/settings.ts';
import { SenderStatus } from '../../../bundles/penstock-mqtt/status.ts';
import { MemoryJournal } from '../../support/memory-journal.ts';
import type { Owner } from '../../support/temporary-directory.ts';
import { fastTime } from './connection-settings.ts';

/** A sender over real sockets with a journal in memory; it stops with the test. */
export function startSender(
  owner: Owner,
  settings: MqttSettings,
  {
    gateway = 'north',
    journals = new Map<string, MemoryJournal>(),
    onCommand = () => {},
    status = new SenderStatus(),
  }: {
    readonly gateway?: string;
    readonly journals?: Map<string, MemoryJournal>;
    readonly onCommand?: CommandHandler;
    readonly status?: SenderStatus;
  } = {},
) {
  const journalOf = (recorder: string): MemoryJournal => {
    const journal = journals.get(recorder) ?? new MemoryJournal();
    journals.set(recorder, journal);
    return journal;
  };
  // A journal begins at the tail of the first call, which is that of a bundle that was installed before the test.
  void journalOf('fast').acknowledged();
  const sender = new Sender(
    { gateway, journal: journalOf, status, time: fastTime, openLink: openMqttLink, onCommand },
    settings,
  );
  sender.start();
  owner.after(async () => sender.stop());
  return {
    sender,
    journal: journalOf('fast'),
    journalOf,
    report: () => status.report(sender.levels),
    counter: (name: string) => status.report(sender.levels).counters?.[name],
  };
}

/** Waits until a condition holds that nothing reports. */
export async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 5));
}
