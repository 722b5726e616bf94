import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';

import type { Slices } from '../../base/slices.ts';
import { CHAIN_ORIGIN, renderGap } from './audit-chain.ts';
import type { ChainGap } from './audit-chain.ts';
import { toGap, toHex } from './audit-row.ts';

/** A removed event and its hash; without hash it is older than the chain. */
export interface RemovedEvent {
  readonly id: number;
  readonly hash: string | undefined;
}

/** Gaps of a removal, before it is made. */
export interface GapPlan {
  /** New gaps in ascending order; each replaces the gaps in its range. */
  readonly gaps: readonly ChainGap[];
  /** What `digestGaps` returns for all gaps afterwards. */
  readonly digest: string;
}

const GAPS_OF_STEP = 1000;

/**
 * Plans the gaps of a removal in slices, because there may be half as many gaps as events; changes nothing.
 *
 * @param removed in any order
 * @param startId id of the first event of the chain
 */
export function* planGaps(
  database: DatabaseSync,
  removed: readonly RemovedEvent[],
  startId: number,
): Slices<GapPlan> {
  const runs = listRuns(removed.filter(({ id }) => id >= startId).sort((a, b) => a.id - b.id));
  const find = (column: string) => database.prepare(`SELECT * FROM audit_gap WHERE ${column} = ?`);
  const [endingAt, startingAt] = [find('last_id'), find('first_id')];
  const hashOf = database.prepare('SELECT hash FROM audit_event WHERE id = ?');
  const gaps: ChainGap[] = [];
  for (const [first, last] of runs) {
    yield;
    const { id: firstId } = first;
    // The gap before may have grown up to here.
    const left = gaps.at(-1)?.lastId === firstId - 1 ? gaps.pop() : findGap(endingAt.get(firstId - 1));
    const right = findGap(startingAt.get(last.id + 1));
    gaps.push({
      firstId: left?.firstId ?? firstId,
      lastId: right?.lastId ?? last.id,
      before: left?.before ?? (firstId === startId ? CHAIN_ORIGIN : toHex(hashOf.get(firstId - 1)?.['hash'])),
      after: right?.after ?? last.hash ?? '',
    });
  }
  return { gaps, digest: yield* digestWith(database, gaps) };
}

function findGap(row: Readonly<Record<string, unknown>> | undefined): ChainGap | undefined {
  return row === undefined ? undefined : toGap(row);
}

/** Lists the first and the last event of each sequence without holes. */
function listRuns(ordered: readonly RemovedEvent[]): readonly (readonly [RemovedEvent, RemovedEvent])[] {
  const runs: [RemovedEvent, RemovedEvent][] = [];
  for (const event of ordered) {
    const run = runs.at(-1);
    if (run?.[1].id === event.id - 1) run[1] = event;
    else runs.push([event, event]);
  }
  return runs;
}

/** Digests the stored gaps, with some that replace those in their ranges. */
function* digestWith(database: DatabaseSync, gaps: readonly ChainGap[]): Slices<string> {
  // Texts are made in SQL, which takes half of the time.
  const select = database.prepare(
    `SELECT max(first_id) AS last, count(*) AS count,
       group_concat(first_id || '-' || last_id || ' ' || lower(hex(before)) || ' ' || lower(hex(after)) || char(10), ''
         ORDER BY first_id) AS text
     FROM (SELECT * FROM audit_gap WHERE first_id > ? AND first_id < ? ORDER BY first_id LIMIT ${GAPS_OF_STEP})`,
  );
  const hash = createHash('sha256');
  let passedId = 0;
  for (const gap of [...gaps, undefined]) {
    for (let count = GAPS_OF_STEP; count === GAPS_OF_STEP;) {
      yield;
      const row = select.get(passedId, gap?.firstId ?? Number.MAX_SAFE_INTEGER) ?? {};
      count = Number(row['count']);
      if (count === 0) break;
      hash.update(String(row['text']));
      passedId = Number(row['last']);
    }
    if (gap === undefined) break;
    hash.update(renderGap(gap));
    passedId = gap.lastId;
  }
  return hash.digest('hex');
}
