import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import type { UserIdentityInfo } from 'node-opcua-client';

import { ConnectFailed } from './opcua-errors.ts';
import type { OpcuaConfig } from './opcua-config.ts';
import type { OpcuaModule } from './opcua-library.ts';

/**
 * Gives what a session shows of its user. The files of a certificate are read anew for each session, so that a renewed one
 * is used without a restart.
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
  try {
    const certificate = new X509Certificate(await readFile(userCertificateFile));
    const key = createPrivateKey(await readFile(userPrivateKeyFile));
    if (!certificate.checkPrivateKey(key)) throw new Error('certificate and key do not belong together');
    return {
      type: UserTokenType.Certificate,
      certificateData: certificate.raw,
      keyOperations: crypto.keyOperationsFromPrivateKey({ hidden: key }),
    };
  } catch (cause) {
    const detail = 'the user certificate or its key cannot be used';
    throw new ConnectFailed({ code: 'OPCUA_USER_CERTIFICATE', detail, cause });
  }
}
