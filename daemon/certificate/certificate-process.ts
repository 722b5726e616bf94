import { json } from 'node:stream/consumers';

import { buildCertificate } from './certificate-builder.ts';
import type { CertificateRequest } from './certificate-request.ts';

// Entry of the child process of `certificate-maker.ts`: one request on standard input, one answer on standard output,
// because arguments and environment of a process can be read by others.
const request = (await json(process.stdin)) as CertificateRequest;
process.stdout.write(
  JSON.stringify(await buildCertificate(request, 'nowMs' in request ? request.nowMs : Date.now())),
);
