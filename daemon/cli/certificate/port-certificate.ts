import { connect } from 'node:tls';

const MAXIMUM_WAIT_MS = 10_000;

/** SHA-256 fingerprint of the certificate of a TLS port, or the reason for no connection. */
export type PortCertificate = { readonly fingerprint: string } | { readonly failure: string };

/** Fetches the certificate of a TLS port; verifies nothing and sends no request. */
export async function fetchPortCertificate(host: string, port: number): Promise<PortCertificate> {
  return new Promise((resolve) => {
    // The caller compares the certificate.
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

/** Returns the local address of listeners bound to `host`. */
export function toLocalAddress(host: string): string {
  return host === '::' || host === '0.0.0.0' ? 'localhost' : host;
}
