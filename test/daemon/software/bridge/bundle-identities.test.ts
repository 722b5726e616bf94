import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readForBundle, writeForBundle } from '../../../../daemon/software/bridge/asset-calls.ts';
import { BundleIdentities } from '../../../../daemon/software/bridge/bundle-identities.ts';
import type { AuditReport } from '../../../../daemon/security/audit/audit-event.ts';
import { auditBundleCalls } from '../../../../daemon/compose/bundle-audit.ts';
import { AssetAccess } from '../../../../daemon/plant/access/asset-access.ts';
import type { Grant } from '../../../../daemon/security/identity/grant.ts';
import { BURST, AuditRateLimiter } from '../../../../daemon/security/audit/audit-rate-limiter.ts';
import type { BundleCallParams } from '../../../../daemon/software/bundle/message/messages.ts';
import { ConnectionError } from '../../../../daemon/channel/driver-errors.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { createAccessBench } from '../../plant/access/access-fixture.ts';
import { createIdentities } from '../../security/identity/identity-fixture.ts';

const BUNDLE = { id: { name: 'com.example.scaler' } };
const NAME = 'bundle:com.example.scaler';
const READ_LEVEL: Grant = { assets: ['pump'], channels: ['level'], operations: ['READ'] };
const WRITES = [{ name: 'speed', type: 'DOUBLE', value: 3 }];

function createBench() {
  const { asset, driver, clock, access: reference } = createAccessBench([]);
  const identities = createIdentities(clock);
  const created: string[] = [];
  const bundles = new BundleIdentities({ identities, onCreated: ({ name }) => created.push(name) });
  const get = (pid: string): typeof asset => {
    // Refuses an unknown asset as the registry does.
    if (pid !== 'pump') reference.open(bundles.callerOf(BUNDLE), pid);
    return asset;
  };
  const access = new AssetAccess({
    registry: { find: () => asset, get, list: () => [asset] },
    identities,
    clock,
  });
  const outcomeOf = async (
    call: Promise<readonly { readonly name: string; readonly failure?: unknown }[]>,
  ) => {
    try {
      return (await call).map(({ name, failure }) => (failure === undefined ? name : `${name}!`)).join(' ');
    } catch (error) {
      return (error as { readonly code: string }).code;
    }
  };
  const audited: AuditReport[] = [];
  const log = auditBundleCalls(
    {
      announce: () => Promise.resolve({ id: 1 }),
      record: (report) => void audited.push(report),
      settle: () => undefined,
    },
    new ManualClock(),
  );
  const { signal: ending } = new AbortController();
  const bundle = () => ({ access, log, caller: bundles.callerOf(BUNDLE) });
  return {
    identities,
    bundles,
    created,
    driver,
    audited,
    records: (channels: BundleCallParams<'assets.write'>['channels']) =>
      writeForBundle(bundle(), { asset: 'pump', channels }, ending),
    read: (pid: string, channels?: string[]) => outcomeOf(readForBundle(bundle(), { asset: pid, channels })),
    write: (pid = 'pump', channels = WRITES) =>
      outcomeOf(writeForBundle(bundle(), { asset: pid, channels }, ending)),
  };
}

test('a bundle that has never had an identity gets one for all assets, without a password', async () => {
  const { identities, bundles, created, read, write } = createBench();
  bundles.ensure(BUNDLE);
  bundles.ensure(BUNDLE);
  assert.deepEqual(created, [NAME]);
  const { permissions, passwordHash } = identities.get(NAME);
  assert.deepEqual([permissions, passwordHash], [['rest.assets'], undefined]);
  assert.deepEqual([await read('pump'), await write()], ['level total', 'speed']);
});

test('the grants of its identity narrow what a bundle may do, at its next call', async () => {
  const { identities, bundles, read, write, driver } = createBench();
  bundles.ensure(BUNDLE);
  identities.change(NAME, { permissions: [], grants: [READ_LEVEL] });
  assert.equal(await read('pump'), 'level');
  assert.equal(await read('pump', ['total', 'level']), 'total! level');
  assert.equal(await write(), 'speed!');
  assert.deepEqual(driver.written, []);
});

