import { execFile } from 'node:child_process';

import { programOf } from './tools.ts';

interface TlsScan {
  readonly port: number;
  /** Authority of the server certificate, PEM. */
  readonly authorityFile: string;
  /** For ports that request a client certificate. */
  readonly client?: { readonly certificateFile: string; readonly privateKeyFile: string };
}

// sslyze compares with the authorities of browsers and operating systems as well.
const OF_PRIVATE_AUTHORITY = /^certificate_path_validation: /;

/**
 * Compares a port of the loopback with the intermediate configuration of Mozilla.
 *
 * @returns findings, one a line, without that of a private authority; undefined if the scan did not come to a result
 */
export async function listTlsFindings({
  port,
  authorityFile,
  client,
}: TlsScan): Promise<readonly string[] | undefined> {
  const parameters = [
    '-m',
    'sslyze',
    '--mozilla_config=intermediate',
    `--certinfo_ca_file=${authorityFile}`,
    ...(client === undefined ? [] : ['--cert', client.certificateFile, '--key', client.privateKeyFile]),
    `127.0.0.1:${port}`,
  ];
  const output = await new Promise<string>((resolve) => {
    // A finding is an exit status other than 0.
    execFile(programOf('sslyze'), parameters, { encoding: 'utf8' }, (_, text, errors) =>
      resolve(text + errors),
    );
  });
  const [, compliance] = output.split('COMPLIANCE AGAINST TLS CONFIGURATION');
  if (compliance === undefined || !/: (?:OK|FAILED) - /.test(compliance)) return undefined;
  return [...compliance.matchAll(/^ +\* (.*)$/gm)]
    .map(([, finding = '']) => finding)
    .filter((finding) => !OF_PRIVATE_AUTHORITY.test(finding));
}
