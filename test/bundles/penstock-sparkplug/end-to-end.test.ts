import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { listBundles } from '../../../daemon/interface/software/bundles.ts';
import { buildBundlePackages } from '../../../packaging/bundle-packages.ts';
import { answerOf } from '../../support/answer-of.ts';
import { listChildren } from '../../support/child-processes.ts';
import { startGateway } from '../../support/gateway.ts';
import type { RunningGateway } from '../../support/gateway.ts';
import { SessionClient } from '../../support/https-client.ts';
import { startLibmodbusServer } from '../../support/libmodbus-server.ts';
import { startMosquitto } from '../../support/mosquitto.ts';
import { uploadPackage } from '../../support/package-upload.ts';
import { createRandom } from '../../support/random.ts';
import { openSparkplugHost } from '../../support/sparkplug-host.ts';
import type { SparkplugHost } from '../../support/sparkplug-host.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { testsThatNeed } from '../../support/tests-that-need.ts';

const { test } = testsThatNeed('mosquitto', 'libmodbus');

const PASSWORD = 'turbine-password';
const SEED = Number(process.env['SPARKPLUG_SEED'] ?? 5);
const ROUNDS = 4;

/** Lists the times of the received values of the channel that is followed. */
function listReceived({ rules }: SparkplugHost): readonly number[] {
  return rules.values.filter(({ metric }) => metric === 'level').map(({ timestampMs }) => timestampMs);
}

async function login(gateway: RunningGateway): Promise<SessionClient> {
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('operator', PASSWORD);
  return client;
}

test('the package is born, writes, and loses nothing when bundle and daemon are killed at drawn moments', async (t) => {
  const random = createRandom(SEED);
  const broker = await startMosquitto(t);
  const host = await openSparkplugHost(t, broker.port, { edgeNodeId: 'edge' });
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const address = { table: 'HOLDING_REGISTERS', offset: 0, dataType: 'UINT16' };
  const level = { name: 'level', type: 'READ', valueType: 'INTEGER', unit: 'mm', address };
  const setpoint = {
    name: 'setpoint',
    type: 'READ_WRITE',
    valueType: 'INTEGER',
    write: { minimum: 0, maximum: 100 },
    address: { ...address, offset: 1 },
  };
  const settings = {
    brokers: [`mqtt://127.0.0.1:${broker.port}`],
    recorders: ['fast'],
    edgeNodeId: 'edge',
  };
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
      assets: [{ pid: 'pump', driver: 'plc', channels: [level, setpoint] }],
      recorders: [{ pid: 'fast', intervalMs: 100, assets: [{ asset: 'pump' }] }],
      bundles: [{ pid: 'penstock-sparkplug', settings }],
    },
  };
  const built = await buildBundlePackages(createTemporaryDirectory(t));
  const own = built.find(({ file }) => file.includes('penstock-sparkplug'));
  let gateway = await startGateway(t, { config });
  let client = await login(gateway);
  const installed = await uploadPackage(client, readFileSync(own?.file ?? ''));
  assert.equal(installed.state, 'COMPLETED', installed.message);
  await host.when(({ rules }) => rules.values.length > 3);
  assert.deepEqual(host.rules.metricsOf('pump'), ['level', 'setpoint']);
  const birth = host.rules.messages.find(({ verb }) => verb === 'DBIRTH')?.payload.metrics ?? [];
  // The current values are those of the device, which is read for the birth.
  assert.deepEqual(
    birth.map(({ name, intValue }) => [name, intValue]),
    [
      ['level', 0],
      ['setpoint', 1],
    ],
  );
  const properties = birth[1]?.properties;
  assert.deepEqual(properties?.keys, ['Quality', 'engLow', 'engHigh', 'readOnly']);

  await host.command('pump', [{ name: 'setpoint', timestamp: Date.now(), datatype: 3, intValue: 42 }]);
  await host.when(({ rules }) =>
    rules.values.some(({ metric, value }) => metric === 'setpoint' && value === 42),
  );
  await host.command('pump', [{ name: 'setpoint', timestamp: Date.now(), datatype: 3, intValue: 101 }]);
  for (let report = ''; !/101|limit|maximum/.test(report);) {
    const bundles = answerOf(listBundles, await client.send('GET', '/services/deploy/v2/_bundles'));
    report = JSON.stringify(bundles[0]?.status?.detail ?? '');
    await delay(50);
  }

  const numbers = [Number(host.rules.bdSeq)];
  for (let round = 0; round < ROUNDS; round += 1) {
    await delay(random() * 1000);
    if (random() < 0.6) {
      for (const { pid, commandLine } of listChildren(gateway.process.pid)) {
        if (/\brunner\.[jt]s\b/.test(commandLine)) process.kill(pid, 'SIGKILL');
      }
    } else {
      gateway.process.kill('SIGKILL');
      await gateway.stop();
      gateway = await startGateway(t, { directory: gateway.directory, config });
      client = await login(gateway);
    }
    const before = numbers.at(-1);
    await host.when(({ rules }) => rules.isOnline && Number(rules.bdSeq) !== before);
    numbers.push(Number(host.rules.bdSeq));
    const live = host.rules.values.length;
    await host.when(
      ({ rules }) => rules.values.length > live + 10 && rules.values.at(-1)?.isHistorical === false,
    );
  }
  assert.deepEqual(host.rules.violations, [], `seed ${SEED}`);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => (numbers[0] ?? 0) + index),
    'bdSeq grows by one with each connection',
  );
  const answer = await client.send('GET', '/services/history/v1/pump?channels=level&limit=10000');
  const { samples } = answer.json as { samples: readonly { readonly timestamp: number }[] };
  const first = Math.min(...listReceived(host));
  const last = Math.max(...listReceived(host));
  const sent = samples
    .map(({ timestamp }) => timestamp)
    .filter((timestamp) => timestamp > first && timestamp < last);
  // What was recorded while nothing was sent arrives after the current values, on a busy machine some seconds later.
  await host.when((present) => new Set(sent).isSubsetOf(new Set(listReceived(present))));
  assert.ok(samples.length > 20);
  const repeats =
    host.rules.values.length -
    new Set(host.rules.values.map(({ metric, timestampMs }) => `${metric} ${timestampMs}`)).size;
  t.diagnostic(`${samples.length} samples of a channel, ${repeats} values more than once, seed ${SEED}`);
});
