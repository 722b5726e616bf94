import type { X509Certificate } from 'node:crypto';

import type { Random } from '../world/random.ts';
import { RestConnection } from './rest-connection.ts';
import type { SimulatedPorts } from './simulated-ports.ts';

interface ConnectorOptions<Kind extends string> {
  readonly ports: SimulatedPorts;
  readonly random: Random;
  readonly portOf: Readonly<Record<Kind, number>>;
  /** Returns the client certificate of an identity. */
  readonly certificateOf: (name: string) => X509Certificate | undefined;
  /** The latency of each way is drawn from 0 to this. */
  readonly longestLatencyMs: number;
}

/** Connects somebody at an address. */
export type Connect<Kind extends string> = (
  kind: Kind,
  place: { readonly address: string; readonly certificateOf?: string | undefined },
) => RestConnection;

/** Creates the function that connects people to the ports of a gateway; every connection has its own latency. */
export function createConnector<Kind extends string>(options: ConnectorOptions<Kind>): Connect<Kind> {
  const { ports, random, portOf, certificateOf, longestLatencyMs } = options;
  const randoms = new Map<string, Random>();
  return (kind, { address, certificateOf: name }) => {
    // Each address has its own, so that leaving one out changes nothing for others.
    const own = randoms.get(address) ?? random.branch(`connections of ${address}`);
    randoms.set(address, own);
    const toServerMs = own.chance(0.2) ? 0 : own.fraction() * longestLatencyMs;
    const toClientMs = own.chance(0.2) ? 0 : own.fraction() * longestLatencyMs;
    const certificate = name === undefined ? undefined : certificateOf(name);
    const to = portOf[kind];
    return new RestConnection(ports.connect({ to, address, certificate, toServerMs, toClientMs }));
  };
}
