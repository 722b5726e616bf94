import type { OPCUAClient } from 'node-opcua-client';

import { TIMEOUT_LIMIT_MS } from './opcua-config.ts';
import type { OpcuaModule } from './opcua-library.ts';
import type { OpcuaTransport } from './opcua-transport.ts';
import type { OwnCertificate } from './own-certificate.ts';
import type { TransportOptions } from './service-transport.ts';

/** Settings of a client of the library. */
export interface LibraryClientOptions extends TransportOptions {
  readonly library: OpcuaModule;
  readonly own: OwnCertificate;
}

const SECURITY_TOKEN_LIFETIME_MS = 600_000;

/** How much later than ours the timers of the library expire: by then a call has long ended. */
export const LIBRARY_GRACE_MS = 30_000;

/** Creates the client of the library for one channel; it does nothing by itself and never reconnects. */
export function createLibraryClient(options: LibraryClientOptions, transport: OpcuaTransport): OPCUAClient {
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
    // Its usual 15 seconds would end a step of a connection that is given longer.
    defaultTransactionTimeout: TIMEOUT_LIMIT_MS + LIBRARY_GRACE_MS,
    certificateKeyPairProvider: {
      getCertificate: () => certificate,
      getCertificateChain: () => [certificate],
      getPrivateKey: () => ({ hidden: own.privateKey }),
    },
    transportFactory: { create: () => transport },
  });
}
