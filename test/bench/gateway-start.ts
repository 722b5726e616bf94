import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { getClientCertificate } from '../support/certificate-authority.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import type { ClientOptions } from '../support/https-client.ts';
import { startBareServer } from './bare-server.ts';
import { Bench } from './bench.ts';
import { OPERATOR, readPath } from './plant.ts';
import type { Program } from './program.ts';
import { readResidentMiB } from './process-usage.ts';

// By then memory that the start left unused is returned.
const SETTLE_MS = 1500;
const BARE_PATH = '/';

/** Returns a client that authenticates by certificate. */
export async function createCertificateClient(port: number): Promise<ClientOptions> {
  const { certificate, privateKey } = await getClientCertificate(OPERATOR.name);
  return { port, certificate, privateKey };
}

/** One start of a gateway. */
export interface Start {
  /** From the start of the process to the first answer with right values. */
  readonly durationMs: number;
  /** Resident memory a while after that answer. */
  readonly residentMiB: number;
}

/** Restarts a gateway that was started and stopped before, and stops it once more. */
export async function measureStart(
  program: Program,
  { configFile }: Pick<RunningGateway, 'configFile'>,
  pid: string,
): Promise<Start> {
  const client = await createCertificateClient(0);
  const start = performance.now();
  const child = spawn(process.execPath, [...program.daemon, '--config', configFile], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...program.environment },
  });
  const exited = once(child, 'exit');
  try {
    let durationMs = Number.NaN;
    for await (const text of createInterface({ input: child.stdout })) {
      const line = JSON.parse(text) as {
        readonly event: string;
        readonly httpsClientAuth: readonly number[];
      };
      if (line.event !== 'ready') continue;
      const answer = await send({ ...client, port: line.httpsClientAuth[0] ?? 0 }, 'GET', readPath(pid));
      durationMs = performance.now() - start;
      if (answer.status !== 200 || answer.text.includes('FAILURE'))
        throw new Error('the first answer is wrong');
      break;
    }
    if (Number.isNaN(durationMs)) throw new Error('the daemon ended before it was ready');
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    return { durationMs, residentMiB: readResidentMiB(child.pid ?? 0) };
  } finally {
    child.kill('SIGTERM');
    child.stdout.resume();
    await exited;
  }
}

/** Starts a bare server, and returns the milliseconds until its first answer to a client with a certificate. */
export async function measureBareStart(gateway: Pick<RunningGateway, 'dataDirectory'>): Promise<number> {
  const owner = new Bench({ pace: 'quick', watchMinutes: 1 });
  const client = await createCertificateClient(0);
  try {
    const start = performance.now();
    const answers = { [BARE_PATH]: { headers: {}, body: '{}' } };
    const { port } = await startBareServer(owner, gateway, { answers, asksForCertificates: true });
    const { status } = await send({ ...client, port }, 'GET', BARE_PATH);
    if (status !== 200) throw new Error('the bare server has no answer');
    return performance.now() - start;
  } finally {
    await owner.end();
  }
}
