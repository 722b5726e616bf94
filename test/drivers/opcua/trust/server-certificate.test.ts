import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, beforeEach, test } from 'node:test';

import { describeCertificate } from '../../../../drivers/opcua/trust/described-certificate.ts';
import { loadLibrary } from '../../../../drivers/opcua/session/opcua-library.ts';
import {
  findCertificateFault,
  listCertificateFaults,
  parseChain,
} from '../../../../drivers/opcua/trust/server-certificate.ts';
import { keepRejected, readTrustLists } from '../../../../drivers/opcua/trust/trust-directory.ts';
import { basicConstraints, subjectAltName } from '../../../support/certificate-extension.ts';
import { CertificateFiles } from '../../../support/certificate-files.ts';
import type { CertificateDescription } from '../../../support/certificate-files.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import { getRocaKey, makeUnreadableKey } from '../../../support/weak-keys.ts';

const URI = 'urn:test:server';
const SERVER: CertificateDescription = {
  key: 'rsa:2048',
  extensions: [basicConstraints(false), subjectAltName({ dns: 'plc.example', ip: '192.0.2.7', uri: URI })],
};

const library = await loadLibrary();
const made = new CertificateFiles(createTemporaryDirectory({ after }));
made.makeSelfSigned('root', { key: 'rsa:2048' });
made.issue('root', 'server', SERVER);
made.issue('root', 'revoked', SERVER);
made.makeRevocationList('root', 'early.crl');
made.revoke('root', 'revoked');
made.makeRevocationList('root', 'root.crl');
made.makeSelfSigned('alone', SERVER);
made.makeSelfSigned('expired', { ...SERVER, validity: ['20240101000000Z', '20250101000000Z'] });
made.makeSelfSigned('future', { ...SERVER, validity: ['20990101000000Z', '20990201000000Z'] });
made.makeSelfSigned('weak', { ...SERVER, key: 'rsa:1024' });
made.makeSelfSigned('roca', { ...SERVER, publicKey: getRocaKey() });
made.makeSelfSigned('weakRoot', { key: 'rsa:1024' });
made.makeRevocationList('weakRoot', 'weakRoot.crl');
made.issue('weakRoot', 'ofWeakRoot', SERVER);
made.issue('server', 'grandchild', SERVER);
made.makeSelfSigned('unreadable', { ...SERVER, publicKey: makeUnreadableKey() });
made.makeSelfSigned('unreadableRoot', { key: 'rsa:2048', publicKey: makeUnreadableKey() });
made.makeSelfSigned('timeless', { ...SERVER, validity: ['20250101000000Z', '20259999000000Z'] });
made.makeSelfSigned('namelessRoot', { key: 'rsa:2048', subject: [] });
made.issue('namelessRoot', 'ofNamelessRoot', SERVER);
made.issue('unreadableRoot', 'ofUnreadableRoot', SERVER);

let directory: string;
beforeEach((t) => {
  directory = createTemporaryDirectory(t as { after(cleanUp: () => void): void });
  for (const name of ['trusted', 'issuers', 'rejected']) mkdirSync(path.join(directory, name));
});

function read(name: string): X509Certificate {
  return new X509Certificate(readFileSync(made.file(`${name}.crt`)));
}

/** Puts a file where an administrator would. */
function put(list: 'trusted' | 'issuers', file: string): void {
  copyFileSync(made.file(file), path.join(directory, list, file));
}

/** Returns the status with which a server is refused that shows these certificates. */
async function verdictOn(
  names: readonly string[],
  { hostName = 'plc.example', applicationUri = URI } = {},
): Promise<string | undefined> {
  const chain = parseChain(Buffer.concat(names.map((name) => read(name).raw)), library);
  assert.equal(chain.length, names.length);
  const trust = await readTrustLists(directory);
  const check = { chain, trust, hostName, applicationUri, nowMs: Date.now() };
  return findCertificateFault(check, library)?.status;
}

test('a certificate that is trusted itself is accepted, as PEM and as DER', async () => {
  assert.equal(await verdictOn(['alone']), 'BadCertificateUntrusted');
  put('trusted', 'alone.crt');
  assert.equal(await verdictOn(['alone']), undefined);
  writeFileSync(path.join(directory, 'trusted', 'alone.crt'), read('alone').raw);
  assert.equal(await verdictOn(['alone']), undefined);
});

test('a certificate whose key cannot be read is refused, even when it is trusted, and certifies no other', async () => {
  put('trusted', 'unreadable.crt');
  put('trusted', 'unreadableRoot.crt');
  assert.equal(await verdictOn(['unreadable']), 'BadCertificateInvalid');
  assert.equal(await verdictOn(['ofUnreadableRoot', 'unreadableRoot']), 'BadCertificateUntrusted');
});

