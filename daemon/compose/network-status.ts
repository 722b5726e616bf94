import type { X509Certificate } from 'node:crypto';

import type { TrustedCertificate } from '../server/rest/gateway-checks.ts';
import type { Network } from '../server/http/connection/network.ts';

type ShownNetwork = Pick<Network, 'openPorts' | 'certificateExpiresAtMs' | 'material'>;

/**
 * Shows the state of the network to routes and metrics, which are constructed before it. No port is open and no
 * certificate is in force until `follow` names the network.
 */
export class NetworkStatus {
  #network: ShownNetwork | undefined;

  /** Shows this network from now on. */
  follow(network: ShownNetwork): void {
    this.#network = network;
  }

  /** Ports that ask for a client certificate and are open now. */
  get clientCertificatePorts(): readonly number[] {
    return this.#network?.openPorts().httpsClientAuth ?? [];
  }

  /** Milliseconds since the epoch at which the certificate in force expires; undefined without one. */
  get certificateExpiresAtMs(): number | undefined {
    return this.#network?.certificateExpiresAtMs;
  }

  /** The server certificate in force; undefined while there is none. */
  get serverCertificate(): X509Certificate | undefined {
    return this.#network?.material?.serverCertificate;
  }

  /** Revocation lists in force. */
  get revocationLists(): number {
    return this.#network?.material?.certificateRevocationLists.length ?? 0;
  }

  /** Lists the certificate that is served and the authorities of clients; empty while none is in force. */
  listCertificates(nowMs: number): readonly TrustedCertificate[] {
    const material = this.#network?.material;
    if (material === undefined) return [];
    const refused = material.clientTrust.listRefusedAuthorities(nowMs);
    return material.expiries.map(({ role, subject, fingerprint, validFromMs, expiresAtMs }) => ({
      role: role === 'server' ? 'SERVER' : 'CLIENT_AUTHORITY',
      subject,
      fingerprint,
      validFromMs,
      expiresAtMs,
      refusal:
        role === 'server' ? undefined : refused.find((authority) => authority.subject === subject)?.reason,
    }));
  }
}
