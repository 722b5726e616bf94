import { useEffect } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import type { HistoryOverview, listHistory, readHistory } from '../../interface/plant/history.ts';
import { COURSE_MS } from './history.ts';
import type { LiveValues, RecordedValue } from './live-values.ts';

const HISTORY = '/services/history/v1';
// As wide as a column of a sparkline.
const BUCKET_MS = 5000;
const MAXIMUM_ROWS = 20_000;

/** Channels of an asset; undefined names: all. */
export interface ChannelsOfAsset {
  readonly asset: string;
  readonly names: readonly string[] | undefined;
}

/**
 * Begins the histories of live values with what the gateway has recorded, so that a sparkline does not start with the page. Without
 * recorders this sends one request.
 */
export function useRecordedHistory(live: LiveValues, shown: readonly ChannelsOfAsset[]): void {
  const { rest, session } = useConsole();
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  const key = JSON.stringify(shown);
  useEffect(() => {
    if (!isSignedIn || shown.length === 0) return undefined;
    const abort = new AbortController();
    const load = async (): Promise<void> => {
      const overview = await rest.call<typeof listHistory>('GET', HISTORY, { abort: abort.signal });
      const from = String(rest.gatewayNowMs() - COURSE_MS);
      // One after the other: browsers open few connections.
      for (const { asset, names } of shown.filter((each) => isRecorded(overview, each))) {
        const query = new URLSearchParams({
          from,
          bucketMs: String(BUCKET_MS),
          aggregate: 'last',
          limit: String(MAXIMUM_ROWS),
          ...(names === undefined ? {} : { channels: names.join(',') }),
        });
        const { buckets = [] } = await rest.call<typeof readHistory>(
          'GET',
          `${HISTORY}/${encodeURIComponent(asset)}?${query.toString()}`,
          { abort: abort.signal },
        );
        live.begin(asset, groupValues(buckets));
      }
    };
    // Sparklines begin with the page.
    load().catch(() => undefined);
    return () => abort.abort();
  }, [rest, live, key, isSignedIn]);
}

function isRecorded({ recorders }: HistoryOverview, { asset, names }: ChannelsOfAsset): boolean {
  const own = recorders.flatMap(({ assets }) => assets.filter((each) => each.asset === asset));
  return own.some(
    ({ channels }) =>
      channels === undefined || names === undefined || names.some((name) => channels.includes(name)),
  );
}

function groupValues(
  buckets: readonly { readonly channel: string; readonly from: number; readonly value?: unknown }[],
): ReadonlyMap<string, readonly RecordedValue[]> {
  const grouped = new Map<string, RecordedValue[]>();
  for (const { channel, from: ms, value } of buckets) {
    const values = grouped.get(channel) ?? [];
    values.push({ ms, value: value === undefined ? Number.NaN : Number(value) });
    grouped.set(channel, values);
  }
  return grouped;
}
