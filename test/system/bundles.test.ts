import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { buildExamplePackage } from '../support/example-package.ts';
import { runDaemon, startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import { startLineMeter } from '../support/line-meter.ts';
import { buildPackage } from '../support/package-builder.ts';
import { removePackage, uploadPackage } from '../support/package-upload.ts';
import { listChildren } from '../support/child-processes.ts';
import type { ResultRecord } from '../../daemon/interface/plant/assets.ts';
import { answerOf } from '../support/answer-of.ts';
import { readChannels } from '../../daemon/interface/plant/assets.ts';
import { listAuditEvents } from '../../daemon/interface/security/audit.ts';
import { listBundles } from '../../daemon/interface/software/bundles.ts';

const PASSWORD = 'turbine-password';
const BUNDLES = '/services/deploy/v2/_bundles';
const permissions = ['rest.deploy', 'rest.configuration', 'rest.assets', 'rest.admin'];
const identities = [
  { name: 'operator', permissions, password: PASSWORD },
  { name: 'scada', permissions: ['rest.assets'] },
];
const config = { provision: { identities } };

async function login(gateway: RunningGateway): Promise<SessionClient> {
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('operator', PASSWORD);
  return client;
}

async function readBundles(client: SessionClient) {
  return answerOf(listBundles, await client.send('GET', BUNDLES));
}

async function awaitBundle(client: SessionClient, state: string) {
  for (;;) {
    const found = (await readBundles(client)).find((bundle) => bundle.state === state);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function readMeter(client: SessionClient): Promise<ResultRecord> {
  const answer = await client.send('GET', '/services/assets/meter/_read');
  assert.equal(answer.status, 200, answer.text);
  const [record] = answerOf(readChannels, answer);
  assert.ok(record !== undefined);
  return record;
}

async function awaitVolts(client: SessionClient): Promise<void> {
  while ((await readMeter(client)).value !== 12.01) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Ends the process of the one bundle that the gateway runs, as a defect would. */
function killBundle(gateway: RunningGateway): void {
  const bundles = listChildren(gateway.process.pid).filter(({ commandLine }) =>
    /\brunner\.[jt]s\b/.test(commandLine),
  );
  assert.equal(bundles.length, 1);
  for (const { pid } of bundles) process.kill(pid, 'SIGKILL');
}

test('the driver of a package serves assets, over its own death, a restart of the gateway and its removal', async (t) => {
  const meter = await startLineMeter(t);
  const first = await startGateway(t, { config });
  const client = await login(first);
  const installed = await uploadPackage(client, buildExamplePackage('line-meter'));
  assert.equal(installed.state, 'COMPLETED', installed.message);
  assert.deepEqual(await readBundles(client), [
    {
      package: 'example.line-meter',
      name: 'org.example.line-meter',
      version: '1.0.0',
      state: 'ACTIVE',
      permissions: ['net'],
      storage: {
        usedBytes: 0,
        maximumBytes: 67_108_864,
        entries: 0,
        maximumEntries: 10_000,
        isFull: false,
      },
    },
  ]);

  const channel = { name: 'volts', type: 'READ', valueType: 'DOUBLE', address: { quantity: 'volts' } };
  const plant = {
    drivers: [{ pid: 'line', type: 'line-meter', host: '127.0.0.1', port: meter.port }],
    assets: [{ pid: 'meter', driver: 'line', channels: [channel] }],
  };
  const changed = await client.send('PUT', '/services/configuration/v1', {
    headers: { 'If-Match': '*' },
    body: plant,
  });
  assert.equal(changed.status, 200, changed.text);
  assert.equal((await readMeter(client)).value, 12.01);

  killBundle(first);
  await awaitBundle(client, 'FAILED');
  const broken = await readMeter(client);
  assert.deepEqual([broken.channelStatus.channelFlag, broken.value], ['FAILURE', undefined]);
  await awaitVolts(client);
  assert.equal(await first.stop(), 0);

  const second = await startGateway(t, { directory: first.directory, config });
  const again = await login(second);
  await awaitVolts(again);
  assert.equal((await removePackage(again, 'example.line-meter')).state, 'COMPLETED');
  const removed = await readMeter(again);
  assert.equal(removed.channelStatus.channelFlag, 'FAILURE');
  assert.match(
    removed.channelStatus.exceptionMessage ?? '',
    /bundle that provides driver "line-meter" is not running/,
  );
  assert.deepEqual(await readBundles(again), []);
  assert.equal(await second.stop(), 0);
});

interface LoggedLine {
  readonly time: number;
  readonly source: string;
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

test('the log of a bundle shows what it wrote, with nothing hidden in it, also when it could not be installed', async (t) => {
  const gateway = await startGateway(t, { config });
  const client = await login(gateway);
  const main = `
    export function activate({ logger }) {
      logger.info('reads ' + import.meta.dirname + '/meters.json\\nthen waits', { file: '/etc/none/x' });
      console.log('\\u001b[31mred\\u202e');
      throw new Error('no line');
    }`;
  const content = buildPackage({ symbolicName: 'talkers', bundles: [{ symbolicName: 'talker', main }] });
  assert.equal((await uploadPackage(client, content)).state, 'FAILED');
  const read = async (query = ''): Promise<readonly LoggedLine[]> => {
    const { status, text } = await client.send('GET', `${BUNDLES}/talker/_log${query}`);
    assert.equal(status, 200, text);
    return (JSON.parse(text) as { readonly lines: readonly LoggedLine[] }).lines;
  };
  const lines = await read();
  const ofLogger = lines.filter(({ source }) => source === 'LOGGER');
  assert.deepEqual(
    ofLogger.map(({ message, fields }) => [message, fields]),
    [
      ['reads meters.json', { file: 'x' }],
      ['then waits', undefined],
    ],
  );
  const printed = lines.filter(({ source }) => source === 'OUTPUT').map(({ message }) => message);
  assert.deepEqual(printed, [String.raw`\u001b[31mred\u202e`]);
  assert.ok(lines.some(({ source, message }) => source === 'GATEWAY' && /^FAILED: .*no line/.test(message)));
  assert.deepEqual(await read('?lines=2'), lines.slice(-2));
  const refusals = ['talker/_log?lines=0', 'talker/_log?lines=501', 'none/_log'].map(async (place) => {
    return (await client.send('GET', `${BUNDLES}/${place}`)).status;
  });
  assert.deepEqual(await Promise.all(refusals), [400, 400, 404]);
});

test('a check of the configuration knows the drivers of bundles', async (t) => {
  const gateway = await startGateway(t, { config });
  const client = await login(gateway);
  await uploadPackage(client, buildExamplePackage('line-meter'));
  const check = async (port: unknown) => {
    const file = path.join(gateway.directory, 'other.yaml');
    const drivers = [{ pid: 'line', type: 'line-meter', host: '192.0.2.7', port }];
    writeFileSync(file, JSON.stringify({ dataDirectory: 'data', provision: { drivers } }));
    return runDaemon(['--check-config', '--config', file]);
  };
  // Beside the daemon that runs.
  assert.equal((await check(4001)).status, 0);
  const refused = await check(70_000);
  assert.equal(refused.status, 78);
  assert.match(refused.output, /port/);
});

test('the provider of a package accepts its requests, as long as it is installed', async (t) => {
  const gateway = await startGateway(t, { config });
  const client = await login(gateway);
  const digest = (key: string): string => createHash('sha256').update(key).digest('hex');
  const keys = { [digest('key-of-scada')]: 'scada', [digest('key-of-operator')]: 'operator' };
  const data = path.join(gateway.dataDirectory, 'packages/data/org.example.api-key');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(data, 'keys.json'), JSON.stringify(keys));
  const target = { port: gateway.httpsPorts[0] ?? 0 };
  const ask = async (key: string) =>
    (await send(target, 'GET', '/services/assets', { headers: { 'X-Api-Key': key } })).status;
  assert.equal(await ask('key-of-scada'), 401);
  const installed = await uploadPackage(client, buildExamplePackage('api-key'));
  assert.equal(installed.state, 'COMPLETED');
  const grants = [{ bundle: 'org.example.api-key', permissions: ['authentication'] }];
  assert.deepEqual(installed.grants, grants);
  assert.equal(await ask('key-of-scada'), 200);
  // The manifest does not say that it names identities with further permissions.
  assert.equal(await ask('key-of-operator'), 401);
  assert.equal(await ask('another key'), 401);
  await removePackage(client, 'example.api-key');
  assert.equal(await ask('key-of-scada'), 401);

  const { json } = await client.send('GET', '/services/audit/v1/events?limit=50');
  const { events } = answerOf(listAuditEvents, { json });
  const told = events.filter(({ event }) => event.startsWith('PROVIDER_'));
  assert.deepEqual(
    told.map(({ event, identity, target: provider }) => [event, identity, provider]),
    [
      ['PROVIDER_DISABLED', undefined, 'bundle org.example.api-key 1.0.0'],
      ['PROVIDER_REFUSED', 'operator', 'bundle org.example.api-key 1.0.0'],
      ['PROVIDER_ENABLED', undefined, 'bundle org.example.api-key 1.0.0'],
    ],
  );
  const installation = events.find(({ event }) => event === 'PACKAGE_INSTALLED');
  assert.equal(installation?.detail?.['permissions org.example.api-key'], 'authentication');
  const line = await gateway.line('deployment.permissionsGranted');
  assert.deepEqual(line['grants'], grants);
  assert.equal((await gateway.line('authentication.identityRefused'))['identity'], 'operator');
});

test('an update that does not stay up brings the previous version back, running', async (t) => {
  const gateway = await startGateway(t, { config });
  const client = await login(gateway);
  const build = (version: string, main: string) =>
    buildPackage({ symbolicName: 'pumps', version, bundles: [{ symbolicName: 'pump', version, main }] });
  const good = build('1.0.0', 'export function activate() { setInterval(() => {}, 1000); }');
  const bad = build('1.1.0', 'export function activate() { setTimeout(() => process.exit(3), 500); }');
  assert.equal((await uploadPackage(client, good)).state, 'COMPLETED');
  const failed = await uploadPackage(client, bad);
  assert.deepEqual([failed.state, failed.errorCode], ['FAILED', 463]);
  assert.match(failed.message ?? '', /pump 1\.1\.0 does not stay up: the bundle ended with status 3/);
  assert.equal((await awaitBundle(client, 'ACTIVE')).version, '1.0.0');
});

test('a bundle that fills its storage shows that, and a higher limit takes effect without a restart', async (t) => {
  const deployment = { maximumBundleDataBytes: 1_048_576 };
  const gateway = await startGateway(t, { config: { ...config, deployment } });
  const client = await login(gateway);
  const main = `
    import { writeFileSync } from 'node:fs';
    export function activate({ bundle }) {
      writeFileSync(bundle.dataDirectory + '/log', Buffer.alloc(1_048_576, 1));
      setInterval(() => {
        try { writeFileSync(bundle.dataDirectory + '/mark', 'm'); } catch {}
      }, 100);
    }`;
  const content = buildPackage({ symbolicName: 'pumps', bundles: [{ symbolicName: 'pump', main }] });
  assert.equal((await uploadPackage(client, content)).state, 'COMPLETED');
  const awaitStorage = async (isFull: boolean) => {
    for (;;) {
      const [listed] = await readBundles(client);
      if (listed?.storage?.isFull === isFull) return listed.storage;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const { usedBytes, maximumBytes } = await awaitStorage(true);
  assert.ok(usedBytes >= 1_048_576);
  assert.equal(maximumBytes, 1_048_576);
  await gateway.reload({ ...config, deployment: { maximumBundleDataBytes: 4_194_304 } });
  assert.equal((await awaitStorage(false)).maximumBytes, 4_194_304);
});

test('a bundle that was given up is started again on request', async (t) => {
  const gateway = await startGateway(t, { config });
  const client = await login(gateway);
  const main = 'export function activate() { setInterval(() => {}, 1000); }';
  const content = buildPackage({ symbolicName: 'pumps', bundles: [{ symbolicName: 'pump', main }] });
  assert.equal((await uploadPackage(client, content)).state, 'COMPLETED');
  assert.equal((await client.send('POST', `${BUNDLES}/nothing/_restart`)).status, 404);

  // No start removes a link: nothing is tried again.
  const link = path.join(gateway.dataDirectory, 'packages/data/pump/link');
  symlinkSync('/etc/passwd', link);
  assert.equal((await client.send('POST', `${BUNDLES}/pump/_restart`)).status, 204);
  await gateway.line('bundle.failed');
  const given = await awaitBundle(client, 'FAILED');
  assert.deepEqual([given.cause, given.restartAt], ['link is no file', undefined]);
  rmSync(link);
  assert.equal((await client.send('POST', `${BUNDLES}/pump/_restart`)).status, 204);
  assert.equal((await awaitBundle(client, 'ACTIVE')).cause, undefined);
});
