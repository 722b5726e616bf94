import { decodeBatch, MAXIMUM_BATCH, MAXIMUM_JOURNAL_WAIT_MS } from '../message/journal-columns.ts';
import type { WireJournalBatch } from '../message/journal-columns.ts';
import type { BundleJournal } from './context.ts';
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
    async acknowledge(cursor) {
      await gateway.call('journal.acknowledge', { recorder, cursor });
    },
  };
}
