import type { X509Certificate } from 'node:crypto';
import path from 'node:path';

import type { DriverContext } from '../../../daemon/channel/driver.ts';
import { LibraryTransport } from '../transport/library-transport.ts';
import { loadLibrary } from '../session/opcua-library.ts';
import type { OpcuaModule } from '../session/opcua-library.ts';
import { loadOwnCertificate } from '../trust/own-certificate.ts';
import type { ServiceTransport, TransportOptions } from '../transport/service-transport.ts';

/** Client library, own certificate and transport factory of the gateway. */
export interface ClientStack {
  readonly library: OpcuaModule;
  /** Application instance certificate of the gateway; absent if not needed. */
  readonly ownCertificate?: X509Certificate | undefined;
  /** Creates a transport that was never opened. */
  createTransport(options: TransportOptions): ServiceTransport;
}

/** Creates the client stack for OPC UA servers; the simulation injects its own. */
export type ClientStackFactory = (
  context: Pick<DriverContext, 'clock' | 'dataDirectory'>,
) => Promise<ClientStack>;

const OWN = 'own';

/** Loads the library and the gateway certificate for connections over the system network. */
export const createSystemClientStack: ClientStackFactory = async ({ clock, dataDirectory }) => {
  const library = await loadLibrary();
  const own = await loadOwnCertificate(path.join(dataDirectory, OWN), library, clock.epochMs());
  return {
    library,
    ownCertificate: own.certificate,
    createTransport: (options) => new LibraryTransport({ ...options, library, own }),
  };
};
