import assert from 'node:assert/strict';
import { test } from 'node:test';

import { RestFailure } from '../../daemon/console/api/rest-failure.ts';
import { RecordedValues } from '../../daemon/console/trend/recorded-values.ts';
import type { HistorySource } from '../../daemon/console/trend/asset-reading.ts';
import type { RecordedRange } from '../../daemon/console/trend/recorded-values.ts';
import type { HistoryOverview, HistoryPage } from '../../daemon/interface/plant/history.ts';

const NOW_MS = 100 * 86_400_000;
const MINUTE_MS = 60_000;
const FLOW = { asset: 'boiler', channel: 'flow' };
const CAUSES = {
  reasons: { RETENTION: '', DISK: '', DAMAGED: '', STOPPED: 'stopped', DEVICE_LOST: '' },
  named: (code: string) => code,
  bad: 'bad',
  ended: 'ended',
} as const;

type Answer = (asset: string, query: URLSearchParams) => HistoryPage | undefined;

/** Loads curves from a gateway with such a history, which has no other assets. */
async function load(
  answer: Answer,
  range: Partial<RecordedRange> = {},
  curves: readonly (typeof FLOW)[] = [FLOW],
  assets: HistoryOverview['recorders'][number]['assets'] = [{ asset: 'boiler' }],
): Promise<{ readonly values: RecordedValues; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const get = (target: string): Promise<unknown> => {
    const { pathname, searchParams } = new URL(target, 'http://gateway');
    const asset = pathname.split('/')[4];
    if (asset === undefined) return Promise.resolve({ recorders: [{ recorder: 'often', assets, bytes: 1 }] });
    asked.push(searchParams.get('aggregate') ?? 'samples');
    const page = answer(asset, searchParams);
    return page === undefined
      ? Promise.reject(new RestFailure({ status: 404, message: 'not found' }))
      : Promise.resolve(page);
  };
  const source: HistorySource = {
    get: <T>(path: string) => get(path) as Promise<T>,
    gatewayNowMs: () => NOW_MS,
  };
  const loaded = Promise.withResolvers<undefined>();
  const values = new RecordedValues(source, {
    causes: () => CAUSES,
    onLoaded: () => loaded.resolve(undefined),
  });
  values.show(curves, { fromMs: NOW_MS - 5 * MINUTE_MS, untilMs: NOW_MS, isLive: true, ...range });
  await loaded.promise;
  return { values, asked };
}

const good = (timestamp: number, value: number) =>
  ({ channel: 'flow', timestamp, value, quality: 'GOOD' }) as const;

test('few samples are loaded as they are', async () => {
  const { values, asked } = await load(() => ({ samples: [good(NOW_MS - 299_000, 3)], gaps: [] }));
  assert.deepEqual(asked, ['samples']);
  assert.equal(values.find(FLOW)?.samples.valueAt(0), 3);
  assert.equal(values.find(FLOW)?.askedMs, NOW_MS);
  assert.ok(values.isRecorded(FLOW));
});

test('of many samples, the extremes of 200 periods are loaded', async () => {
  const { values, asked } = await load(
    (_asset, query) => {
      if (!query.has('bucketMs')) {
        assert.equal(query.get('limit'), '400');
        return { samples: [], gaps: [], next: NOW_MS };
      }
      const from = Number(query.get('from'));
      const bucketMs = Number(query.get('bucketMs'));
      const value = query.get('aggregate') === 'min' ? 1 : 9;
      const buckets = Array.from({ length: Math.ceil((NOW_MS - from) / bucketMs) }, (_bucket, index) => ({
        channel: 'flow',
        from: from + index * bucketMs,
        value,
        count: 5,
        good: 5,
      }));
      return { buckets, gaps: [] };
    },
    { fromMs: NOW_MS - 7 * 86_400_000 },
  );
  assert.deepEqual(asked, ['samples', 'min', 'max']);
  assert.equal(values.find(FLOW)?.samples.length, 400);
});

test('a value that has not changed in the range is held from before, unless something is missing since', async () => {
  const held = { channel: 'flow', from: 0, value: 7, count: 2, good: 2 };
  const answerWith =
    (before: HistoryPage): Answer =>
    (_asset, query) =>
      query.has('bucketMs') ? before : { samples: [], gaps: [] };
  const { values, asked } = await load(answerWith({ buckets: [held], gaps: [] }));
  assert.deepEqual(asked, ['samples', 'last']);
  assert.deepEqual(
    [values.find(FLOW)?.samples.timeAt(0), values.find(FLOW)?.samples.valueAt(0)],
    [NOW_MS - 5 * MINUTE_MS, 7],
  );
  const failed = await load(answerWith({ buckets: [{ ...held, good: 1 }], gaps: [] }));
  assert.equal(failed.values.find(FLOW)?.samples.length, 0);
  const fromMs = NOW_MS - 5 * MINUTE_MS;
  const stopped = { from: 0, to: fromMs, count: 0, reason: 'STOPPED' } as const;
  const lost = await load(answerWith({ buckets: [held], gaps: [stopped] }));
  assert.equal(lost.values.find(FLOW)?.samples.length, 0);
});

test('an asset without history leaves the others theirs', async () => {
  const other = { asset: 'gone', channel: 'flow' };
  const { values } = await load(
    (asset) => (asset === 'gone' ? undefined : { samples: [good(NOW_MS - 299_000, 3)], gaps: [] }),
    {},
    [other, FLOW],
  );
  assert.equal(values.find(other), undefined);
  assert.equal(values.isRecorded(other), false);
  assert.ok(values.isRecorded(FLOW));
});

test('what is not recorded any more ends with its last value, and is not held from before', async () => {
  const last = good(NOW_MS - 200_000, 3);
  const { values, asked } = await load(() => ({ samples: [last], gaps: [] }), {}, [FLOW], []);
  assert.deepEqual(asked, ['samples']);
  assert.ok(values.isRecorded(FLOW));
  assert.equal(values.isOngoing(FLOW), false);
  assert.deepEqual(values.find(FLOW)?.samples.gaps, [
    { fromMs: last.timestamp, untilMs: NOW_MS, cause: 'ended' },
  ]);
  const other = await load(
    () => ({ samples: [last], gaps: [] }),
    {},
    [FLOW],
    [{ asset: 'boiler', channels: ['level'] }],
  );
  assert.equal(other.values.isOngoing(FLOW), false);
});

test('a range of the past, after which there are more values, was recorded to its end', async () => {
  const untilMs = NOW_MS - 600_000;
  const range = { fromMs: untilMs - 300_000, untilMs, isLive: false };
  const first = good(untilMs - 299_000, 3);
  const count = { channel: 'flow', from: untilMs, value: 4, count: 4, good: 4 };
  const answerWith =
    (later: HistoryPage): Answer =>
    (_asset, query) =>
      query.has('bucketMs') ? later : { samples: [first], gaps: [] };
  const lasting = await load(answerWith({ buckets: [count], gaps: [] }), range, [FLOW], []);
  assert.deepEqual(lasting.asked, ['samples', 'count']);
  assert.deepEqual(lasting.values.find(FLOW)?.samples.gaps, []);
  const ended = await load(answerWith({ buckets: [], gaps: [] }), range, [FLOW], []);
  assert.deepEqual(ended.values.find(FLOW)?.samples.gaps, [
    { fromMs: first.timestamp, untilMs, cause: 'ended' },
  ]);
});
