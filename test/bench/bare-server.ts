import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { getCertificateAuthority } from '../support/certificate-authority.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import type { Owner } from '../support/temporary-directory.ts';
import type { BareAnswer, BareServerOptions } from './bare-server-process.ts';
import { httpsPort } from './plant.ts';
import { pin } from './process-usage.ts';
import { startRemote } from './remote.ts';

// Header fields that the bare server adds to every answer by itself.
const OWN_FIELDS = new Set(['date', 'connection', 'keep-alive']);

/** The floor of all requests: `node:https` with answers that are ready. */
export interface BareServer {
  readonly pid: number;
  readonly port: number;
}

/** Starts a server that proves itself as the gateway does. */
export async function startBareServer(
  t: Owner,
  { dataDirectory }: Pick<RunningGateway, 'dataDirectory'>,
  {
    answers = {},
    asksForCertificates = false,
  }: { readonly answers?: Readonly<Record<string, BareAnswer>>; readonly asksForCertificates?: boolean } = {},
): Promise<BareServer> {
  const remote = await startRemote(t, 'bare-server-process.ts');
  const authority = asksForCertificates ? (await getCertificateAuthority()).certificate : undefined;
  const port = await remote.call<number>('listen', {
    certificate: await readFile(path.join(dataDirectory, 'tls/server.crt'), 'utf8'),
    privateKey: await readFile(path.join(dataDirectory, 'tls/server.key'), 'utf8'),
    clientAuthority: authority,
    answers,
  } satisfies BareServerOptions);
  pin(remote.pid, 'server');
  return { pid: remote.pid, port };
}

/** Returns the answer of the gateway at a path, for a bare server to repeat. */
export async function captureAnswer(
  gateway: RunningGateway,
  url: string,
  session: Record<string, string>,
): Promise<BareAnswer> {
  const { status, headers, text } = await send({ port: httpsPort(gateway) }, 'GET', url, {
    headers: session,
  });
  if (status !== 200 || text.includes('FAILURE')) throw new Error(`${url} was answered with ${status}`);
  const fields = Object.entries(headers).filter(([name]) => !OWN_FIELDS.has(name));
  return { headers: Object.fromEntries(fields) as Record<string, string>, body: text };
}
