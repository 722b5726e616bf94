import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { getServerCertificate } from './certificate-authority.ts';
import { findFreePorts } from './free-ports.ts';
import { startGateway } from './gateway.ts';
import type { RunningGateway } from './gateway.ts';
import type { Owner } from './temporary-directory.ts';
import { findProgram } from './programs.ts';

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
  readonly advice?: string;
}

/** What `penstock doctor` found: each as `check: detail`. */
export interface Examination {
  readonly status: number | null;
  readonly wrong: readonly string[];
  readonly warnings: readonly string[];
  readonly unknown: readonly string[];
  /** All that is not good, with what is to be done. */
  readonly findings: readonly Finding[];
}

/** Runs `penstock doctor` on a gateway; without what depends on the machine of the tests. */
export async function examine(
  gateway: Pick<RunningGateway, 'configFile' | 'dataDirectory'>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Examination> {
  const socket = path.join(gateway.dataDirectory, 'penstock.sock');
  const words = ['doctor', '--config', gateway.configFile, '--socket', socket, '--json'];
  // A service manager of the machine knows nothing of the gateway of a test.
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [findProgram('daemon/cli/main'), ...words], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env,
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  const isOfMachine = ({ check }: Finding): boolean =>
    ['serial line', 'disk', 'time'].includes(check) && environment['PATH'] === undefined;
  const findings = (JSON.parse(output) as readonly Finding[]).filter(
    (finding) => finding.state !== 'GOOD' && !isOfMachine(finding),
  );
  const list = (wanted: string): readonly string[] =>
    findings.filter(({ state }) => state === wanted).map(({ check, detail }) => `${check}: ${detail}`);
  return { status, wrong: list('WRONG'), warnings: list('WARNING'), unknown: list('UNKNOWN'), findings };
}

/** A gateway with a certificate of its administrator, and ports that are known beforehand. */
export async function startCertifiedGateway(t: Owner) {
  const [httpsPort = 0, clientPort = 0] = await findFreePorts(2);
  const gateway = await startGateway(t);
  await gateway.stop();
  const tls = {
    certificateFile: path.join(gateway.directory, 'server.crt'),
    privateKeyFile: path.join(gateway.directory, 'server.key'),
    clientCertificateAuthoritiesFile: path.join(gateway.directory, 'client-ca.pem'),
  };
  const pair = await getServerCertificate();
  writeFileSync(tls.certificateFile, pair.certificate);
  writeFileSync(tls.privateKeyFile, pair.privateKey, { mode: 0o600 });
  const http = { host: '127.0.0.1', httpsPorts: [httpsPort], httpsClientAuthPorts: [clientPort] };
  const running = await startGateway(t, { directory: gateway.directory, config: { http, tls } });
  return { running, tls, httpsPort };
}
