import { delay } from '../../../daemon/base/clock.ts';
import { AGGREGATES } from '../recording/expected-bucket.ts';
import type { Aggregate, ShownBucket } from '../recording/expected-bucket.ts';
import type { ShownHistory, ShownSample } from '../recording/history-check.ts';
import type { WorldRecording } from '../recording/world-recording.ts';
import type { Life } from '../world/life.ts';
import type { AssetClient } from './asset-client.ts';
import { createPerson } from './person.ts';
import type { Person, PersonParts } from './person.ts';

interface TrendReaderParts extends PersonParts {
  readonly client: AssetClient;
  readonly recording: Pick<WorldRecording, 'check' | 'history' | 'recorded'>;
  readonly life: Pick<Life, 'clockSteps' | 'epochMs' | 'number' | 'servingSinceMs'>;
}

interface TrendQuery extends Pick<ShownHistory, 'asset' | 'channels' | 'fromMs' | 'toMs'> {
  readonly limit: number;
  readonly buckets?: { readonly bucketMs: number; readonly aggregate: Aggregate } | undefined;
  readonly isLines: boolean;
}

interface Page {
  readonly samples: readonly ShownSample[];
  readonly buckets: readonly ShownBucket[];
  readonly next: number | undefined;
}

/** A line of an answer as NDJSON. */
type Line =
  | ({ readonly type: 'SAMPLE' } & ShownSample)
  | ({ readonly type: 'BUCKET' } & ShownBucket)
  | { readonly type: 'GAP' }
  | { readonly type: 'NEXT'; readonly next: number };

const LONGEST_MS = 2_700_000;
const BUCKETS_MS = [7000, 60_000, 600_000] as const;
// Of a calm time, in which samples are far apart.
const CALM_LONGEST_MS = 24 * LONGEST_MS;
const CALM_BUCKETS_MS = [60_000, 3_600_000, 86_400_000] as const;
const LIMITS = [7, 100, 10_000] as const;
const MOST_PAGES = 40;
// Younger samples may still be on their way, also by the time of the device.
const YOUNGEST_MS = 15_000;
// By then the journal has what was taken before the answer.
const WRITTEN_MS = 3000;

/** Creates a client that reads what was recorded, page by page, and compares it with the journal. */
export function createTrendReader(parts: TrendReaderParts): Person {
  const { name: who, time, random, chronicle, client, recording, life } = parts;
  const ends = random.branch('end');
  return createPerson(
    parts,
    async () => {
      const assets = recording.recorded.listAssets();
      if (assets.length === 0 || life.servingSinceMs === undefined) return;
      const run = life.number;
      const trend = drawQuery(random.pick(assets));
      const askedMs = time.monotonicMs();
      const found = await readAll(trend);
      const answeredMs = time.monotonicMs();
      await delay(time, WRITTEN_MS);
      if (found === undefined || life.number !== run || life.servingSinceMs === undefined) return;
      await recording.check();
      const { samples, buckets } = found;
      const { buckets: wanted, ...range } = trend;
      const shown = wanted === undefined ? {} : { buckets: { ...wanted, shown: buckets } };
      recording.history.check({ who, ...range, ...shown, samples, askedMs, answeredMs });
    },
    () => client.close(),
  );

  function drawQuery(asset: string): TrendQuery {
    const all = recording.recorded.listChannels(asset);
    const some = all.filter(() => random.chance(0.5));
    // Borders that samples lie on are drawn as often as others.
    const unitMs = random.pick([1, 1000]);
    const ageMs = random.integer(0, YOUNGEST_MS * 10);
    // What was recorded before the clock was set is also read by the clock of that time.
    const { deltaMs = 0 } = (ends.chance(0.5) ? life.clockSteps.at(-1) : undefined) ?? {};
    const toMs = Math.floor((life.epochMs() - deltaMs - ageMs) / unitMs) * unitMs;
    const isBuckets = random.chance(0.5);
    const isLively = time.tempo.isLively(time.monotonicMs());
    const longestMs = isLively ? LONGEST_MS : CALM_LONGEST_MS;
    return {
      asset,
      channels: some.length === 0 ? all : some,
      fromMs: toMs - random.integer(1, longestMs / unitMs) * unitMs,
      toMs,
      limit: random.pick(LIMITS),
      buckets: isBuckets
        ? {
            bucketMs: random.pick(isLively ? BUCKETS_MS : CALM_BUCKETS_MS),
            aggregate: random.pick(AGGREGATES),
          }
        : undefined,
      isLines: random.chance(0.5),
    };
  }

  /** Reads page by page. @returns undefined when there is no gateway, it is overloaded, or there are too many pages */
  async function readAll(trend: TrendQuery): Promise<Omit<Page, 'next'> | undefined> {
    const samples: ShownSample[] = [];
    const buckets: ShownBucket[] = [];
    let from: number | undefined = trend.fromMs;
    for (let pages = 0; from !== undefined; pages += 1) {
      const page: Page | undefined = pages === MOST_PAGES ? undefined : await readPage(trend, from);
      if (page === undefined) return undefined;
      samples.push(...page.samples);
      buckets.push(...page.buckets);
      from = page.next;
    }
    return { samples, buckets };
  }

  async function readPage({ asset, channels, toMs, limit, buckets, isLines }: TrendQuery, fromMs: number) {
    const names = channels.map(encodeURIComponent).join(',');
    const wanted =
      buckets === undefined ? '' : `&bucketMs=${buckets.bucketMs}&aggregate=${buckets.aggregate}`;
    const query = `channels=${names}&from=${fromMs}&to=${toMs}&limit=${limit}${wanted}`;
    const answer = await client.ask({
      method: 'GET',
      path: `/services/history/v1/${asset}?${query}`,
      headers: { accept: isLines ? 'application/x-ndjson' : 'application/json' },
    });
    chronicle.note(
      who,
      `reads ${asset} ${query}: ${answer === undefined ? 'no answer' : answer.status} ${answer?.body}`,
    );
    if (answer === undefined || answer.status === 503) return undefined;
    const page = answer.status === 200 ? parsePage(answer.body, isLines) : undefined;
    if (page === undefined)
      chronicle.break('answer-shape', `${who} read ${asset}: ${answer.status} ${answer.body.slice(0, 300)}`);
    return page;
  }
}

function parsePage(body: string, isLines: boolean): Page | undefined {
  try {
    return isLines ? parseLines(body) : parseJson(body);
  } catch {
    return undefined;
  }
}

function parseJson(body: string): Page {
  const { samples = [], buckets = [], next } = JSON.parse(body, keepDigits) as Partial<Page>;
  return { samples, buckets, next };
}

function parseLines(body: string): Page {
  const samples: ShownSample[] = [];
  const buckets: ShownBucket[] = [];
  let next: number | undefined;
  for (const text of body.split('\n').filter((each) => each !== '')) {
    const line = JSON.parse(text, keepDigits) as Line;
    if (line.type === 'SAMPLE') samples.push(line);
    else if (line.type === 'BUCKET') buckets.push(line);
    else if (line.type === 'NEXT') ({ next } = line);
  }
  return { samples, buckets, next };
}

// A number keeps every digit, as clients need it for LONG.
function keepDigits(_key: string, value: unknown, context?: { readonly source: string }): unknown {
  const isLong = typeof value === 'number' && !Number.isSafeInteger(value);
  return isLong && /^-?\d+$/.test(context?.source ?? '') ? context?.source : value;
}
