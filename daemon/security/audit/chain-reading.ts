import type { ChainedEvent, ChainGap } from './audit-chain.ts';
import type { ExportedChain } from './chain-export.ts';

/** A page of the chain as the gateway returns it; only the last page is complete. */
export type ReadPage = Pick<ExportedChain, 'events'> & Partial<ExportedChain>;

/**
 * Reads a whole chain page by page while the gateway continues to record. Events that retention has removed since they were read
 * are dropped. Events that are still stored inside a gap are kept, so that the verification reports them.
 *
 * @param read returns the page after the event with an id
 */
export async function readWholeChain(read: (after: number) => Promise<ReadPage>): Promise<ExportedChain> {
  const events: ChainedEvent[] = [];
  for (;;) {
    const page = await read(events.at(-1)?.id ?? 0);
    events.push(...page.events);
    const { gaps, breaks, checkpoints, publicKey } = page;
    if (gaps === undefined || checkpoints === undefined || publicKey === undefined) continue;
    const removed = events.filter(isAmong(gaps)).map(({ id }) => id);
    const stored = await readIds(read, removed);
    const left = new Set(removed.filter((id) => !stored.has(id)));
    return { events: events.filter(({ id }) => !left.has(id)), gaps, breaks, checkpoints, publicKey };
  }
}

/** Returns the stored ids between the first and the last requested id. */
async function readIds(
  read: (after: number) => Promise<ReadPage>,
  asked: readonly number[],
): Promise<ReadonlySet<number>> {
  const stored = new Set<number>();
  const lastId = asked.at(-1) ?? 0;
  for (let after = (asked[0] ?? 1) - 1; after < lastId;) {
    const page = await read(after);
    for (const { id } of page.events) stored.add(id);
    after = page.checkpoints === undefined ? (page.events.at(-1)?.id ?? lastId) : lastId;
  }
  return stored;
}

/** Returns a predicate for events inside a gap; it must be called in ascending order of ids. */
function isAmong(gaps: readonly ChainGap[]): (event: ChainedEvent) => boolean {
  let index = 0;
  return ({ id }) => {
    while ((gaps[index]?.lastId ?? Infinity) < id) index += 1;
    const gap = gaps[index];
    return gap !== undefined && gap.firstId <= id;
  };
}
