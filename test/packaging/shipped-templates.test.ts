import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { YamlReader } from '../../daemon/settings/yaml-reader.ts';
import { startModbusServer } from '../../daemon/simulator/modbus-server.ts';
import { checkTemplate } from '../../daemon/plant/template/check-template.ts';
import { TemplateLibrary } from '../../daemon/plant/template/template-library.ts';
import { createDriverFactories } from '../../drivers/index.ts';
import { layDataFiles } from '../../packaging/data-files.ts';
import { getClientCertificate } from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { createDeviceMemory, encode } from './device-memory.ts';
import type { DeviceMemory } from './device-memory.ts';
import { DEVICE_TABLES as MAKERS_TABLES } from './device-tables.ts';
import type { DeviceTable } from './device-tables.ts';
import { DER_CURVE_TABLES } from './sunspec-curve-tables.ts';
import { DER_TABLES } from './sunspec-der-tables.ts';
import { SUNSPEC_TABLES } from './sunspec-tables.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../packaging/templates');
const FILES = readdirSync(FOLDER);
const DEVICE_TABLES = [...MAKERS_TABLES, ...SUNSPEC_TABLES, ...DER_TABLES, ...DER_CURVE_TABLES];
// Not that of any template's default, so that the parameter is seen to arrive.
const UNIT = 17;

const library = new TemplateLibrary({
  directories: [FOLDER],
  listPackagedFiles: () => Promise.resolve([]),
  yaml: new YamlReader(),
});

interface ReadRecord {
  readonly name: string;
  readonly value?: number | string | boolean;
}

test('every template of the gateway can be read, and has a table of its maker', async () => {
  const { templates, unusable } = await library.list();
  assert.deepEqual(unusable, []);
  assert.deepEqual(
    templates.map(({ name }) => `${name}.yaml`),
    FILES.toSorted(),
  );
  // Those of serial instruments have transcripts instead: serial-templates.test.ts.
  assert.deepEqual(
    DEVICE_TABLES.map(({ template }) => template).toSorted(),
    templates.filter(({ driver }) => driver === 'modbus').map(({ name }) => name),
  );
});

test('the settings that a template asks of its driver are settings of that', async () => {
  const { templates } = await library.list();
  const asking = templates.filter(({ driverSettings }) => driverSettings !== undefined);
  assert.ok(asking.some(({ name }) => name === 'huawei-sun2000'));
  for (const { name, driver, driverSettings } of asking) {
    const factory = createDriverFactories().find(({ type }) => type === driver);
    const place = driver === 'serial' ? { device: '/dev/ttyUSB0' } : { host: '192.0.2.7' };
    const settings = factory?.configSchema.safeParse({ ...place, ...driverSettings });
    assert.ok(settings?.success === true, name);
  }
});

test('there are twelve devices of eight makers at least', async () => {
  const { templates } = await library.list();
  assert.ok(templates.length >= 12);
  assert.ok(new Set(templates.map(({ manufacturer }) => manufacturer)).size >= 8);
});

test('the package lays out every template where the gateway looks, readable for everybody', async (t) => {
  const folder = createTemporaryDirectory(t);
  await layDataFiles(path.resolve(import.meta.dirname, '../../packaging/templates'), folder);
  assert.deepEqual(readdirSync(folder), FILES);
  for (const file of FILES) {
    const laid = path.join(folder, file);
    assert.deepEqual(readFileSync(laid), readFileSync(path.join(FOLDER, file)));
    assert.equal(statSync(laid).mode & 0o777, 0o644);
  }
  const sources = ['packaging/package-tree.ts', 'daemon/plant/template/template-library.ts'].map((file) =>
    readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8'),
  );
  for (const text of sources) assert.match(text, /'\/?usr\/share\/penstock\/templates'/);
});

for (const file of FILES) {
  test(`${file} fits its driver with default parameters and at their bounds`, async () => {
    const { template, loaded } = await library.get(path.basename(file, '.yaml'));
    assert.deepEqual(checkTemplate(template, loaded, createDriverFactories()).faults, []);
  });
}

test('each template reads from a device what the table of its maker says', async (t) => {
  const { devices, call } = await startPlant(t);
  for (const { device } of devices) {
    const rows = [...device.rows, ...(device.others?.rows ?? [])];
    const shown = (await call('GET', `/services/assets/${device.template}`)) as readonly ReadRecord[];
    const names = shown.map(({ name }) => name);
    assert.deepEqual(names.toSorted(), rows.map(([name]) => name).toSorted(), device.template);
    const read = (await call('GET', `/services/assets/${device.template}/_read`)) as readonly ReadRecord[];
    const values = new Map(read.map(({ name, value }) => [name, value]));
    for (const [name, , , expected] of rows) {
      const value = values.get(name);
      const what = `${device.template} ${name}: ${String(value)} instead of ${String(expected)}`;
      if (typeof expected === 'number') {
        assert.ok(Math.abs(Number(value) - expected) <= Math.abs(expected) * 1e-6, what);
      } else assert.equal(value, expected, what);
    }
  }
});

test('what a template can write arrives where the table of its maker says', async (t) => {
  const { devices, call } = await startPlant(t);
  let count = 0;
  for (const { device, memory } of devices) {
    const { template, loaded } = await library.get(device.template);
    const { value = [] } = loaded.expand(template.name, { unitId: UNIT, ...device.parameters });
    for (const { channel } of value.filter(({ channel: each }) => each['type'] !== 'READ')) {
      const rows = [...device.rows, ...(device.others?.rows ?? [])];
      const row = rows.find(([name]) => name === channel['name']);
      assert.ok(row !== undefined);
      const [name, number, form, , weight = 1] = row;
      const next = form === 'uint16' ? 5 : 33.5;
      const body = { channels: [{ name, type: channel['valueType'], value: next }] };
      await call('POST', `/services/assets/${device.template}/_write`, body);
      assert.deepEqual(memory.contentOf(name), encode([name, number, form, next, weight]), name);
      count += 1;
    }
  }
  assert.ok(count >= 6);
});

async function startPlant(t: TestContext): Promise<{
  readonly devices: readonly { readonly device: DeviceTable; readonly memory: DeviceMemory }[];
  readonly call: (method: string, place: string, body?: object) => Promise<unknown>;
}> {
  const devices = await Promise.all(
    DEVICE_TABLES.map(async (device) => {
      const memory = createDeviceMemory(device, UNIT);
      const server = await startModbusServer({ host: '127.0.0.1', port: 0, memory });
      t.after(() => server.close());
      return { device, memory, port: server.port };
    }),
  );
  const gateway = await startGateway(t, {
    config: {
      provision: {
        rest: { statelessCertificateAuthenticationEnabled: true },
        identities: [{ name: 'scada', permissions: ['rest.assets'] }],
        drivers: devices.map(({ device, port }) => ({
          pid: device.template,
          type: 'modbus',
          host: '127.0.0.1',
          port,
        })),
        assets: devices.map(({ device: { template, parameters } }) => ({
          pid: template,
          driver: template,
          template,
          parameters: { unitId: UNIT, ...parameters },
        })),
      },
    },
  });
  const client = { port: gateway.clientAuthPorts[0] ?? 0, ...(await getClientCertificate('scada')) };
  return {
    devices,
    async call(method, place, body) {
      const { status, text, json } = await send(client, method, place, body === undefined ? {} : { body });
      assert.equal(status, 200, `${place}: ${text}`);
      return json;
    },
  };
}