test('a bundle cannot tell an asset without a grant from one that does not exist', async () => {
  const { identities, bundles, read } = createBench();
  bundles.ensure(BUNDLE);
  identities.change(NAME, { permissions: [], grants: [{ ...READ_LEVEL, assets: ['boiler'] }] });
  assert.deepEqual([await read('pump'), await read('nobody')], ['ASSET_UNKNOWN', 'ASSET_UNKNOWN']);
});

test('a bundle whose identity was deleted may do nothing, until it is created again', async () => {
  const { identities, created, read } = createBench();
  assert.equal(await read('pump'), 'level total');
  identities.remove(NAME);
  assert.equal(await read('pump'), 'ASSET_UNKNOWN');
  assert.deepEqual(created, [NAME]);
  identities.create({ name: NAME, permissions: [], grants: [READ_LEVEL], passwordChangeNeeded: false });
  assert.equal(await read('pump'), 'level');
});

test('what a bundle writes, and what it is refused, is audited like the requests of others', async () => {
  const { identities, bundles, read, write, audited, driver } = createBench();
  bundles.ensure(BUNDLE);
  assert.equal(await write(), 'speed');
  driver.callFault = new ConnectionError({ code: 'WRITE_CLIENT_GONE', detail: 'gone', mayBeDone: true });
  await write();
  identities.change(NAME, { permissions: [], grants: [READ_LEVEL] });
  await read('pump');
  await write();
  identities.change(NAME, { permissions: [], grants: [] });
  await read('pump');
  await write();
  assert.equal(await read('nobody'), 'ASSET_UNKNOWN');
  assert.deepEqual(
    audited.map(({ event, outcome, hasEffect, detail }) => [
      event,
      outcome,
      hasEffect,
      detail?.['channels[0]'] ?? detail?.['code'],
    ]),
    [
      ['CHANNEL_WRITE', 'SUCCESS', true, 'SUCCESS speed 3'],
      ['CHANNEL_WRITE', 'FAILURE', true, 'FAILURE WRITE_CLIENT_GONE speed 3'],
      // Which channel it was is told to the audit, not to the bundle.
      ['CHANNEL_WRITE', 'FAILURE', false, 'FAILURE CHANNEL_NOT_GRANTED speed 3'],
      ['ACCESS_REFUSED', 'FAILURE', undefined, 'ASSET_NOT_GRANTED'],
      ['ACCESS_REFUSED', 'FAILURE', undefined, 'ASSET_NOT_GRANTED'],
    ],
  );
  for (const { identity, method, target } of audited) {
    assert.deepEqual([identity, method, target], [NAME, 'bundle', 'pump']);
  }
});

test('a bundle that is refused again and again is counted beyond the bound of its identity', async () => {
  const { identities, bundles, read, audited } = createBench();
  bundles.ensure(BUNDLE);
  identities.change(NAME, { permissions: [], grants: [] });
  for (let count = 0; count < BURST + 50; count += 1) await read('pump');
  const limiter = new AuditRateLimiter(new ManualClock());
  assert.equal(audited.filter((report) => limiter.admit(report)).length, BURST);
  const [suppressed] = limiter.takeSuppressed();
  assert.deepEqual(
    [suppressed?.identity, suppressed?.event, suppressed?.count],
    [NAME, 'ACCESS_REFUSED', 50],
  );
});

test('a write of a bundle hands over what the channel has to hold, and tells its outcome', async () => {
  const { bundles, driver, records } = createBench();
  bundles.ensure(BUNDLE);
  driver.values.set('level', 7);
  const write = (value: number, ifValue: number) =>
    records([{ name: 'level', type: 'DOUBLE', value, ifValue }]);
  const [first] = await write(8, 7);
  assert.deepEqual([first?.outcome, first?.failure], ['ACKNOWLEDGED', undefined]);
  const [second] = await write(9, 7);
  assert.deepEqual([second?.outcome, second?.failure?.code], ['NOT_SENT', 'WRITE_VALUE_CHANGED']);
  driver.silence = 'IGNORED';
  const [third] = await write(9, 8);
  assert.deepEqual([third?.outcome, third?.failure?.code], ['UNKNOWN', 'DEVICE_SILENT']);
  assert.deepEqual(driver.written, [
    ['level', 8],
    ['level', 9],
  ]);
  await assert.rejects(records([{ name: 'level', type: 'DOUBLE', value: 9, ifValue: 'nine' }]), {
    code: 'VALUE_INVALID',
  });
});
