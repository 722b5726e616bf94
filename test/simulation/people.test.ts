import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { composeGateway } from '../../daemon/compose/gateway.ts';
import type { Gateway } from '../../daemon/compose/gateway.ts';
import { systemHostServices } from '../../daemon/compose/host-services.ts';
import { loadSettingsFile } from '../../daemon/settings/settings-file.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { createConnector } from './http/connector.ts';
import { SimulatedPorts } from './http/simulated-ports.ts';
import { createHashThreads, TINY_COST } from './people/hash-threads.ts';
import { createIdentityPeople } from './people/identity-people.ts';
import { FIRST_TUNING } from './people/tuning.ts';
import { makeWorldCertificates } from './world/certificates.ts';
import type { WorldCertificates } from './world/certificates.ts';
import { Chronicle } from './world/chronicle.ts';
import { LifeClock } from './world/life-clock.ts';
import { Random } from './world/random.ts';
import { SimulatedTime } from './world/simulated-time.ts';
import { countThreads } from './world/threads.ts';

process.env['UV_THREADPOOL_SIZE'] = '1';
countThreads();

const HOUR_MS = 3_600_000;
const ADMINISTRATOR = { name: 'admin', password: 'password-of-turbines' };

interface RunOptions {
  readonly seed: string;
  readonly hours: number;
  readonly keepsUsedTokens: boolean;
}

/** Lets people work with a gateway that is restarted and killed, and returns what happened. */
async function runWorld(t: TestContext, { seed, hours, keepsUsedTokens }: RunOptions) {
  const random = new Random(seed);
  const time = new SimulatedTime();
  const chronicle = new Chronicle(time);
  const ports = new SimulatedPorts(time);
  const certificates = await makeWorldCertificates(['operator', 'historian', 'scada'], time.epochMs());
  let directory = await prepare(t, certificates, keepsUsedTokens);
  let gateway: Gateway | undefined;
  let clock = new LifeClock(time, () => 0);
  let run = 0;
  const killsMs: number[] = [];
  let isStopping = false;
  const logger = createMemoryLogger();

  async function start(): Promise<void> {
    run += 1;
    const life = new LifeClock(time, () => 0);
    clock = life;
    gateway = await composeGateway({
      loaded: await loadSettingsFile(path.join(directory, 'penstock.yaml')),
      logger,
      hostServices: {
        ...systemHostServices,
        clock,
        random: random.branch(`gateway ${run}`),
        listen: ports.listen,
        certificateLookIntervalMs: HOUR_MS,
        consoleDirectories: [],
        passwordCost: TINY_COST,
        startHashThread: createHashThreads(life, 80),
      },
    });
    await gateway.start(new AbortController().signal);
    chronicle.note('gateway', `run ${run}`);
  }

  async function restart(): Promise<void> {
    isStopping = true;
    await gateway?.stop();
    isStopping = false;
    await start();
  }

  async function kill(): Promise<void> {
    killsMs.push(time.monotonicMs());
    clock.end();
    ports.cut();
    chronicle.note('gateway', 'is killed');
    const copy = createTemporaryDirectory(t);
    await cp(directory, copy, { recursive: true, filter: (source) => !source.endsWith('.sock') });
    directory = copy;
    await start();
  }

  const { people, world } = createIdentityPeople({
    time,
    random,
    chronicle,
    connect: createConnector({
      ports,
      random,
      portOf: { https: 443, 'client-auth': 4443 },
      certificateOf: (name) => certificates.clients.get(name),
      longestLatencyMs: 40,
    }),
    gateway: {
      run: () => run,
      killsMs: () => killsMs,
      isStopping: () => isStopping,
      epochMs: () => clock.epochMs(),
      hasSteadyClock: () => true,
    },
    settings: {
      firstTuning: FIRST_TUNING,
      clockSkewToleranceMs: 30_000,
      keepsUsedTokens,
      hasClientAuthPort: true,
    },
    administrator: ADMINISTRATOR,
    users: 3,
    meanPauseMs: 60_000,
  });
  void start();
  for (const person of people) person.start();
  const ends = random.branch('ends of the process');
  const plan = (): void => {
    time.schedule(ends.exponential(5 * HOUR_MS), () => {
      void (ends.chance(0.5) ? restart() : kill()).then(plan);
    });
  };
  plan();
  // The story ends where something is broken.
  for (let minute = 1; minute <= hours * 60 && chronicle.broken === undefined; minute += 1)
    await time.runUntil(minute * 60_000);
  const story = chronicle.lines().slice(-60).join('\n');
  const endMs = time.monotonicMs();
  for (const person of people) person.leave();
  await time.runUntil(endMs + 200_000);
  await Promise.all([gateway?.stop(), time.runUntil(endMs + 300_000)]);
  const errors = logger.lines.filter(({ level }) => level === 'error');
  return { chronicle, story, world, ports, errors, run };
}

async function prepare(
  t: TestContext,
  { server, clientAuthority }: WorldCertificates,
  keepsUsedTokens: boolean,
): Promise<string> {
  const directory = createTemporaryDirectory(t);
  const write = (name: string, text: string): Promise<void> =>
    writeFile(path.join(directory, name), text, { mode: 0o600 });
  await write('server.crt', server.certificate);
  await write('server.key', server.privateKey);
  await write('client-ca.pem', clientAuthority);
  await write(
    'penstock.yaml',
    JSON.stringify({
      dataDirectory: 'data',
      http: { httpsPorts: [443], httpsClientAuthPorts: [4443] },
      tls: {
        certificateFile: 'server.crt',
        privateKeyFile: 'server.key',
        clientCertificateAuthoritiesFile: 'client-ca.pem',
      },
      provision: {
        rest: {
          basicAuthenticationEnabled: true,
          jwtAuthenticationEnabled: true,
          ...FIRST_TUNING,
          jwtUsedRefreshTokensPersistent: keepsUsedTokens,
        },
        identities: [{ ...ADMINISTRATOR, permissions: ['rest.admin'], passwordChangeNeeded: false }],
      },
    }),
  );
  return directory;
}

for (const [index, seed] of ['one', 'two', 'three'].entries()) {
  test(`people log in, lose rights and come back for eight hours, seed ${seed}`, async (t) => {
    const { chronicle, story, ports, errors } = await runWorld(t, {
      seed,
      hours: 8,
      keepsUsedTokens: index === 1,
    });
    assert.equal(chronicle.broken, undefined, story);
    assert.equal(chronicle.count > 3000, true);
    assert.equal(ports.connections, 0);
    assert.deepEqual(errors, []);
  });
}

test('the same seed gives the same hours, and another one does not', async (t) => {
  const digests: string[] = [];
  for (const seed of ['same', 'same', 'other']) {
    const { chronicle } = await runWorld(t, { seed, hours: 3, keepsUsedTokens: false });
    digests.push(chronicle.digest());
  }
  assert.equal(digests[0], digests[1]);
  assert.notEqual(digests[0], digests[2]);
});
