import {
  issueClientCertificate,
  issueServerCertificate,
  listLocalNames,
  makeCertificateAuthority,
} from '../../daemon/security/certificate/certificate-issuer.ts';
import type { KeyPair } from '../../daemon/security/certificate/certificate-issuer.ts';

const made = new Map<string, Promise<KeyPair>>();

/** Returns an authority that clients and servers of tests trust; made once per process and name. */
export function getCertificateAuthority(commonName = 'Penstock test authority'): Promise<KeyPair> {
  return once(`authority ${commonName}`, () => makeCertificateAuthority(commonName));
}

/** Returns a client certificate of the default authority; made once per process and name. */
export function getClientCertificate(commonName: string): Promise<KeyPair> {
  return once(`client ${commonName}`, async () =>
    issueClientCertificate(await getCertificateAuthority(), commonName),
  );
}

/** Returns a certificate of the default authority for a server on the loopback addresses; made once per process. */
export function getServerCertificate(): Promise<KeyPair> {
  return once('server', async () =>
    issueServerCertificate(await getCertificateAuthority(), listLocalNames()),
  );
}

function once(key: string, make: () => Promise<KeyPair>): Promise<KeyPair> {
  const pair = made.get(key) ?? make();
  made.set(key, pair);
  return pair;
}
