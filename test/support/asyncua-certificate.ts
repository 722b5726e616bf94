import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { openssl } from './openssl.ts';

/** Makes `server.crt` and `server.key` for the server on asyncua, with another key each time; valid for two days. */
export function makeServerCertificate(directory: string, name = 'PLC 7'): X509Certificate {
  const names = 'subjectAltName=IP:127.0.0.1,URI:urn:penstock:test:server';
  const usage = 'keyUsage=digitalSignature,nonRepudiation,keyEncipherment,dataEncipherment';
  const request = ['req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-days', '2', '-subj'];
  const files = ['-keyout', 'server.key', '-out', 'server.crt'];
  openssl([...request, `/O=Example/CN=${name}`, ...files, '-addext', names, '-addext', usage], directory);
  return new X509Certificate(readFileSync(path.join(directory, 'server.crt')));
}
