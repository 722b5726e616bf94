import assert from 'node:assert/strict';
import { test } from 'node:test';

import { listChangedThings } from '../../daemon/console/forms/change/changed-things.ts';
import { listDifferences } from '../../daemon/console/forms/difference.ts';

const channel = (name: string, offset = 0): object => ({ name, address: { offset } });
const BEFORE = {
  drivers: [{ pid: 'line-1' }, { pid: 'line-2', host: 'a' }],
  assets: [{ pid: 'boiler', driver: 'line-1', channels: [channel('a'), channel('b'), channel('c')] }],
  rest: { ports: [1] },
};

function describe(before: object, after: object): readonly string[] {
  return listChangedThings(listDifferences(before, after)).map(
    ({ section, name = '', count, how }) => `${section} ${name} ${count} ${how}`,
  );
}

test('items that were added, changed and deleted are named once', () => {
  const after = {
    ...BEFORE,
    drivers: [{ pid: 'line-2', host: 'b', port: 502 }],
    assets: [...BEFORE.assets, { pid: 'pump-3', driver: 'line-2', channels: [channel('x')] }],
  };
  assert.deepEqual(describe(BEFORE, after), [
    'drivers line-1 1 DELETED',
    'drivers line-2 1 CHANGED',
    'assets pump-3 1 ADDED',
  ]);
});

test('one channel is named, and several of an asset are counted', () => {
  const withChannels = (...channels: readonly object[]): object => ({
    ...BEFORE,
    assets: [{ ...BEFORE.assets[0], channels }],
  });
  const after = withChannels(channel('b', 5), channel('d'), channel('e'), channel('f'));
  assert.deepEqual(describe(BEFORE, after), [
    'channels boiler 2 DELETED',
    'channels boiler/b 1 CHANGED',
    'channels boiler 3 ADDED',
  ]);
});

test('several values of one channel are one change of it', () => {
  const [asset] = BEFORE.assets;
  const changed = { name: 'a', unit: 'K', address: { offset: 9 } };
  const after = { ...BEFORE, assets: [{ ...asset, channels: [changed, channel('b'), channel('c')] }] };
  assert.deepEqual(describe(BEFORE, after), ['channels boiler/a 1 CHANGED']);
});

test('channels are counted, not their values', () => {
  const [asset] = BEFORE.assets;
  const changed = ['a', 'b'].map((name) => ({ name, unit: 'K', address: { offset: 9 } }));
  const after = { ...BEFORE, assets: [{ ...asset, channels: [...changed, channel('c')] }] };
  assert.deepEqual(describe(BEFORE, after), ['channels boiler 2 CHANGED']);
});

test('settings without items are named by their section', () => {
  assert.deepEqual(describe(BEFORE, { ...BEFORE, rest: { ports: [2], names: [] } }), ['rest  1 CHANGED']);
});

test('the items of the first configuration are added', () => {
  assert.deepEqual(describe({}, BEFORE), [
    'drivers line-1 1 ADDED',
    'drivers line-2 1 ADDED',
    'assets boiler 1 ADDED',
    'rest  1 CHANGED',
  ]);
});
