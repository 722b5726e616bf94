import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { issueServerCertificate } from '../../daemon/security/certificate/certificate-issuer.ts';
import { getCertificateAuthority, getClientCertificate } from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import { listTlsFindings } from '../support/sslyze.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';

const YEAR_DAYS = 365;

test(
  'sslyze has no finding against the intermediate configuration of Mozilla but the private authority',
  needs('sslyze'),
  async (t) => {
    const folder = createTemporaryDirectory(t);
    const write = (name: string, text: string): string => {
      const file = path.join(folder, name);
      writeFileSync(file, text, { mode: 0o600 });
      return file;
    };
    const authority = await getCertificateAuthority();
    const names = { hostNames: ['localhost'], addresses: ['127.0.0.1'] };
    const server = await issueServerCertificate(authority, names, YEAR_DAYS);
    const client = await getClientCertificate('panel');
    const authorityFile = write('ca.pem', authority.certificate);
    const gateway = await startGateway(t, {
      config: {
        http: { httpsClientAuthPorts: [0] },
        tls: {
          certificateFile: write('server.pem', server.certificate),
          privateKeyFile: write('server.key', server.privateKey),
          clientCertificateAuthoritiesFile: authorityFile,
        },
      },
    });
    const files = {
      certificateFile: write('client.pem', client.certificate),
      privateKeyFile: write('client.key', client.privateKey),
    };
    const ports = [...gateway.httpsPorts, ...gateway.clientAuthPorts];
    assert.equal(ports.length, 2);
    for (const port of ports) {
      const findings = await listTlsFindings({ port, authorityFile, client: files });
      assert.deepEqual(findings, [], `port ${port}`);
    }
  },
);
