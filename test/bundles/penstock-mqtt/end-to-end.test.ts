import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
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

test('nothing is lost while the broker is away and bundle and daemon are killed at drawn moments', async (t) => {
  const random = createRandom(SEED);
  const broker = await startMosquitto(t);
  const ledger = await openMqttLedger(t, broker.port);
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const level = {
    name: 'level',
    type: 'READ',
    valueType: 'INTEGER',
    address: { table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT16' },
  };
  const settings = { brokers: [`mqtt://127.0.0.1:${broker.port}`], recorders: ['fast'] };
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
  const [built] = await buildBundlePackages(createTemporaryDirectory(t));
  let gateway = await startGateway(t, { config });
  let client = await login(gateway);
  const installed = await uploadPackage(client, readFileSync(built?.file ?? ''));
  assert.equal(installed.state, 'COMPLETED', installed.message);
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
  const sequences = [...ledger.counts.keys()]
    .map((key) => Number(key.split('/').at(-1)))
    .toSorted((a, b) => a - b);
  const first = sequences[0] ?? 0;
  const last = sequences.at(-1) ?? 0;
  const gaps = ledger.messages.flatMap(({ first: sequence, gap }) => (gap === undefined ? [] : [sequence]));
  const missing = Array.from({ length: last - first + 1 }, (_, index) => first + index)
    .filter((sequence) => !sequences.includes(sequence))
    .filter((sequence) => !gaps.includes(sequence));
  assert.deepEqual(missing, [], `seed ${SEED}; gaps ${gaps.join()}`);
  const history = answerOf(listHistory, await client.send('GET', '/services/history/v1'));
  assert.ok(JSON.stringify(history).includes('bundle:penstock-mqtt/fast'));
  t.diagnostic(`${sequences.length} samples, ${ledger.duplicates} of them more than once, seed ${SEED}`);
});
