import assert from 'node:assert/strict';
import { test } from 'node:test';

import { listLostAccess } from '../../../daemon/configuration/lost-access.ts';
import { checkDocument } from '../../../daemon/configuration/managed-document.ts';
import { finish } from '../../../daemon/base/slices.ts';
import { FACTORIES, PLANT } from './plant-fixture.ts';

const TOKENS = { jwtAuthenticationEnabled: true };

/** Lists what is cut off between two documents. */
function lostAccess(before: object, after: object): readonly string[] {
  const [first, second] = [before, after].map((document) => {
    const { value, faults } = finish(checkDocument(FACTORIES, document));
    assert.ok(value, JSON.stringify(faults));
    return value;
  });
  assert.ok(first !== undefined && second !== undefined);
  return finish(listLostAccess(first, second)).map(({ message }) => message);
}

test('nothing is cut off by what is added, and by a key that is left out with its default', () => {
  assert.deepEqual(lostAccess({}, { ...PLANT, rest: TOKENS }), []);
  assert.deepEqual(lostAccess({ rest: { passwordAuthenticationEnabled: true } }, {}), []);
});

test('ways to authenticate that are switched off are named, also when their key is left out', () => {
  const rest = {
    basicAuthenticationEnabled: true,
    statelessCertificateAuthenticationEnabled: true,
    ...TOKENS,
  };
  assert.deepEqual(lostAccess({ rest }, { rest: { certificateAuthenticationEnabled: false } }), [
    'certificate logins',
    'HTTP Basic authentication',
    'client certificates without a session',
    'tokens',
  ]);
});

test('ports that are no longer allowed are named', () => {
  const ports = (...allowedPorts: number[]) => ({ rest: { allowedPorts } });
  assert.deepEqual(lostAccess({}, ports(4443)), ['every port except 4443']);
  assert.deepEqual(lostAccess(ports(443, 4443), ports(4443, 8443)), ['port 443']);
  assert.deepEqual(lostAccess(ports(4443), {}), []);
});

test('a verification service that trusts less, or is gone, is named while tokens are accepted', () => {
  const service = (trustedIssuers: readonly string[], pid = 'local') => ({
    rest: TOKENS,
    tokenVerificationServices: [{ pid, trustedIssuers }],
  });
  assert.deepEqual(lostAccess(service(['a', 'b']), service(['a', 'b', 'c'])), []);
  assert.deepEqual(lostAccess(service(['a']), service([])), []);
  const narrowed = ['tokens whose signer or issuer local no longer trusts'];
  assert.deepEqual(lostAccess(service(['a', 'b']), service(['a'])), narrowed);
  assert.deepEqual(lostAccess(service([]), service(['a'])), narrowed);
  assert.deepEqual(lostAccess(service(['a']), service(['a'], 'other')), ['tokens verified by local']);
});

test('assets that are removed, and reads and writes of channels, are named', () => {
  const [asset] = PLANT.assets;
  const [channel] = asset?.channels ?? [];
  const withChannels = (...channels: readonly object[]) => ({ ...PLANT, assets: [{ ...asset, channels }] });
  const both = withChannels(
    { ...channel, name: 'a', type: 'READ_WRITE' },
    { ...channel, name: 'b', type: 'READ' },
  );
  assert.deepEqual(lostAccess(both, { ...PLANT, assets: [] }), ['asset boiler']);
  assert.deepEqual(lostAccess(both, withChannels({ ...channel, name: 'a', type: 'READ' })), [
    'reads of b of asset boiler',
    'writes of a of asset boiler',
  ]);
  const disabled = withChannels(
    { ...channel, name: 'a', type: 'READ_WRITE' },
    { ...channel, name: 'b', type: 'READ', isEnabled: false },
  );
  assert.deepEqual(lostAccess(both, disabled), ['reads of b of asset boiler']);
});

test('recorded samples that a smaller retention deletes are named, if there are recorders', () => {
  const recorders = [{ pid: 'minute', intervalMs: 60_000, assets: [{ asset: PLANT.assets[0]?.pid }] }];
  const before = { ...PLANT, recorders, recording: { maximumAgeDays: 30, maximumBytes: 2 ** 30 } };
  assert.deepEqual(
    lostAccess(before, { ...before, recording: { maximumAgeDays: 7, maximumBytes: 64 * 2 ** 20 } }),
    ['recorded samples older than 7 days', 'the oldest recorded samples beyond 64 MiB'],
  );
  assert.deepEqual(
    lostAccess({ ...before, recorders: [] }, { ...before, recording: { maximumAgeDays: 7 } }),
    [],
  );
  assert.deepEqual(lostAccess(before, { ...before, recording: { maximumAgeDays: 60 } }), []);
});
