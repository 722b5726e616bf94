import type { ApplicationDescription, EndpointDescription } from 'node-opcua-client';

import type { PresentedCertificate } from '../../daemon/channel/trusting-driver.ts';
import type { SecureChannel } from './secure-channel.ts';
import { listUserKinds, readOffer } from './security.ts';
import type { OfferedProtection } from './security.ts';
import { askOpenly } from './server-channel.ts';
import type { ServerAccess } from './server-channel.ts';
import { describePresented } from './server-trust.ts';
import { textOf } from './variable-properties.ts';

/** One way to speak to a server. */
export interface OfferedEndpoint extends OfferedProtection {
  readonly endpointUrl: string;
  /** In words: `anonymous`, `user name`. */
  readonly users: readonly string[];
}

/** One server that a server knows of, itself among them. */
export interface OfferedServer {
  readonly name: string;
  readonly applicationUri: string;
  readonly urls: readonly string[];
}

/** What a server tells to everyone who asks. */
export interface ServerOffer {
  readonly endpoints: readonly OfferedEndpoint[];
  readonly servers: readonly OfferedServer[];
  /** Absent when it presents none. */
  readonly certificate?: PresentedCertificate | undefined;
}

// A device has a handful of each; what is beyond is not shown.
const MOST_ENDPOINTS = 50;
const MOST_SERVERS = 20;
const LONGEST_TEXT = 500;

/**
 * Asks a server how it can be spoken to, who it is, and which other servers it knows of.
 *
 * @throws {ConnectFailed}
 */
export async function askOffer(access: ServerAccess): Promise<ServerOffer> {
  const { endpoints, servers } = await askOpenly(access, async (channel) => ({
    endpoints: await channel.getEndpoints(),
    servers: await findServers(channel, access),
  }));
  return {
    endpoints: endpoints.slice(0, MOST_ENDPOINTS).map((endpoint) => toEndpoint(endpoint)),
    servers: servers.slice(0, MOST_SERVERS).map((server) => toServer(server)),
    certificate: await describePresented(endpoints, access),
  };
}

// Not every server offers it, and none has to.
async function findServers(
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
    // A server that ends the connection for it has told its endpoints before.
    return [];
  }
}

function toEndpoint(endpoint: EndpointDescription): OfferedEndpoint {
  return {
    ...readOffer(endpoint),
    endpointUrl: cut(endpoint.endpointUrl),
    users: listUserKinds(endpoint),
  };
}

function toServer({ applicationName, applicationUri, discoveryUrls }: ApplicationDescription): OfferedServer {
  return {
    name: cut(textOf(applicationName)),
    applicationUri: cut(applicationUri),
    urls: (discoveryUrls ?? []).slice(0, MOST_ENDPOINTS).map(cut),
  };
}

function cut(text: string | null | undefined): string {
  return (text ?? '').toWellFormed().slice(0, LONGEST_TEXT);
}
