import { connect } from 'node:tls';

const MAXIMUM_WAIT_MS = 10_000;

/** What a TLS port shows: the SHA-256 fingerprint of its certificate, or why there is no connection. */
export type PortCertificate = { readonly fingerprint: string } | { readonly failure: string };

/** Connects to a port and looks at its certificate; verifies nothing and sends no request. */
export async function fetchPortCertificate(host: string, port: number): Promise<PortCertificate> {
  return new Promise((resolve) => {
    // What is shown is compared by the caller.
    const socket = connect({ host, port, rejectUnauthorized: false, servername: 'localhost' });
    const end = (shown: PortCertificate): void => {
      socket.destroy();
      resolve(shown);
    };
    socket.setTimeout(MAXIMUM_WAIT_MS, () => end({ failure: 'no handshake in time' }));
    socket.once('secureConnect', () => {
      const fingerprint = socket.getPeerX509Certificate()?.fingerprint256;
      end(fingerprint === undefined ? { failure: 'no certificate' } : { fingerprint });
    });
    socket.once('error', (error: Error) => end({ failure: error.message }));
  });
}

/** The address under which this machine reaches listeners that are bound to `host`. */
export function toLocalAddress(host: string): string {
  return host === '::' || host === '0.0.0.0' ? 'localhost' : host;
}
