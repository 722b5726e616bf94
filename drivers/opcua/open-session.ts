import type { X509Certificate } from 'node:crypto';

import type { EndpointDescription, UserIdentityInfo } from 'node-opcua-client';

import type { Clock } from '../../daemon/base/clock.ts';
import type { Logger } from '../../daemon/base/logger.ts';
import type { OpcuaConfig } from './opcua-config.ts';
import { ConnectFailed, LinkLost, ServiceRefused } from './opcua-errors.ts';
import type { Equipment } from './equipment.ts';
import { parseEndpointUrl } from './opcua-transport.ts';
import { closeSession } from './close-session.ts';
import { SecureChannel } from './secure-channel.ts';
import { describeOffer, findEndpoint, isPasswordProtected, policyUriOf } from './security.ts';
import { findCertificateFault, parseChain } from './server-certificate.ts';
import { ServerSession } from './server-session.ts';
import type { SessionKeeper } from './session-keeper.ts';
import { keepRejected, readTrustLists } from './trust-directory.ts';
import { loadUserIdentity } from './user-identity.ts';

export interface OpenOptions extends Equipment {
  readonly config: OpcuaConfig;
  /** Holds `own`, `trusted`, `issuers` and `rejected`. */
  readonly dataDirectory: string;
  /** Has the session of the connection before, and gets that of this one. */
  readonly keeper: SessionKeeper;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Ends the attempt at once. */
  readonly signal: AbortSignal;
}

/** A secure channel with a session on it. */
export interface OpenedSession {
  readonly channel: SecureChannel;
  readonly onServer: ServerSession;
}

// As the library calls them.
const MODE_NAMES = { NONE: 'None', SIGN: 'Sign', SIGN_AND_ENCRYPT: 'SignAndEncrypt' } as const;
const EXPIRY_NOTICE_MS = 30 * 24 * 3600 * 1000;
const DISCOVERY_POLICY_URI = 'http://opcfoundation.org/UA/SecurityPolicy#None';

/**
 * Activates the session that the server still has, or creates one, with exactly the configured protection and with a
 * trusted server only.
 *
 * @throws {ConnectFailed} when the server is refused
 * @throws {LinkLost} when it cannot be reached or refuses
 */
