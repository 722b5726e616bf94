import type { X509Certificate } from 'node:crypto';

import type { TlsMaterial } from '../security/certificate/tls-material.ts';
import type { TrustedCertificate } from '../server/rest/gateway-checks.ts';
import type { Network } from '../server/http/connection/network.ts';

type ShownNetwork = Pick<Network, 'openPorts' | 'certificateExpiresAtMs' | 'material'>;

/**
 * Provides the state of the network to routes and metrics, which are constructed before it. No port is open and no
 * certificate is active until `follow` is called.
 */
export class NetworkStatus {
  #network: ShownNetwork | undefined;

  /** Switches to this network. */
  follow(network: ShownNetwork): void {
    this.#network = network;
  }

  /** Open ports that request a client certificate. */
  get clientCertificatePorts(): readonly number[] {
    return this.#network?.openPorts().httpsClientAuth ?? [];
  }

  /** Expiry of the active certificate, in milliseconds since the epoch; undefined without one. */
  get certificateExpiresAtMs(): number | undefined {
    return this.#network?.certificateExpiresAtMs;
  }

  /** The active server certificate; undefined without one. */
  get serverCertificate(): X509Certificate | undefined {
    return this.#network?.material?.serverCertificate;
  }

  /** Active keys and certificates; undefined without any. */
  get material(): TlsMaterial | undefined {
    return this.#network?.material;
  }

  /** Active revocation lists. */
  get revocationLists(): number {
    return this.#network?.material?.certificateRevocationLists.length ?? 0;
  }

  /** Lists the active server certificate and the client CAs; empty without any. */
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
