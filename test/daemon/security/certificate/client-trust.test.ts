import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { selectActiveLists, ClientTrust } from '../../../../daemon/security/certificate/client-trust.ts';
import { parseRevocationList } from '../../../../daemon/security/certificate/revocation-list.ts';
import type { RevocationList } from '../../../../daemon/security/certificate/revocation-list.ts';
import { EXTENSIONS, makeExtension } from '../../../support/certificate-extension.ts';
import { CertificateFiles } from '../../../support/certificate-files.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { getRocaKey } from '../../../support/weak-keys.ts';

const YEARS = ['20250101000000Z', '20300101000000Z'] as const;
const LIST_END = '20260301000000Z';
const NOW_MS = Date.UTC(2026, 1, 1);

/** Root and intermediate with their lists, a client of each, and a client whose certificate is revoked. */
function createPlant(t: TestContext) {
  const certificates = new CertificateFiles(createTemporaryDirectory(t));
  const authority = { extensions: EXTENSIONS.authority, validity: YEARS };
  certificates.makeSelfSigned('root', { validity: YEARS });
  certificates.issue('root', 'inter', authority);
  certificates.issue('root', 'direct', { validity: YEARS });
  certificates.issue('inter', 'client', { validity: ['20250201000000Z', '20280101000000Z'] });
  certificates.issue('inter', 'revoked', { validity: YEARS });
  certificates.revoke('inter', 'revoked');
  return {
    certificates,
    read: (name: string) => new X509Certificate(readFileSync(certificates.file(`${name}.crt`))),
    list: (issuer: string, from = '20260101000000Z', until: string = LIST_END): RevocationList => {
      certificates.makeRevocationList(issuer, 'list.crl', [from, until]);
      return parseRevocationList(readFileSync(certificates.file('list.crl'), 'utf8'));
    },
  };
}

test('findUsablePeriod returns the period in which every certificate on the path is valid', (t) => {
  const { read } = createPlant(t);
  const trust = new ClientTrust([read('root'), read('inter')], undefined);
  assert.deepEqual(trust.findUsablePeriod(read('client'), false), {
    fromMs: Date.UTC(2025, 1, 1),
    untilMs: Date.UTC(2028, 0, 1),
  });
});

test('findUsablePeriod refuses a certificate whose key anyone can compute, also when OpenSSL has verified it', (t) => {
  const { certificates, read } = createPlant(t);
  certificates.issue('root', 'roca', { validity: YEARS, publicKey: getRocaKey() });
  const trust = new ClientTrust([read('root')], undefined);
  assert.equal(trust.findUsablePeriod(read('roca'), true), undefined);
});

test('findUsablePeriod refuses a certificate whose key usage is not in DER, which OpenSSL reads', (t) => {
  const { certificates, read } = createPlant(t);
  // A bit string in parts (X.690, 8.6.4).
  const inParts = Buffer.from('2380030207800000', 'hex');
  const extensions = [makeExtension('2.5.29.15', inParts, true)];
  certificates.issue('root', 'parts', { validity: YEARS, extensions });
  const trust = new ClientTrust([read('root')], undefined);
  assert.equal(trust.findUsablePeriod(read('parts'), true), undefined);
});

test('findUsablePeriod ends the period when a list on the path becomes stale', (t) => {
  const { read, list } = createPlant(t);
  const lists = [list('root'), list('inter', '20260101000000Z', '20260401000000Z')];
  const trust = new ClientTrust([read('root'), read('inter')], lists);
  assert.equal(trust.findUsablePeriod(read('client'), true)?.untilMs, Date.UTC(2026, 2, 1));
});

test('findUsablePeriod refuses a revoked certificate, and every certificate whose authority has no list', (t) => {
  const { read, list } = createPlant(t);
  const authorities = [read('root'), read('inter')];
  const both = new ClientTrust(authorities, [list('root'), list('inter')]);
  assert.equal(both.findUsablePeriod(read('revoked'), true), undefined);
  assert.notEqual(both.findUsablePeriod(read('client'), true), undefined);
  const one = new ClientTrust(authorities, [list('inter')]);
  assert.equal(one.findUsablePeriod(read('client'), true), undefined);
});

test('findUsablePeriod refuses the clients of a revoked authority', (t) => {
  const { certificates, read, list } = createPlant(t);
  certificates.revoke('root', 'inter');
  const trust = new ClientTrust([read('root'), read('inter')], [list('root'), list('inter')]);
  assert.equal(trust.findUsablePeriod(read('client'), true), undefined);
  assert.notEqual(trust.findUsablePeriod(read('direct'), true), undefined);
});

test('findUsablePeriod accepts a path through authorities of the client only if its handshake verified that path', (t) => {
  const { read } = createPlant(t);
  const trust = new ClientTrust([read('root')], undefined);
  assert.notEqual(trust.findUsablePeriod(read('client'), true), undefined);
  assert.equal(trust.findUsablePeriod(read('client'), false), undefined);
});

test('findUsablePeriod refuses a path that does not end in a self-signed authority', (t) => {
  const { read } = createPlant(t);
  assert.equal(new ClientTrust([read('inter')], undefined).findUsablePeriod(read('client'), true), undefined);
});

test('listRefusedAuthorities names authorities without issuer, without list, and with a stale list', (t) => {
  const { read, list } = createPlant(t);
  const authorities = [read('root'), read('inter')];
  const reasons = (trust: ClientTrust, nowMs = NOW_MS) =>
    trust.listRefusedAuthorities(nowMs).map(({ subject, reason }) => [subject, reason]);
  assert.deepEqual(reasons(new ClientTrust(authorities, undefined)), []);
  assert.deepEqual(reasons(new ClientTrust([read('inter')], undefined)), [['CN=inter', 'ISSUER_MISSING']]);
  assert.deepEqual(reasons(new ClientTrust(authorities, [list('root')])), [
    ['CN=inter', 'NO_REVOCATION_LIST'],
  ]);
  const both = new ClientTrust(authorities, [
    list('root'),
    list('inter', '20260101000000Z', '20260501000000Z'),
  ]);
  assert.deepEqual(reasons(both), []);
  assert.deepEqual(reasons(both, Date.UTC(2026, 3, 1)), [['CN=root', 'REVOCATION_LIST_STALE']]);
});

test('selectActiveLists omits a list that a newer list of the same authority replaces', (t) => {
  const { read, list } = createPlant(t);
  const [older, newer, other] = [list('inter'), list('inter', '20260115000000Z'), list('root')];
  assert.deepEqual(selectActiveLists([read('root'), read('inter')], [older, newer, other]), [newer, other]);
});

test('parseRevocationList returns times and serial numbers, and verifies its signer', (t) => {
  const { read, list } = createPlant(t);
  const inter = list('inter');
  assert.equal(inter.thisUpdateMs, Date.UTC(2026, 0, 1));
  assert.equal(inter.nextUpdateMs, Date.UTC(2026, 2, 1));
  assert.deepEqual(
    [...inter.serialNumbers],
    [
      read('revoked')
        .serialNumber.toLowerCase()
        .replace(/^(00)+/, ''),
    ],
  );
  assert.equal(inter.isSignedBy(read('inter').publicKey), true);
  assert.equal(inter.isSignedBy(read('root').publicKey), false);
});

test('parseRevocationList refuses truncated lists', (t) => {
  const { list } = createPlant(t);
  const { pem } = list('inter');
  const lines = pem.split('\n');
  assert.throws(() => parseRevocationList([...lines.slice(0, 3), ...lines.slice(-2)].join('\n')), RangeError);
});
