import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MAXIMUM_REMEMBERED, RightsCache } from '../../../../daemon/plant/access/rights-cache.ts';
import type { Grant } from '../../../../daemon/security/identity/grant.ts';
import type { Identity } from '../../../../daemon/security/identity/identity.ts';

const UNTIL_MS = Date.parse('2026-12-01T18:00:00Z');
const READ: Grant = { assets: ['boiler'], channels: ['set*'], operations: ['READ'] };
const PLACE = { pid: 'boiler', channels: [{ name: 'setpoint' }, { name: 'flow' }] };

const identityWith = (
  grants: readonly Grant[] | undefined,
  permissions: readonly string[] = [],
): Identity => ({
  id: '1',
  name: 'scada',
  permissions,
  grants,
  passwordChangeNeeded: false,
  credentialsRevision: 1,
  createdAtMs: 0,
});

test('permissions for assets count for every asset, whatever the grants are', () => {
  const cache = new RightsCache();
  const rightsBy = (...permissions: string[]): readonly unknown[] => {
    const { readable, writable } = cache.rightsOf(identityWith(undefined, permissions), PLACE, 0);
    return [readable, writable];
  };
  assert.deepEqual(rightsBy('rest.admin'), ['ALL', 'ALL']);
  assert.deepEqual(rightsBy('rest.assets'), ['ALL', 'ALL']);
  assert.deepEqual(rightsBy('rest.assets.read'), ['ALL', new Set()]);
  assert.deepEqual(rightsBy('rest.configuration', 'rest.identity'), [new Set(), new Set()]);
});

test('the permission to read everything and a grant to write add up', () => {
  const grants: readonly Grant[] = [{ ...READ, operations: ['WRITE'] }];
  const { readable, writable } = new RightsCache().rightsOf(
    identityWith(grants, ['rest.assets.read']),
    PLACE,
    0,
  );
  assert.deepEqual([readable, writable], ['ALL', new Set(['setpoint'])]);
});

test('a decision is remembered until the moment at which a grant ends, and not for another identity or asset', () => {
  const cache = new RightsCache();
  const identity = identityWith([READ, { ...READ, channels: ['flow'], until: '2026-12-01T18:00:00Z' }]);
  const first = cache.rightsOf(identity, PLACE, UNTIL_MS - 1000);
  assert.deepEqual([first.readable, first.validUntilMs], ['ALL', UNTIL_MS]);
  assert.equal(cache.rightsOf(identity, PLACE, UNTIL_MS - 1), first);
  const second = cache.rightsOf(identity, PLACE, UNTIL_MS);
  assert.deepEqual([second.readable, second.validFromMs], [new Set(['setpoint']), UNTIL_MS]);
  assert.equal(cache.rightsOf(identity, PLACE, UNTIL_MS + 1_000_000), second);
  assert.deepEqual(cache.rightsOf(identityWith([]), PLACE, UNTIL_MS).readable, new Set());
  assert.deepEqual(cache.rightsOf(identity, { ...PLACE, pid: 'pump' }, UNTIL_MS).readable, new Set());
});

test('when too many channels are remembered, all decisions are made anew', () => {
  const cache = new RightsCache();
  const channels = Array.from({ length: 50_001 }, (_, index) => ({ name: `set${index}` }));
  const identity = identityWith([READ]);
  const place = { pid: 'boiler', channels: [...channels, { name: 'flow' }] };
  const first = cache.rightsOf(identity, place, 0);
  assert.equal(cache.rightsOf(identity, place, 0), first);
  for (let count = 50_002; count <= MAXIMUM_REMEMBERED; count += 50_002) {
    cache.rightsOf(identity, { ...place }, 0);
  }
  assert.notEqual(cache.rightsOf(identity, place, 0), first);
});

test('ten thousand grants are compared with an asset once', () => {
  const grants = Array.from({ length: 10_000 }, (_, index): Grant => ({
    assets: [`line${index}-*`],
    channels: [`c${index}`, 'total'],
    operations: ['READ'],
  }));
  const cache = new RightsCache();
  const identity = identityWith(grants);
  const place = { pid: 'line9999-oven', channels: [{ name: 'c9999' }, { name: 'c9998' }, { name: 'total' }] };
  const rights = cache.rightsOf(identity, place, 0);
  assert.deepEqual(rights.readable, new Set(['c9999', 'total']));
  assert.equal(cache.rightsOf(identity, place, 1), rights);
});
