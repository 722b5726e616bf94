import type { X509Certificate } from 'node:crypto';

import type { EndpointDescription } from 'node-opcua-client';

import type { Clock } from '../../../daemon/base/clock.ts';
import type { ClientStack } from '../browse/client-stack.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import { ConnectFailed, LinkLost, ServiceRefused } from '../opcua-errors.ts';
import { withAdvice } from '../write/refusal-advice.ts';
import { SecureChannel } from './secure-channel.ts';
import { describeOffer, findEndpoint, policyUriOf } from '../trust/security.ts';

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
  try {
    await channel.open();
    return await work(channel);
  } catch (error) {
    await channel.dispose();
    signal.throwIfAborted();
    throw toConnectError(error, config);
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
  const { endpointUrl, securityMode, securityPolicy } = config;
  const wanted = securityMode === 'NONE' ? securityMode : `${securityMode} with ${securityPolicy}`;
  const detail = `${endpointUrl} does not offer ${wanted}; it offers ${describeOffer(endpoints)}`;
  throw new ConnectFailed({ code: 'OPCUA_NO_ENDPOINT', detail });
}

function toConnectError(error: unknown, config: OpcuaConfig): unknown {
  const { endpointUrl } = config;
  if (error instanceof ServiceRefused) {
    const detail = `${endpointUrl} refuses a session: ${withAdvice(error.status, config)}`;
    return new ConnectFailed({ code: error.code, detail, cause: error });
  }
  if (!(error instanceof LinkLost)) return error;
  const detail = `${endpointUrl} cannot be connected: ${withAdvice(error.reason, config)}`;
  return new ConnectFailed({ code: 'OPCUA_CONNECT_FAILED', detail, cause: error });
}
