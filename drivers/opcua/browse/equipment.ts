import type { X509Certificate } from 'node:crypto';
import path from 'node:path';

import type { DriverContext } from '../../../daemon/channel/driver.ts';
import { LibraryTransport } from '../transport/library-transport.ts';
import { loadLibrary } from '../session/opcua-library.ts';
import type { OpcuaModule } from '../session/opcua-library.ts';
import { loadOwnCertificate } from '../trust/own-certificate.ts';
import type { ServiceTransport, TransportOptions } from '../transport/service-transport.ts';

/** The gateway's own means to talk to a server. */
export interface Equipment {
  readonly library: OpcuaModule;
  /** The certificate with which the gateway shows itself; absent where nobody asks for one. */
  readonly ownCertificate?: X509Certificate | undefined;
  /** Creates a transport that was never opened. */
  createTransport(options: TransportOptions): ServiceTransport;
}

/** Gets the means to talk to servers; the way to all of them, so that a simulated world can have its own. */
export type Equip = (context: Pick<DriverContext, 'clock' | 'dataDirectory'>) => Promise<Equipment>;

const OWN = 'own';

/** Loads the library and the certificate of the gateway, for connections over the network of the machine. */
export const equipFromMachine: Equip = async ({ clock, dataDirectory }) => {
  const library = await loadLibrary();
  const own = await loadOwnCertificate(path.join(dataDirectory, OWN), library, clock.epochMs());
  return {
    library,
    ownCertificate: own.certificate,
    createTransport: (options) => new LibraryTransport({ ...options, library, own }),
  };
};
