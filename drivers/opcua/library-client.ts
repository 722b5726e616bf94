import type { X509Certificate } from 'node:crypto';

import type { OPCUAClient } from 'node-opcua-client';

import type { Clock } from '../../daemon/base/clock.ts';
import type { OpcuaModule } from './opcua-library.ts';
import type { OpcuaTransport } from './opcua-transport.ts';
import type { OwnCertificate } from './own-certificate.ts';

/** Settings of a SecureChannel. */
export interface SecureChannelOptions {
  readonly library: OpcuaModule;
  readonly endpointUrl: string;
  /** None, Sign or SignAndEncrypt. */
  readonly securityMode: string;
  readonly securityPolicyUri: string;
  /** Absent where nothing is protected. */
  readonly serverCertificate?: X509Certificate | undefined;
  readonly own: OwnCertificate;
  readonly sessionTimeoutMs: number;
  readonly clock: Clock;
}

const SECURITY_TOKEN_LIFETIME_MS = 600_000;

/** Creates the client of the library for one channel; it does nothing by itself and never reconnects. */
export function createLibraryClient(options: SecureChannelOptions, transport: OpcuaTransport): OPCUAClient {
  const { library, own, securityMode, securityPolicyUri, serverCertificate, sessionTimeoutMs } = options;
  const certificate = own.certificate.raw;
  return library.OPCUAClient.create({
    applicationName: 'Penstock',
    clientName: 'Penstock',
    // The library's own attempts to connect again would send requests a second time.
    connectionStrategy: { maxRetry: 0, initialDelay: 1000, maxDelay: 1000, randomisationFactor: 0 },
    keepPendingSessionsOnDisconnect: true,
    keepSessionAlive: false,
    endpointMustExist: false,
    securityMode,
    securityPolicy: securityPolicyUri,
    ...(serverCertificate === undefined ? {} : { serverCertificate: serverCertificate.raw }),
    requestedSessionTimeout: sessionTimeoutMs,
    defaultSecureTokenLifetime: SECURITY_TOKEN_LIFETIME_MS,
    certificateKeyPairProvider: {
      getCertificate: () => certificate,
      getCertificateChain: () => [certificate],
      getPrivateKey: () => ({ hidden: own.privateKey }),
    },
    transportFactory: { create: () => transport },
  });
}
