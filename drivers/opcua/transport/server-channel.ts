import { createReason, explain } from '../../../daemon/base/fault-reason.ts';
import type { FaultReason } from '../../../daemon/base/fault-reason.ts';
import { OPCUA_FAILURES } from '../failure-sentences.ts';
import type { X509Certificate } from 'node:crypto';

import type { ApplicationDescription, EndpointDescription } from 'node-opcua-client';

import type { Clock } from '../../../daemon/base/clock.ts';
import type { ClientStack } from '../browse/client-stack.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import { ConnectFailed, LinkLost, ServiceRefused } from '../opcua-errors.ts';
import { TRUST_GATEWAY_STEP, withAdvice } from '../write/refusal-advice.ts';
import { SecureChannel } from './secure-channel.ts';
import { describeOffer, explainOffer, findEndpoint, policyUriOf } from '../trust/security.ts';

/** Everything needed for one exchange with a server. */
export interface ServerAccess extends ClientStack {
  readonly config: OpcuaConfig;
  /** Contains `own`, `trusted`, `issuers` and `rejected`. */
  readonly dataDirectory: string;
  readonly clock: Clock;
  /** Aborts the attempt. */
  readonly signal: AbortSignal;
}

// Names used by the library.
const MODE_NAMES = { NONE: 'None', SIGN: 'Sign', SIGN_AND_ENCRYPT: 'SignAndEncrypt' } as const;
const DISCOVERY_POLICY_URI = 'http://opcfoundation.org/UA/SecurityPolicy#None';

const MAXIMUM_URLS = 5;
const MAXIMUM_URL = 200;

interface ChannelOptions {
  readonly access: ServerAccess;
  readonly securityMode: OpcuaConfig['securityMode'];
  readonly serverCertificate?: X509Certificate | undefined;
}

/**
 * Opens a channel for some work and closes it if the work fails.
 *
 * @throws {ConnectFailed} if the server is unreachable or refuses
 */
export async function withChannel<T>(
  { access, securityMode, serverCertificate }: ChannelOptions,
  work: (channel: SecureChannel) => Promise<T>,
): Promise<T> {
  const { config, clock, signal } = access;
  const { endpointUrl, sessionTimeoutMs } = config;
  signal.throwIfAborted();
  const transport = access.createTransport({
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
  let isOpening = true;
  try {
    await channel.open();
    isOpening = false;
    return await work(channel);
  } catch (error) {
    await channel.dispose();
    signal.throwIfAborted();
    throw toConnectError(error, config, isOpening && securityMode !== 'NONE');
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Runs a request over a channel without security, which every server must accept for this, and closes it.
 *
 * @throws {ConnectFailed}
 */
export function callUnsecured<T>(
  access: ServerAccess,
  ask: (channel: SecureChannel) => Promise<T>,
): Promise<T> {
  return withChannel({ access, securityMode: 'NONE' }, async (channel) => {
    const answer = await ask(channel);
    await channel.dispose();
    return answer;
  });
}

/**
 * Returns the endpoints of a server.
 *
 * @throws {ConnectFailed} `OPCUA_NO_ENDPOINT` if it lists none; the message contains the URLs that the server names
 */
export async function listEndpoints(
  channel: SecureChannel,
  access: ServerAccess,
): Promise<readonly EndpointDescription[]> {
  const endpoints = await channel.getEndpoints();
  if (endpoints.length > 0) return endpoints;
  const { endpointUrl } = access.config;
  const servers = await findServers(channel, access);
  const urls = servers.flatMap(({ discoveryUrls }) => discoveryUrls ?? []).filter((url) => url !== null);
  const others = [...new Set(urls)].filter((url) => url !== endpointUrl).slice(0, MAXIMUM_URLS);
  const advice =
    others.length === 0
      ? createReason(OPCUA_FAILURES, 'SERVER_OTHER_PATH', {})
      : createReason(OPCUA_FAILURES, 'SERVER_OTHER_URLS', { urls: others.map(cut) });
  const reason = createReason(OPCUA_FAILURES, 'SERVER_WITHOUT_ENDPOINTS', { url: endpointUrl });
  throw new ConnectFailed({ code: 'OPCUA_NO_ENDPOINT', ...explain(reason, advice) });
}

/** Requests the servers that a server lists; empty without FindServers, which is optional. */
export async function findServers(
  channel: SecureChannel,
  { library, config }: ServerAccess,
): Promise<readonly ApplicationDescription[]> {
  const { FindServersRequest, FindServersResponse } = library;
  const { endpointUrl, requestTimeoutMs: timeoutMs } = config;
  try {
    const options = { service: 'FindServers', timeoutMs };
    const { servers } = await channel.call(
      new FindServersRequest({ endpointUrl }),
      FindServersResponse,
      options,
    );
    return servers ?? [];
  } catch {
    // A server that closes the connection because of it has returned its endpoints before.
    return [];
  }
}

/**
 * Finds the endpoint that matches the settings.
 *
 * @throws {ConnectFailed} `OPCUA_NO_ENDPOINT`
 */
export function chooseEndpoint(
  endpoints: readonly EndpointDescription[],
  config: OpcuaConfig,
): EndpointDescription {
  const endpoint = findEndpoint(endpoints, config);
  if (endpoint !== undefined) return endpoint;
  const { endpointUrl: url, securityMode: mode, securityPolicy: policy } = config;
  const missing =
    mode === 'NONE'
      ? createReason(OPCUA_FAILURES, 'SERVER_WITHOUT_UNPROTECTED', { url })
      : createReason(OPCUA_FAILURES, 'SERVER_WITHOUT_PROTECTION', { url, mode, policy });
  const detail = `${missing.message}; it offers ${describeOffer(endpoints)}`;
  const reasons = [missing, ...explainOffer(endpoints)];
  throw new ConnectFailed({ code: 'OPCUA_NO_ENDPOINT', detail, reasons });
}

function cut(text: string): string {
  return text.toWellFormed().slice(0, MAXIMUM_URL);
}

/** @param isProving the server was given the certificate of the gateway, and has not accepted it yet */
function toConnectError(error: unknown, config: OpcuaConfig, isProving: boolean): unknown {
  const url = { url: config.endpointUrl };
  if (error instanceof ServiceRefused) {
    const refused = createReason(OPCUA_FAILURES, 'SERVER_SESSION_REFUSED', url);
    const details = explain(refused, ...withAdvice(error.status, config));
    return new ConnectFailed({ code: error.code, ...details, cause: error });
  }
  if (!(error instanceof LinkLost)) return error;
  // Many servers do not give the reason. They accepted an unprotected connection shortly before.
  const isUntrusted = isProving && error.isClosedByServer;
  const details = isUntrusted
    ? explain(createReason(OPCUA_FAILURES, 'SERVER_PROVES_NO_TRUST', url), TRUST_GATEWAY_STEP)
    : explain(createReason(OPCUA_FAILURES, 'SERVER_NOT_REACHED', url), ...adviseLoss(error, config));
  return new ConnectFailed({ code: 'OPCUA_CONNECT_FAILED', ...details, cause: error });
}

// A server that refuses the connection itself gives its status alone.
function adviseLoss({ causes }: LinkLost, config: OpcuaConfig): readonly FaultReason[] {
  const [first] = causes;
  return causes.length === 1 && first !== undefined && /^Bad[A-Z]/.test(first.code)
    ? withAdvice(first.code, config)
    : causes;
}
