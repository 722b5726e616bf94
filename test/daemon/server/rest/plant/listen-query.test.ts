import assert from 'node:assert/strict';
import { test } from 'node:test';

import { InvalidRequest } from '../../../../../daemon/base/errors.ts';
import type { z } from '../../../../../daemon/base/schema.ts';
import { readQuery } from '../../../../../daemon/server/http/query.ts';
import { listenToAsset, listenToAssets } from '../../../../../daemon/interface/plant/listening.ts';
import {
  parseListenedPids,
  parseListenQuery,
  parseMultiAssetQuery,
} from '../../../../../daemon/server/rest/plant/listen-query.ts';
import type { ListenParameters } from '../../../../../daemon/server/rest/plant/listen-query.ts';
import { createChannel } from '../../../plant/asset/channel-fixture.ts';
import { createRequest } from '../../http/request-fixture.ts';

const CHANNELS = [
  createChannel(),
  createChannel({ name: 'a:b', valueType: 'LONG' }),
  createChannel({ name: 'text', valueType: 'STRING' }),
];

function queryOf<Query extends z.ZodObject>({ query }: { readonly query?: Query }): Query {
  assert.ok(query !== undefined);
  return query;
}

function read(query: string): ListenParameters {
  const request = createRequest();
  request.url = `/services/assets/pump/_listen${query}`;
  return parseListenQuery(readQuery(request, queryOf(listenToAsset)), CHANNELS);
}

test('without a query, a stream contains every channel, with no deadband, once a second', () => {
  const { names, deadbandOf, minimumIntervalMs } = read('');
  assert.deepEqual([names, deadbandOf('level'), minimumIntervalMs], [undefined, 0, 1000]);
});

test('a deadband applies to all channels, or to those it names', () => {
  const { names, deadbandOf } = read('?channels=level,a:b,nobody&deadband=0.5,a:b:2');
  assert.deepEqual(names, ['level', 'a:b', 'nobody']);
  assert.deepEqual([deadbandOf('level'), deadbandOf('a:b')], [0.5, 2]);
  assert.equal(read('?deadband=level:3').deadbandOf('a:b'), 0);
});

test('an invalid query is refused with the name of its parameter', () => {
  const wrong = {
    channels: ['channels=', 'channels=level,', 'channels=,', 'channels=level&channels='],
    deadband: [
      'deadband=',
      'deadband=-1',
      'deadband=1e5',
      'deadband=level',
      'deadband=level:',
      'deadband=level:x',
      'deadband=nobody:1',
      'deadband=text:1',
      'deadband=1,2',
      'deadband=level:1,level:2',
      'deadband=:1',
      'channels=level&deadband=a:b:1',
      `deadband=${'1,'.repeat(2000)}`,
    ],
    minimumIntervalMs: ['minimumIntervalMs=99', 'minimumIntervalMs=3600001', 'minimumIntervalMs=1.5'],
  };
  for (const [name, queries] of Object.entries(wrong)) {
    for (const query of queries) {
      assert.throws(
        () => read(`?${query}`),
        (error) =>
          error instanceof InvalidRequest &&
          error.code === 'QUERY_INVALID' &&
          error.detail.includes(`"${name}"`),
        query,
      );
    }
  }
});

function readJoined(query: string): ReadonlyMap<string, ListenParameters> {
  const request = createRequest();
  request.url = `/services/assets/_listen${query}`;
  const wanted = readQuery(request, queryOf(listenToAssets));
  return parseMultiAssetQuery(wanted, new Map(parseListenedPids(wanted).map((pid) => [pid, CHANNELS])));
}

test('a query for several assets names channels and deadbands by asset', () => {
  const parametersOf = readJoined(
    '?assets=pump,tank&channels=tank/level,tank/a:b,tank/x/y&deadband=1,tank/a:b:2',
  );
  const [pump, tank] = [parametersOf.get('pump'), parametersOf.get('tank')];
  assert.deepEqual([pump?.names, tank?.names], [undefined, ['level', 'a:b', 'x/y']]);
  assert.deepEqual([pump?.deadbandOf('a:b'), tank?.deadbandOf('a:b'), tank?.deadbandOf('level')], [1, 2, 1]);
  assert.equal(readJoined('?assets=pump&minimumIntervalMs=100').get('pump')?.minimumIntervalMs, 100);
});

test('an invalid query for several assets is refused', () => {
  const many = Array.from({ length: 65 }, (_value, index) => `a${index}`).join(',');
  for (const query of [
    '',
    'assets=',
    'assets=pump,',
    'assets=pump,pump',
    `assets=${many}`,
    'assets=pump&assets=pump',
    'assets=pump&channels=level',
    'assets=pump&channels=tank/level',
    'assets=pump&channels=pump/',
    'assets=pump&deadband=tank/level:1',
    'assets=pump&deadband=level:1',
    'assets=pump&deadband=1,2',
    'assets=pump&deadband=pump/text:1',
  ]) {
    assert.throws(() => readJoined(`?${query}`), { code: 'QUERY_INVALID' }, query);
  }
});
