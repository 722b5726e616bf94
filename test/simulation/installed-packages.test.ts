import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { gatewaySettingsSchema } from '../../daemon/settings/gateway-settings.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { BundleMachine, WORLD_LIMITS } from './bundles/bundle-machine.ts';
import { PackageMaker } from './bundles/drawn-package.ts';
import { Meter } from './bundles/meter.ts';
import { ConnectionEnded, RestConnection } from './http/rest-connection.ts';
import { SimulatedPorts } from './http/simulated-ports.ts';
import type { AskingClient } from './people/asking-client.ts';
import { createHashThreads, TINY_COST } from './people/hash-threads.ts';
import { createInstaller } from './people/installer.ts';
import { MeterConfiguration } from './people/meter-configuration.ts';
import { PlantModel } from './plant/plant-model.ts';
import { Chronicle } from './world/chronicle.ts';
import { GatewayLife } from './world/gateway-life.ts';
import { Random } from './world/random.ts';
import { SimulatedTime } from './world/simulated-time.ts';
import { countThreads } from './world/threads.ts';

countThreads();

const PORT = 80;
const PASSWORD = 'Door-0815-of-the-world';
const HOUR_MS = 3_600_000;

/** Puts a gateway without any other device into a world, where somebody installs packages. */
function createWorld(t: TestContext, seed: string) {
  const directory = createTemporaryDirectory(t);
  const files = path.join(directory, 'files');
  mkdirSync(files);
  const time = new SimulatedTime();
  const random = new Random(seed);
  const chronicle = new Chronicle(time);
  const ports = new SimulatedPorts(time);
  const meter = new Meter(time, random.branch('meter'));
  const machine = new BundleMachine({ time, random: random.branch('bundles'), chronicle, meter });
  let lives = 0;
  const life = new GatewayLife({
    time,
    chronicle,
    random: random.branch('losses of power'),
    ports,
    directory: path.join(directory, 'lives'),
    load: (dataDirectory) => ({
      settings: gatewaySettingsSchema.parse({
        dataDirectory,
        http: { ports: [PORT], httpsPorts: [], httpsClientAuthPorts: [] },
        deployment: { fileSourceDirectories: [files] },
      }),
      files: [],
      provisionSources: [
        {
          name: 'provision',
          value: {
            rest: { basicAuthenticationEnabled: true },
            identities: [{ name: 'root', permissions: ['rest.admin'], password: PASSWORD }],
          },
          locate: (fault) => ({ ...fault, file: 'provision' }),
        },
      ],
    }),
    createParts(clock) {
      const launcher = machine.createLauncher();
      lives += 1;
      return {
        random: random.branch(`gateway/${lives}`),
        driverFactories: [],
        listen: ports.listen,
        certificateLookIntervalMs: HOUR_MS,
        consoleDirectories: [],
        startHashThread: createHashThreads(clock, 80),
        passwordCost: TINY_COST,
        launcher,
        bundleLimits: WORLD_LIMITS,
        cut: () => launcher.end(),
      };
    },
  });
  const client = createClient(ports);
  const configuration = new MeterConfiguration({
    client,
    chronicle,
    meter,
    model: new PlantModel([], () => time.monotonicMs()),
  });
  const installer = createInstaller({
    name: 'installer',
    time,
    random: random.branch('installer'),
    chronicle,
    client,
    machine,
    maker: new PackageMaker(random.branch('packages')),
    configuration,
    directory: files,
    servingSinceMs: () => life.servingSinceMs,
    pauseMs: () => 600_000,
  });
  return { time, random, chronicle, life, machine, installer, meter };
}

function createClient(ports: SimulatedPorts): AskingClient {
  const authorization = `Basic ${Buffer.from(`root:${PASSWORD}`).toString('base64')}`;
  let connection: RestConnection | undefined;
  return {
    async ask(request) {
      if (connection?.isOpen !== true) {
        connection = new RestConnection(ports.connect({ to: PORT, address: '192.0.2.1', toServerMs: 1 }));
      }
      try {
        return await connection.request({ ...request, headers: { authorization, ...request.headers } });
      } catch (error) {
        connection.close();
        if (error instanceof ConnectionEnded) return undefined;
        throw error;
      }
    },
    close: () => connection?.close(),
  };
}

test('packages that bring bundles are installed whole or not at all, through stops and kills of the gateway', async (t) => {
  const seed = 'b';
  const hours = 4;
  const { time, random, chronicle, life, installer } = createWorld(t, seed);
  const chance = random.branch('lives');
  void life.start();
  installer.start();
  const endMs = hours * HOUR_MS;
  const changeLife = (): void => {
    const pauseMs = chance.integer(100, 60_000);
    void (chance.chance(0.5) ? life.kill() : life.stop()).then(() =>
      time.schedule(pauseMs, () => void life.start()),
    );
    time.schedule(chance.exponential(1.5 * HOUR_MS), changeLife);
  };
  time.schedule(chance.exponential(1.5 * HOUR_MS), changeLife);
  await time.runUntil(endMs, () => chronicle.broken !== undefined);
  await life.abandon();
  const story = chronicle.lines().slice(-30).join('\n');
  assert.equal(chronicle.broken, undefined, story);
});
