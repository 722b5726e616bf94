import { createPrivateKey, generateKeyPair, randomBytes, X509Certificate } from 'node:crypto';
import type { KeyObject, webcrypto } from 'node:crypto';
import { link, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { writeFileAtomically } from '../../../daemon/base/file/atomic-file.ts';
import { ensurePrivateDirectory } from '../../../daemon/base/file/directory.ts';
import { GatewayError } from '../../../daemon/base/errors.ts';
import { findKeyWeakness } from '../../../daemon/base/key/key-weakness.ts';
import { readRegularFile } from '../../../daemon/base/file/regular-file.ts';
import type { OpcuaModule } from '../session/opcua-library.ts';

/** Application instance certificate of the gateway, and its key. */
export interface OwnCertificate {
  readonly certificate: X509Certificate;
  readonly privateKey: KeyObject;
}

/** The certificate files are damaged or do not match. */
class OwnCertificateUnusable extends GatewayError {}

// All three policies accept 2048 to 4096 bits (OPC 10000-7, 6.6.161 to 6.6.165).
const KEY_BITS = 3072;
const VALIDITY_DAYS = 3650;
// The clock of a controller may lag, for example by its time zone; it would reject a certificate from the future.
const CLOCK_ALLOWANCE_DAYS = 1;
const DAY_MS = 86_400_000;
const KEY_FILE = 'private-key.pem';
const CERTIFICATE_FILE = 'certificate.pem';

/**
 * Returns the OPC UA certificate of the gateway, which is created once and stored. Its key is generated off the event
 * loop.
 *
 * @param directory location of its files; created with owner-only access if missing
 * @param nowMs milliseconds since the epoch; a new certificate is valid from a day before
 * @throws {OwnCertificateUnusable} if existing files are unusable; they are not changed
 */
export async function loadOwnCertificate(
  directory: string,
  library: OpcuaModule,
  nowMs: number,
): Promise<OwnCertificate> {
  await ensurePrivateDirectory(directory);
  const keyPem = (await readIfPresent(path.join(directory, KEY_FILE))) ?? (await makeKey(directory));
  const certificatePem =
    (await readIfPresent(path.join(directory, CERTIFICATE_FILE))) ??
    (await makeCertificate(directory, keyPem, library, nowMs));
  return parse(certificatePem, keyPem);
}

function parse(certificatePem: string, keyPem: string): OwnCertificate {
  let own: OwnCertificate;
  let weakness: string | undefined;
  try {
    own = { certificate: new X509Certificate(certificatePem), privateKey: createPrivateKey(keyPem) };
    weakness = findKeyWeakness(own.certificate.publicKey);
  } catch (cause) {
    const detail = 'own certificate or private key for OPC UA cannot be read';
    throw new OwnCertificateUnusable({ code: 'OPCUA_OWN_CERTIFICATE', detail, cause });
  }
  if (own.certificate.checkPrivateKey(own.privateKey) && weakness === undefined) return own;
  const detail =
    weakness === undefined
      ? 'own certificate and private key for OPC UA do not match'
      : `own key for OPC UA ${weakness}`;
  throw new OwnCertificateUnusable({ code: 'OPCUA_OWN_CERTIFICATE', detail });
}

async function makeKey(directory: string): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: KEY_BITS });
  const file = path.join(directory, KEY_FILE);
  const candidate = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFileAtomically(candidate, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  try {
    // Another connection may create its key at the same time: the first one wins.
    await link(candidate, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(candidate, { force: true });
  }
  return readFile(file, 'utf8');
}

async function makeCertificate(
  directory: string,
  keyPem: string,
  { crypto_utils: crypto }: OpcuaModule,
  nowMs: number,
): Promise<string> {
  const host = hostname();
  const { cert } = await crypto.createSelfSignedCertificate({
    privateKey: (await crypto.pemToPrivateKey(keyPem)) as webcrypto.CryptoKey,
    subject: `CN=Penstock@${host}`,
    dns: [host],
    // Servers compare it with the URI that a client sends (OPC 10000-6, 6.2.2).
    applicationUri: `urn:${host}:penstock`,
    notBefore: new Date(nowMs - CLOCK_ALLOWANCE_DAYS * DAY_MS),
    validity: CLOCK_ALLOWANCE_DAYS + VALIDITY_DAYS,
    purpose: crypto.CertificatePurpose.ForApplication,
  });
  await writeFileAtomically(path.join(directory, CERTIFICATE_FILE), cert);
  return cert;
}

async function readIfPresent(file: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(file)).toString('latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
