import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { run } from '../../packaging/run.ts';
import { buildExamplePackage } from '../support/example-package.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { startOpcuaServer } from '../support/opcua-server.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { APT, buildDebianPackage } from './built-package.ts';
import { bootContainer, findObstacle } from './container.ts';
import type { Container } from './container.ts';
import { findLimitObstacle } from './control-groups.ts';

const obstacle = findObstacle() ?? findLimitObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };
const LIMITS = { memoryMib: 256, cpuPercent: 25 };
// What the launcher computes for the memory above, which it cannot see here.
const HEAP_MIB = 112;
const ASSETS = 10;
const CHANNELS_PER_ASSET = 100;
const CLIENT_PORT = 4443;

interface ReadChannel {
  readonly name: string;
  readonly channelStatus: object;
  readonly value?: unknown;
}

/** Returns the part of the configuration that has all assets on one device; each register holds its offset. */
function describePlant(port: number): string {
  const assets = Array.from({ length: ASSETS }, (_asset, asset) => ({
    pid: `asset${asset}`,
    driver: 'plant',
    channels: Array.from({ length: CHANNELS_PER_ASSET }, (_channel, index) => ({
      name: `register${index}`,
      type: 'READ',
      valueType: 'INTEGER',
      address: {
        unitId: 1,
        table: 'HOLDING_REGISTERS',
        offset: asset * CHANNELS_PER_ASSET + index,
        dataType: 'UINT16',
      },
    })),
  }));
  // JSON is YAML as well.
  return JSON.stringify({ drivers: [{ pid: 'plant', type: 'modbus', host: '127.0.0.1', port }], assets });
}

function describeServer(endpointUrl: string): string {
  const address = { nodeId: 'nsu=urn:penstock:test;s=double' };
  const channels = [{ name: 'double', type: 'READ', valueType: 'DOUBLE', address }];
  return JSON.stringify({
    drivers: [{ pid: 'plc', type: 'opcua', endpointUrl }],
    assets: [{ pid: 'tank', driver: 'plc', channels }],
  });
}

/** A client on this machine, which takes nothing of what the container has. */
class Client {
  readonly #container: Container;

  constructor(container: Container) {
    this.#container = container;
  }