export async function openSession(options: OpenOptions): Promise<OpenedSession> {
  const { library, ownCertificate, config, clock, logger } = options;
  if (ownCertificate !== undefined) noticeExpiry(ownCertificate, clock, logger);
  const identity = await loadUserIdentity(config, library);
  const serverCertificate = config.securityMode === 'NONE' ? undefined : await findTrustedServer(options);
  return withChannel({ options, securityMode: config.securityMode, serverCertificate }, async (channel) => {
    const endpoint = chooseEndpoint(await channel.getEndpoints(), config);
    if (config.password !== undefined && !isPasswordProtected(endpoint)) {
      const detail = `the server at ${config.endpointUrl} wants the password unencrypted; use SIGN_AND_ENCRYPT`;
      throw new ConnectFailed({ code: 'OPCUA_PASSWORD_UNPROTECTED', detail });
    }
    const onServer =
      (await activateAgain(options, channel, identity)) ?? (await create(options, channel, identity));
    return { channel, onServer };
  });
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

/** @returns undefined when the server has no session that can be used */
async function activateAgain(
  { keeper, library, logger }: OpenOptions,
  channel: SecureChannel,
  identity: UserIdentityInfo,
): Promise<ServerSession | undefined> {
  const { session } = keeper;
  if (session === undefined) return undefined;
  try {
    // With the identity that it has: another one may not be given along with another channel (OPC 10000-4, 5.7.3).
    await channel.activateSession(session.ofTransport);
  } catch (error) {
    logger.debug('opcua.sessionNotActivated', { error });
    if (keeper.takeFailure(error) === 'SESSION_IS_GONE') return undefined;
    throw error;
  }
  keeper.keep(session);
  if (session.isUsableFor(identity)) return session;
  if (await closeSession(channel, session, library)) keeper.forget();
  return undefined;
}

interface ChannelOptions {
  readonly options: OpenOptions;
  readonly securityMode: OpcuaConfig['securityMode'];
  readonly serverCertificate?: X509Certificate | undefined;
}

/** Opens a channel for some work, and closes it when the work fails. */
async function withChannel<T>(
  { options, securityMode, serverCertificate }: ChannelOptions,
  work: (channel: SecureChannel) => Promise<T>,
): Promise<T> {
  const { config, clock, signal } = options;
  const { endpointUrl, sessionTimeoutMs } = config;
  signal.throwIfAborted();
  const transport = options.createTransport({
    endpointUrl,
    securityMode: MODE_NAMES[securityMode],
    securityPolicyUri: securityMode === 'NONE' ? DISCOVERY_POLICY_URI : policyUriOf(config),
    serverCertificate,
    sessionTimeoutMs,
    clock,
  });
  const channel = new SecureChannel({ transport, endpointUrl, clock });
  const onAbort = (): void => channel.close(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await channel.open();
    return await work(channel);
  } catch (error) {
    await channel.dispose();
    signal.throwIfAborted();
    throw toConnectError(error, endpointUrl);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Asks the server how it can be spoken to, and decides whether its certificate is one to trust. */
async function findTrustedServer(options: OpenOptions): Promise<X509Certificate | undefined> {
  const { library, config } = options;
  const endpoint = await withChannel({ options, securityMode: 'NONE' }, async (channel) => {
    const endpoints = await channel.getEndpoints();
    await channel.dispose();
    return chooseEndpoint(endpoints, config);
  });
  const chain = parseChain(endpoint.serverCertificate, library);
  await refuseUntrusted(options, chain, endpoint);
  return chain[0];
}

async function refuseUntrusted(
  { library, config, dataDirectory, clock }: OpenOptions,
  chain: readonly X509Certificate[],
  { server }: EndpointDescription,
): Promise<void> {
  const { endpointUrl, serverName } = config;
  const fault = findCertificateFault(
    {
      chain,
      trust: await readTrustLists(dataDirectory),
      hostName: serverName ?? parseEndpointUrl(endpointUrl).hostname,
      applicationUri: server.applicationUri ?? '',
      nowMs: clock.epochMs(),
    },
    library,
  );
  if (fault === undefined) return;
  const [leaf] = chain;
  const isUnknown = fault.status === 'BadCertificateUntrusted' && leaf !== undefined;
  // No server is trusted for having come first: an administrator compares the certificate with that of the device.
  const advice = isUnknown
    ? `; to trust it, move ${await keepRejected(dataDirectory, leaf)} from rejected to trusted in drivers/opcua of the data directory`
    : '';
  const detail = `${endpointUrl} is refused: ${fault.message} (${fault.status})${advice}`;
  throw new ConnectFailed({ code: 'OPCUA_SERVER_CERTIFICATE', detail });
}

function chooseEndpoint(endpoints: readonly EndpointDescription[], config: OpcuaConfig): EndpointDescription {
  const endpoint = findEndpoint(endpoints, config);
  if (endpoint !== undefined) return endpoint;
  const { endpointUrl, securityMode, securityPolicy } = config;
  const wanted = securityMode === 'NONE' ? securityMode : `${securityMode} with ${securityPolicy}`;
  const detail = `${endpointUrl} does not offer ${wanted}; it offers ${describeOffer(endpoints)}`;
  throw new ConnectFailed({ code: 'OPCUA_NO_ENDPOINT', detail });
}

function toConnectError(error: unknown, endpointUrl: string): unknown {
  if (error instanceof ServiceRefused) {
    const detail = `${endpointUrl} refuses a session: ${error.status}`;
    return new ConnectFailed({ code: error.code, detail, cause: error });
  }
  if (!(error instanceof LinkLost)) return error;
  const detail = `${endpointUrl} cannot be connected: ${error.reason}`;
  return new ConnectFailed({ code: 'OPCUA_CONNECT_FAILED', detail, cause: error });
}

function noticeExpiry(certificate: X509Certificate, clock: Clock, logger: Logger): void {
  const leftMs = certificate.validToDate.getTime() - clock.epochMs();
  if (leftMs < EXPIRY_NOTICE_MS) logger.warn('opcua.ownCertificateExpires', { at: certificate.validTo });
}
