import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { answerOf } from '../../support/answer-of.ts';
import { listHistory } from '../../../daemon/interface/plant/history.ts';
import { listBundles } from '../../../daemon/interface/software/bundles.ts';
import { buildBundlePackages } from '../../../packaging/bundle-packages.ts';
import { listChildren } from '../../support/child-processes.ts';
import { startGateway } from '../../support/gateway.ts';
import type { RunningGateway } from '../../support/gateway.ts';
import { SessionClient } from '../../support/https-client.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { startMosquitto } from '../../support/mosquitto.ts';
import { openMqttLedger } from '../../support/mqtt-ledger.ts';
import type { MqttLedger } from '../../support/mqtt-ledger.ts';
import { uploadPackage } from '../../support/package-upload.ts';
import { createRandom } from '../../support/random.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const { test } = testsThatNeed('mosquitto', 'libmodbus');

const PASSWORD = 'turbine-password';
const SEED = Number(process.env['MQTT_SEED'] ?? 3);
const ROUNDS = 5;

async function login(gateway: RunningGateway): Promise<SessionClient> {
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('operator', PASSWORD);
  return client;
}

/** Waits for a report of the bundle. */
async function awaitReport(client: SessionClient, isWanted: (report: unknown) => boolean): Promise<void> {
  for (;;) {
    const [bundle] = answerOf(listBundles, await client.send('GET', '/services/deploy/v2/_bundles'));
    if (bundle !== undefined && isWanted(bundle)) return;
    await delay(50);
  }
}

/** Starts a gateway that records a device ten times a second, with the package installed for a broker. */
async function startPlant(t: TestContext, brokerPort: number) {
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const level = {
    name: 'level',
    type: 'READ',
    valueType: 'INTEGER',
    address: { table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT16' },
  };
  const settings = { brokers: [`mqtt://127.0.0.1:${brokerPort}`], recorders: ['fast'] };
  const config = {
    provision: {
      identities: [
        {
          name: 'operator',
          permissions: ['rest.deploy', 'rest.configuration', 'rest.assets', 'rest.admin'],
          password: PASSWORD,
        },
      ],
      drivers: [{ pid: 'plc', type: 'modbus', host: '127.0.0.1', port: device.port }],
      assets: [{ pid: 'pump', driver: 'plc', channels: [level] }],
      recorders: [{ pid: 'fast', intervalMs: 100, assets: [{ asset: 'pump' }] }],
      bundles: [{ pid: 'penstock-mqtt', settings }],
    },
  };
  const gateway = await startGateway(t, { config });
  const client = await login(gateway);
  await install(t, client);
  return { gateway, client, config };
}

async function install(t: TestContext, client: SessionClient, version?: string): Promise<void> {
  const built = await buildBundlePackages(createTemporaryDirectory(t), version);
  const { file } = built.find((each) => each.file.includes('penstock-mqtt')) ?? assert.fail();
  const installed = await uploadPackage(client, readFileSync(file));
  assert.equal(installed.state, 'COMPLETED', installed.message);
}

/** Asserts that every number between the first and the last one that came is a sample or a gap. */
function assertComplete(ledger: MqttLedger, what: string): number {
  const sequences = [...ledger.counts.keys()]
    .map((key) => Number(key.split('/').at(-1)))
    .toSorted((a, b) => a - b);
  const known = new Set(sequences);
  const gaps = ledger.messages.flatMap(({ first, gap }) => (gap === undefined ? [] : [first]));
  const first = sequences[0] ?? 0;
  const last = sequences.at(-1) ?? 0;
  const missing = Array.from({ length: last - first + 1 }, (_, index) => first + index)
    .filter((sequence) => !known.has(sequence))
    .filter((sequence) => !gaps.includes(sequence));
  assert.deepEqual(missing, [], `${what}; gaps ${gaps.join()}`);
  return sequences.length;
}

test('nothing is lost while the broker is away and bundle and daemon are killed at drawn moments', async (t) => {
  const random = createRandom(SEED);
  const broker = await startMosquitto(t);
  const ledger = await openMqttLedger(t, broker.port);
  const plant = await startPlant(t, broker.port);
  const { config } = plant;
  let { gateway, client } = plant;
  await ledger.when(({ counts }) => counts.size > 3);
  for (let round = 0; round < ROUNDS; round += 1) {
    await delay(random() * 1500);
    const drawn = random();
    if (drawn < 0.3) {
      await broker.kill();
      await delay(random() * 1500);
      await broker.start();
    } else if (drawn < 0.65) {
      for (const { pid, commandLine } of listChildren(gateway.process.pid)) {
        if (/\brunner\.[jt]s\b/.test(commandLine)) process.kill(pid, 'SIGKILL');
      }
    } else {
      gateway.process.kill('SIGKILL');
      await gateway.stop();
      gateway = await startGateway(t, { directory: gateway.directory, config });
      client = await login(gateway);
    }
    const before = ledger.counts.size;
    await ledger.when(({ counts }) => counts.size > before + 5);
  }
  await awaitReport(client, (bundle) => JSON.stringify(bundle).includes('"backlog":0'));
  await ledger.when(({ messages }) => messages.at(-1)?.backlog !== true);
  const count = assertComplete(ledger, `seed ${SEED}`);
  const history = answerOf(listHistory, await client.send('GET', '/services/history/v1'));
  assert.ok(JSON.stringify(history).includes('bundle:penstock-mqtt/fast'));
  t.diagnostic(`${count} samples, ${ledger.duplicates} of them more than once, seed ${SEED}`);
});

test('an update of the package with a backlog loses nothing', async (t) => {
  const broker = await startMosquitto(t);
  const ledger = await openMqttLedger(t, broker.port);
  const { client } = await startPlant(t, broker.port);
  await ledger.when(({ counts }) => counts.size > 3);
  await broker.kill();
  await awaitReport(client, (bundle) => Number(counterOf(bundle, 'backlog')) > 5);
  await install(t, client, '99.0.0');
  await awaitReport(client, (bundle) => JSON.stringify(bundle).includes('"version":"99.0.0"'));
  const before = ledger.counts.size;
  await broker.start();
  await ledger.when(({ counts }) => counts.size > before + 10);
  await awaitReport(client, (bundle) => counterOf(bundle, 'backlog') === 0);
  await ledger.when(({ messages }) => messages.at(-1)?.backlog !== true);
  t.diagnostic(`${assertComplete(ledger, 'update')} samples, ${ledger.duplicates} of them more than once`);
});

function counterOf(report: unknown, name: string): number | undefined {
  const found = new RegExp(`"${name}":(\\d+)`).exec(JSON.stringify(report));
  return found === null ? undefined : Number(found[1]);
}