  /** Returns the body of an answer; throws when the status is an error. */
  async get(url: string): Promise<string> {
    const [program, ...words] = this.#container.entrance;
    const folder = path.join(this.#container.shared, 'scada');
    const files = ['--cert', path.join(folder, 'scada.crt'), '--key', path.join(folder, 'scada.key')];
    const authority = ['--cacert', path.join(folder, 'ca.crt')];
    return run(program, [
      ...words,
      'curl',
      '--silent',
      '--show-error',
      '--fail',
      ...authority,
      ...files,
      url,
    ]);
  }

  async read(pid: string): Promise<readonly ReadChannel[]> {
    const url = `https://localhost:${CLIENT_PORT}/services/assets/${pid}/_read`;
    return JSON.parse(await this.get(url)) as readonly ReadChannel[];
  }
}

test('a machine with 256 MiB and a quarter of a core does all that a gateway does', options, async (t) => {
  const packageFile = await buildDebianPackage(createTemporaryDirectory(t));
  const container = await bootContainer(t, { limits: LIMITS });
  const client = new Client(container);
  const provide = async (name: string, text: string): Promise<void> => {
    await writeFile(path.join(container.shared, name), text);
    await container.shell(`install -o root -g penstock -m 640 ${name} /etc/penstock/provision.d/
      systemctl reload penstock.service`);
  };
  const measured = (name: string, step: (t: TestContext) => Promise<void>): Promise<void> =>
    t.test(name, async (subtest) => {
      const startMs = performance.now();
      await step(subtest);
      subtest.diagnostic(`${((performance.now() - startMs) / 1000).toFixed(1)} s, ${name}`);
    });

  await measured('the package is installed, and serves its ports', async () => {
    await copyFile(packageFile, path.join(container.shared, 'penstock.deb'));
    await container.shell(`mkdir /etc/systemd/system/penstock.service.d
      printf '[Service]\nEnvironment=PENSTOCK_HEAP_MIB=${HEAP_MIB}\n' >/etc/systemd/system/penstock.service.d/heap.conf
      ${APT} install ./penstock.deb
      curl -sk --fail -o /dev/null https://localhost/services/session/v1/authenticationInfo`);
    const command = await container.shell(
      'tr "\\\\0" "\\\\n" </proc/$(systemctl show -P MainPID penstock.service)/cmdline',
    );
    assert.match(command, new RegExp(`^--max-old-space-size=${HEAP_MIB}$`, 'm'));
  });

  await measured('setup makes a client that is let in', async () => {
    await container.shell(`printf 'a better one 77\\n' >new-password
      penstock setup --client scada --name localhost --password-file new-password`);
    assert.equal(await client.get(`https://localhost:${CLIENT_PORT}/services/assets`), '[]');
  });

  await measured('1,000 channels are configured', async () => {
    const device = await startLibmodbusServer(0, container.entrance);
    t.after(() => device.close());
    await provide('plant.yaml', describePlant(device.port));
  });

  await measured('1,000 channels are read', async () => {
    for (let asset = 0; asset < ASSETS; asset += 1) {
      const values = (await client.read(`asset${asset}`)).map(({ value }) => value);
      const offset = asset * CHANNELS_PER_ASSET;
      assert.deepEqual(
        values,
        Array.from({ length: CHANNELS_PER_ASSET }, (_channel, index) => offset + index),
      );
    }
  });

  await measured('a package is installed, and its bundle becomes active', async () => {
    await writeFile(path.join(container.shared, 'api-key.dp'), buildExamplePackage('api-key'));
    await container.shell('penstock package install api-key.dp');
    assert.match(await container.shell('penstock bundle list --json'), /"state": "ACTIVE"/);
  });

  await measured(
    'a server of OPC UA is trusted, and a value of it read over an encrypted connection',
    async () => {
      const server = await startOpcuaServer({
        directory: createTemporaryDirectory(t),
        securityModes: ['SignAndEncrypt'],
        securityPolicies: ['Basic256Sha256'],
        entrance: container.entrance,
      });
      t.after(() => server.kill());
      await provide('server.yaml', describeServer(server.endpointUrl));
      await container.shell(`penstock driver trust plc --fingerprint ${server.certificate.fingerprint256}`);
      assert.deepEqual(
        (await client.read('tank')).map(({ name, value }) => [name, value]),
        [['double', 0.1]],
      );
    },
  );

  await measured('the console is served', async () => {
    const page = await client.get('https://localhost/');
    assert.match(page, /^<!doctype html>/i);
    const script = /src="\.\/(assets\/[^"]+)"/.exec(page)?.[1] ?? '';
    assert.ok((await client.get(`https://localhost/${script}`)).length > 10_000);
  });

  await t.test('nothing was killed, started again or too late', async (subtest) => {
    const peak = await container.shell(
      'grep -E "^Vm(HWM|RSS)" /proc/$(systemctl show -P MainPID penstock.service)/status',
    );
    const { killed, peakMib, programsMib, throttled } = container.measure();
    subtest.diagnostic(`the service: ${peak.trim().replaceAll(/\s+/g, ' ')}`);
    subtest.diagnostic(`all programs of the machine: ${programsMib.toFixed(0)} MiB`);
    subtest.diagnostic(
      `at most, with files that are kept in memory: ${peakMib?.toFixed(0) ?? 'unknown'} MiB`,
    );
    subtest.diagnostic(`the share of the processor was used up in ${throttled} periods`);
    const journal = await container.shell('journalctl -u penstock.service -o cat --no-pager');
    assert.equal(killed, 0);
    assert.equal(await container.shell('systemctl show penstock.service -P NRestarts'), '0\n');
    assert.deepEqual(
      journal.split('\n').filter((line) => /time.?out|timed out|in time/i.test(line)),
      [],
    );
    assert.notEqual(throttled, 0, 'the processor was not limited');
  });

  await t.test('another service that takes all memory is killed, and the gateway goes on', async () => {
    const { status } = await container.run(
      'systemd-run --quiet --wait --collect --property=OOMScoreAdjust=1000 tail /dev/zero',
    );
    assert.notEqual(status, 0);
    assert.notEqual(container.measure().killed, 0, 'the memory was not limited');
    assert.equal((await client.read('asset0')).length, CHANNELS_PER_ASSET);
    assert.equal(await container.shell('systemctl show penstock.service -P NRestarts'), '0\n');
  });
});