test('a certificate of a trusted authority is accepted when its revocation list is there', async () => {
  put('trusted', 'root.crt');
  assert.equal(await verdictOn(['server', 'root']), 'BadCertificateRevocationUnknown');
  put('trusted', 'root.crl');
  assert.equal(await verdictOn(['server', 'root']), undefined);
  assert.equal(await verdictOn(['server']), undefined);
});

test('an authority that only completes a chain is not trusted', async () => {
  put('issuers', 'root.crt');
  put('issuers', 'root.crl');
  assert.equal(await verdictOn(['server', 'root']), 'BadCertificateUntrusted');
});

test('a revoked certificate is refused, whichever list names it', async () => {
  put('trusted', 'root.crt');
  put('trusted', 'early.crl');
  assert.equal(await verdictOn(['revoked']), undefined);
  put('issuers', 'root.crl');
  assert.equal(await verdictOn(['revoked']), 'BadCertificateRevoked');
  put('trusted', 'revoked.crt');
  assert.equal(await verdictOn(['revoked']), 'BadCertificateRevoked');
});

test('a certificate that is no authority vouches for no other', async () => {
  put('trusted', 'server.crt');
  put('trusted', 'root.crl');
  assert.equal(await verdictOn(['grandchild', 'server']), 'BadCertificateUntrusted');
});

test('a trusted certificate is refused outside of its time, with a weak key, and for another host or URI', async () => {
  for (const name of ['alone', 'expired', 'future', 'weak', 'roca']) put('trusted', `${name}.crt`);
  assert.equal(await verdictOn(['expired']), 'BadCertificateTimeInvalid');
  assert.equal(await verdictOn(['future']), 'BadCertificateTimeInvalid');
  assert.equal(await verdictOn(['weak']), 'BadCertificatePolicyCheckFailed');
  assert.equal(await verdictOn(['roca']), 'BadCertificatePolicyCheckFailed');
  assert.equal(await verdictOn(['alone'], { hostName: 'other.example' }), 'BadCertificateHostNameInvalid');
  assert.equal(await verdictOn(['alone'], { hostName: '192.0.2.8' }), 'BadCertificateHostNameInvalid');
  assert.equal(await verdictOn(['alone'], { hostName: '192.0.2.7' }), undefined);
  assert.equal(await verdictOn(['alone'], { applicationUri: 'urn:test:other' }), 'BadCertificateUriInvalid');
});

test('a certificate whose time cannot be read, and one of an authority without name, are refused', async () => {
  assert.equal(await verdictOn(['timeless']), 'BadCertificateUntrusted');
  put('trusted', 'timeless.crt');
  assert.equal(await verdictOn(['timeless']), 'BadCertificateTimeInvalid');
  assert.equal(await verdictOn(['ofNamelessRoot', 'namelessRoot']), 'BadCertificateRevocationUnknown');
  assert.deepEqual(describeCertificate(read('namelessRoot')).subject, '');
  assert.equal(describeCertificate(read('timeless')).validUntilMs, undefined);
});

test('everything that is wrong with a certificate is listed, the trust first', async () => {
  const chain = [read('expired')];
  const trust = await readTrustLists(directory);
  const check = { chain, trust, hostName: 'other.example', applicationUri: 'urn:other', nowMs: Date.now() };
  assert.deepEqual(
    listCertificateFaults(check, library).map(({ status }) => status),
    [
      'BadCertificateUntrusted',
      'BadCertificateTimeInvalid',
      'BadCertificateHostNameInvalid',
      'BadCertificateUriInvalid',
    ],
  );
});

test('a certificate of a trusted authority with a weak key is refused', async () => {
  put('trusted', 'weakRoot.crt');
  put('trusted', 'weakRoot.crl');
  assert.equal(await verdictOn(['ofWeakRoot']), 'BadCertificatePolicyCheckFailed');
});

test('a file that is no certificate is refused, and does not affect the lists', async () => {
  assert.deepEqual(parseChain(Buffer.from('no certificate'), library), []);
  assert.equal(await verdictOn([]), 'BadCertificateInvalid');
  writeFileSync(path.join(directory, 'trusted', 'README'), 'put certificates here');
  writeFileSync(path.join(directory, 'trusted', 'broken.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n');
  put('trusted', 'alone.crt');
  assert.equal(await verdictOn(['alone']), undefined);
});

test('rejected certificates are kept once each, and not without end', async () => {
  const rejected = path.join(directory, 'rejected');
  for (let index = 0; index < 120; index += 1) writeFileSync(path.join(rejected, `${index}.pem`), '');
  const name = await keepRejected(directory, read('alone'));
  assert.equal(await keepRejected(directory, read('alone')), name);
  assert.match(name, /^alone-[0-9a-f]{16}\.pem$/);
  const names = readdirSync(rejected);
  assert.ok(names.includes(name));
  assert.equal(names.length, 100);
  assert.deepEqual(new X509Certificate(readFileSync(path.join(rejected, name))).raw, read('alone').raw);
});
