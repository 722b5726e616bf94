import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { findFreePorts } from '../../support/free-ports.ts';
import { send } from '../../support/https-client.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import type { Bench } from '../bench.ts';
import { AUTHENTICATION, CONFIGURATION, READS } from '../measured.ts';
import { pin } from '../process-usage.ts';
import { startProgram } from '../program.ts';
import { measureUntilDecided } from '../rounds.ts';
import type { Line, Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';

const runFile = promisify(execFile);
const LIMITS = { atLeast: 4, atMost: 6 };
const CLIENT = 'scada';
const NAME = '127.0.0.1';
const TEMPLATES = path.resolve(import.meta.dirname, '../../../packaging/templates');

/**
 * From an installed gateway to the first read over mutual TLS, by the commands of the first hour. What comes before them,
 * `apt-get install`, is measured on a whole machine: `test/machine/documentation.ts`.
 */
export const firstRead: Scenario = {
  name: 'first-read',
  measures: [
    ...READS,
    ...AUTHENTICATION,
    ...CONFIGURATION,
    'daemon/cli/*',
    'daemon/cli/asset',
    'daemon/cli/certificate',
    'daemon/cli/client',
    'daemon/cli/driver',
    'daemon/cli/setup',
    'daemon/cli/terminal',
    'packaging/templates',
  ],
  async run(bench) {
    const device = await startLibmodbusServer();
    bench.after(() => device.close());
    const measurements = { runs: () => measure(bench, device.port) };
    return measureUntilDecided(bench, LIMITS, measurements, ({ runs }) => describe(runs));
  },
};

function describe(runs: readonly (readonly number[])[]): readonly Line[] {
  const [setup = 0, driver = 0, asset = 0, read = 0] = [0, 1, 2, 3].map((at) =>
    median(runs.map((steps) => steps[at] ?? Number.NaN)),
  );
  const parts = [setup, driver, asset, read].map((each) => (each / 1000).toFixed(1)).join(' + ');
  return [
    {
      row: 32,
      name: 'first read over mutual TLS, after the installation: setup + driver + asset + read',
      value: parts,
      rounds: runs.map((steps) => steps.reduce((sum, each) => sum + each, 0) / 1000),
      unit: 's',
      gate: { atMost: 30 },
      goal: { atMost: 15 },
    },
  ];
}

/** Sets one gateway up; returns the milliseconds of each step. */
async function measure(bench: Bench, devicePort: number): Promise<readonly number[]> {
  const [httpsPort = 0, clientPort = 0] = await findFreePorts(2);
  const gateway = await startProgram(bench, {
    config: {
      tls: {},
      http: { host: NAME, httpsPorts: [httpsPort], httpsClientAuthPorts: [clientPort] },
    },
  });
  pin(gateway.process.pid ?? 0, 'server');
  // The installation has them in a folder of its own.
  cpSync(TEMPLATES, path.join(gateway.dataDirectory, 'templates'), { recursive: true });
  const home = path.join(gateway.directory, 'home');
  mkdirSync(home);
  writeFileSync(path.join(home, 'password'), 'a password of its own\n', { mode: 0o600 });
  const env = {
    ...process.env,
    ...bench.program.environment,
    PENSTOCK_SOCKET: path.join(gateway.dataDirectory, 'penstock.sock'),
  };
  const run = async (line: string): Promise<number> => {
    const start = performance.now();
    await runFile(process.execPath, [...bench.program.command, ...line.split(' ')], { cwd: home, env });
    return performance.now() - start;
  };
  const setup = `setup --client ${CLIENT} --password-file password --yes --config ${gateway.configFile}`;
  const steps = [
    await run(setup),
    await run(`driver add plc --type modbus --host ${NAME} --port ${devicePort}`),
    await run('asset add heating --driver plc --template example-heating --parameter unitId=1'),
  ];
  const file = (name: string): string => readFileSync(path.join(home, CLIENT, name), 'utf8');
  const start = performance.now();
  const client = {
    port: clientPort,
    certificate: file(`${CLIENT}.crt`),
    privateKey: file(`${CLIENT}.key`),
  };
  const answer = await send(client, 'GET', '/services/assets/heating/_read');
  const took = performance.now() - start;
  if (answer.status !== 200 || answer.text.includes('FAILURE')) throw new Error('the first answer is wrong');
  await gateway.stop();
  return [...steps, took];
}
