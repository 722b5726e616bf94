import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

import type { UserIdentityInfo } from 'node-opcua-client';

import { describeFileFault } from '../../daemon/base/file-fault.ts';
import { findKeyWeakness } from '../../daemon/base/key-weakness.ts';
import { readRegularFile } from '../../daemon/base/regular-file.ts';
import { ConnectFailed } from './opcua-errors.ts';
import type { OpcuaConfig } from './opcua-config.ts';
import type { OpcuaModule } from './opcua-library.ts';

/**
 * Returns the user identity that a session presents. The files of a certificate are read for each session, so that a
 * renewed one is used without a restart.
 *
 * @throws {ConnectFailed} `OPCUA_USER_CERTIFICATE` when the files cannot be used
 */
export async function loadUserIdentity(
  { userName, password, userCertificateFile, userPrivateKeyFile }: OpcuaConfig,
  { UserTokenType, crypto_utils: crypto }: OpcuaModule,
): Promise<UserIdentityInfo> {
  if (userName !== undefined && password !== undefined) {
    return { type: UserTokenType.UserName, userName, password };
  }
  if (userCertificateFile === undefined || userPrivateKeyFile === undefined) {
    return { type: UserTokenType.Anonymous };
  }
  const { certificate, key } = await readPair(userCertificateFile, userPrivateKeyFile);
  return {
    type: UserTokenType.Certificate,
    certificateData: certificate.raw,
    keyOperations: crypto.keyOperationsFromPrivateKey({ hidden: key }),
  };
}

async function readPair(
  certificateFile: string,
  keyFile: string,
): Promise<{ readonly certificate: X509Certificate; readonly key: KeyObject }> {
  const certificate = await read(certificateFile, 'certificate', (text) => new X509Certificate(text));
  const key = await read(keyFile, 'key', (text) => createPrivateKey(text));
  // Every security policy that servers offer signs with RSA.
  if (key.asymmetricKeyType !== 'rsa') throw refuse('the key of the user has to be an RSA key');
  if (!certificate.checkPrivateKey(key)) {
    throw refuse('the certificate and the key of the user do not belong together');
  }
  const weakness = findKeyWeakness(certificate.publicKey);
  if (weakness !== undefined) throw refuse(`the key of the user ${weakness}`);
  return { certificate, key };
}

async function read<T>(file: string, what: string, parse: (text: Buffer) => T): Promise<T> {
  try {
    return parse(await readRegularFile(file));
  } catch (cause) {
    const isRead = !('syscall' in (cause as object));
    const reason = isRead ? 'it is no PEM file of such a kind' : describeFileFault(cause);
    throw refuse(`the ${what} of the user cannot be used: ${reason}`, cause);
  }
}

function refuse(detail: string, cause?: unknown): ConnectFailed {
  return new ConnectFailed({ code: 'OPCUA_USER_CERTIFICATE', detail, cause });
}
