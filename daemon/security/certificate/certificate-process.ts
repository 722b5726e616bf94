import { readRequest, writeAnswer } from '../../base/process/child-standard-streams.ts';
import { buildCertificate } from './certificate-builder.ts';
import type { CertificateRequest, RevocationRequest } from './certificate-request.ts';
import { buildRevocationList } from './revocation-builder.ts';

// Entry point of the child process of `certificate-issuer.ts`: one request on standard input, one response on standard output,
// because other users can read arguments and environment of a process.
const request = JSON.parse(readRequest().toString()) as CertificateRequest | RevocationRequest;
writeAnswer(JSON.stringify(await answer()));

async function answer(): Promise<unknown> {
  if (request.kind === 'revocation-list')
    return { certificate: await buildRevocationList(request, Date.now()) };
  return buildCertificate(request, 'nowMs' in request ? request.nowMs : Date.now());
}
