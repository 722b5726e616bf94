import { createReason, explain } from '../../../daemon/base/fault-reason.ts';
import { OPCUA_FAILURES } from '../failure-sentences.ts';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { UserIdentityInfo } from 'node-opcua-client';
import type { Clock } from '../../../daemon/base/clock.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import { describeFileFault } from '../../../daemon/base/file/file-fault.ts';
import { findKeyWeakness } from '../../../daemon/base/key/key-weakness.ts';
import { readRegularFile } from '../../../daemon/base/file/regular-file.ts';
import { ConnectFailed } from '../opcua-errors.ts';
import type { SecureChannel } from '../transport/secure-channel.ts';
import { findUserFault, isPasswordProtected } from '../trust/security.ts';
import { chooseEndpoint, listEndpoints, withChannel } from '../transport/server-channel.ts';
import type { ServerAccess } from '../transport/server-channel.ts';
import { ServerSession, closeSession } from './server-session.ts';
import { findTrustedServer } from '../trust/server-trust.ts';
import type { SessionKeeper } from './session-keeper.ts';
import type { UnansweredTypes } from './unanswered-types.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import type { OpcuaModule } from './opcua-library.ts';

export interface OpenOptions extends ServerAccess {
  /** Provides the session of the previous connection and receives the new one. */
  readonly keeper: SessionKeeper;
  readonly unansweredTypes: UnansweredTypes;
  readonly logger: Logger;
}

/** A secure channel with a session. */
export interface OpenedSession {
  readonly channel: SecureChannel;
  readonly onServer: ServerSession;
}

const EXPIRY_NOTICE_MS = 30 * 24 * 3600 * 1000;

/**
 * Activates the existing session or creates one, with exactly the configured security and only on a trusted server.
 *
 * @throws {ConnectFailed} if the server is rejected
 * @throws {LinkLost} if it is unreachable or refuses
 */
export async function openSession(options: OpenOptions): Promise<OpenedSession> {
  const { library, ownCertificate, config, clock, logger } = options;
  if (ownCertificate !== undefined) noticeExpiry(ownCertificate, clock, logger);
  const identity = await loadUserIdentity(config, library);
  const serverCertificate = config.securityMode === 'NONE' ? undefined : await findTrustedServer(options);
  return withChannel(
    { access: options, securityMode: config.securityMode, serverCertificate },
    async (channel) => {
      const endpoints = await listEndpoints(channel, options);
      const endpoint = chooseEndpoint(endpoints, config);
      const fault = findUserFault(endpoint, config, endpoints);
      if (fault !== undefined) {
        throw new ConnectFailed({ code: 'OPCUA_USER_KIND_REFUSED', ...explain(...fault) });
      }
      if (config.password !== undefined && !isPasswordProtected(endpoint)) {
        const url = { url: config.endpointUrl };
        const reason = createReason(OPCUA_FAILURES, 'SERVER_PASSWORD_UNPROTECTED', url);
        throw new ConnectFailed({ code: 'OPCUA_PASSWORD_UNPROTECTED', ...explain(reason) });
      }
      const onServer =
        (await activateAgain(options, channel, identity)) ?? (await create(options, channel, identity));
      return { channel, onServer };
    },
  );
}

async function create(
  { keeper, config, logger }: OpenOptions,
  channel: SecureChannel,
  identity: UserIdentityInfo,
): Promise<ServerSession> {
  const session = new ServerSession(await channel.createSession(identity), identity);
  const { sessionTimeoutMs: askedMs } = config;
  const { timeoutMs: givenMs } = session;
  if (givenMs !== askedMs) logger.info('opcua.sessionTimeoutRevised', { askedMs, givenMs });
  keeper.keep(session);
  return session;
}

/** @returns undefined if the server has no usable session */
async function activateAgain(
  { keeper, library, logger }: OpenOptions,
  channel: SecureChannel,
  identity: UserIdentityInfo,
): Promise<ServerSession | undefined> {
  const { session } = keeper;
  if (session === undefined) return undefined;
  try {
    // With the same identity: another one must not be combined with a new channel (OPC 10000-4, 5.7.3).
    await channel.activateSession(session.ofTransport);
  } catch (error) {
    logger.debug('opcua.sessionNotActivated', { error });
    if (keeper.classifyFailure(error) === 'SESSION_IS_GONE') return undefined;
    throw error;
  }
  keeper.keep(session);
  if (session.isUsableFor(identity)) return session;
  if (await closeSession(channel, session, library)) keeper.forget();
  return undefined;
}

function noticeExpiry(certificate: X509Certificate, clock: Clock, logger: Logger): void {
  const leftMs = certificate.validToDate.getTime() - clock.epochMs();
  if (leftMs < EXPIRY_NOTICE_MS) logger.warn('opcua.certificateExpiring', { at: certificate.validTo });
}

/**
 * Returns the user identity of a session. Certificate files are read for each session, so that a renewed certificate is
 * used without a restart.
 *
 * @throws {ConnectFailed} `OPCUA_USER_CERTIFICATE` if the files are unusable
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
  // All supported security policies sign with RSA.
  if (key.asymmetricKeyType !== 'rsa') throw refuse('the user key must be an RSA key');
  if (!certificate.checkPrivateKey(key)) {
    throw refuse('the user certificate and the user key do not match');
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
    const reason = isRead ? 'not a PEM file of this kind' : describeFileFault(cause);
    throw refuse(`the ${what} of the user cannot be used: ${reason}`, cause);
  }
}

function refuse(detail: string, cause?: unknown): ConnectFailed {
  return new ConnectFailed({ code: 'OPCUA_USER_CERTIFICATE', detail, cause });
}
