import { decodeBatch, MAXIMUM_BATCH, MAXIMUM_JOURNAL_WAIT_MS } from '../message/journal-columns.ts';
import type { WireJournalBatch, WireRecordedChannels } from '../message/journal-columns.ts';
import type { BundleJournal, RecordedChannel } from './context.ts';
import type { GatewayLink } from './gateway-link.ts';

/** Creates the journal of a recorder, read over the link to the gateway. */
export function createJournal(gateway: GatewayLink, recorder: string): BundleJournal {
  return {
    tail: async () => (await gateway.call('journal.tail', { recorder })) as number,
    acknowledged: async () => (await gateway.call('journal.acknowledged', { recorder })) as number,
    async read({ after, limit, waitMs, signal } = {}) {
      const bounds = {
        after,
        limit: limit === undefined ? undefined : Math.min(limit, MAXIMUM_BATCH),
        waitMs: waitMs === undefined ? undefined : Math.min(waitMs, MAXIMUM_JOURNAL_WAIT_MS),
      };
      const batch = await gateway.call('journal.read', { recorder, ...bounds }, signal);
      return decodeBatch(batch as WireJournalBatch);
    },
    async channels({ known } = {}) {
      let channels: readonly RecordedChannel[] = [];
      let revision: string | undefined;
      for (;;) {
        const from = channels.length;
        const answer = await gateway.call('journal.channels', { recorder, from, known });
        const page = answer as WireRecordedChannels;
        if (page.revision === known) return undefined;
        // It has changed since the page before, and is read from its beginning.
        const isOther = from > 0 && page.revision !== revision;
        channels = isOther ? [] : [...channels, ...page.channels];
        revision = page.revision;
        if (!isOther && channels.length >= page.total) return { revision, channels };
      }
    },
    async acknowledge(cursor) {
      await gateway.call('journal.acknowledge', { recorder, cursor });
    },
  };
}
