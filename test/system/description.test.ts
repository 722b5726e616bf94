import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { generateApi } from 'swagger-typescript-api';

import { startGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import { listUnportablePatterns, validateElsewhere } from '../support/json-schema.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';

interface Description {
  readonly openapi: string;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

/** A generated client, as far as it is used here. */
interface GeneratedClient {
  readonly services: Readonly<
    Record<
      string,
      (...parameters: readonly unknown[]) => Promise<{ readonly status: number; readonly data: unknown }>
    >
  >;
}

const ADDRESSES: Readonly<Record<string, object>> = {
  BOOLEAN: { table: 'COILS', offset: 0 },
  BYTE_ARRAY: { dataType: 'BYTES', length: 4 },
  DOUBLE: { dataType: 'FLOAT64' },
  FLOAT: { dataType: 'FLOAT32' },
  INTEGER: { dataType: 'UINT16' },
  LONG: { dataType: 'INT64' },
  STRING: { dataType: 'STRING', length: 4 },
};

/** Lists the descriptions of objects in a part of a description. */
function listRecords(node: unknown): readonly unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  const inside = Object.values(node).flatMap(listRecords);
  return 'properties' in node && typeof node.properties === 'object' ? [node, ...inside] : inside;
}

/** Starts a gateway with the asset `pump` on a device of another make; returns its plain port. */
async function startPump(t: TestContext, channels: readonly object[]): Promise<number> {
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const { httpPorts } = await startGateway(t, {
    config: {
      http: { ports: [0] },
      provision: {
        rest: { basicAuthenticationEnabled: true },
        identities: [{ name: 'scada', permissions: ['rest.assets'], password: 'a password 1' }],
        drivers: [{ pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port }],
        assets: [{ pid: 'pump', driver: 'line', channels }],
      },
    },
  });
  return httpPorts[0] ?? 0;
}

test(
  'a client that a public generator builds from the description reads an asset',
  needs('libmodbus'),
  async (t) => {
    const address = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 7, dataType: 'UINT16' };
    const channels = [{ name: 'level', type: 'READ', valueType: 'INTEGER', address }];
    const port = await startPump(t, channels);
    const answer = await send({ port, plain: true }, 'GET', '/services/openapi.json');
    const description = answer.json as Description;

    const { files } = await generateApi({
      spec: description,
      output: false,
      httpClientType: 'fetch',
      toJS: true,
      silent: true,
    });
    const types = files.find(({ fileExtension }) => fileExtension === '.d.ts')?.fileContent ?? '';
    assert.match(types, /export interface ResultRecord \{/);
    assert.match(types, /export type ChannelValue = string \| number \| boolean;/);
    assert.match(types, /value\?: ChannelValue;/);
    assert.match(
      types,
      /postAssetsByPidRead: \([^)]*data: ReadRequest[^)]*\) => Promise<HttpResponse<ResultRecord\[\]/,
    );

    const program = path.join(createTemporaryDirectory(t), 'client.mjs');
    writeFileSync(program, files.find(({ fileExtension }) => fileExtension === '.js')?.fileContent ?? '');
    const { Api } = (await import(program)) as { readonly Api: new (options: object) => GeneratedClient };
    const authorization = `Basic ${Buffer.from('scada:a password 1').toString('base64')}`;
    const client = new Api({
      baseUrl: `http://127.0.0.1:${port}`,
      baseApiParams: { headers: { Authorization: authorization } },
    });
    const read = await client.services['postAssetsByPidRead']?.('pump', { channels: ['level'] });
    assert.equal(read?.status, 200);
    const [record] = read.data as readonly { readonly name: string; readonly value: number }[];
    assert.deepEqual([record?.name, record?.value], ['level', 7]);
  },
);

test('every record of the description has a name, and every pattern is one of all dialects', async (t) => {
  const gateway = await startGateway(t);
  const [port = 0] = gateway.httpsPorts;
  const description = (await send({ port }, 'GET', '/services/openapi.json')).json as Description;
  assert.deepEqual(listUnportablePatterns(description), []);
  const { paths, components } = description;
  assert.ok(Object.keys(components.schemas).length > 40);
  // A form is no record.
  const { '/services/deploy/v2/_upload': upload, ...others } = paths;
  assert.ok(upload);
  const records = Object.values(components.schemas).flatMap((schema) => listRecords(schema).slice(1));
  assert.deepEqual([...listRecords(others), ...records], []);
});

test(
  'a validator of another make accepts records as they are',
  needs('jsonschema', 'libmodbus'),
  async (t) => {
    const address = { unitId: 1, table: 'HOLDING_REGISTERS', offset: 7 };
    const channels = ['BOOLEAN', 'BYTE_ARRAY', 'DOUBLE', 'FLOAT', 'INTEGER', 'LONG', 'STRING'].map(
      (valueType) => ({
        name: valueType,
        type: 'READ',
        valueType,
        address: { ...address, ...ADDRESSES[valueType] },
      }),
    );
    const port = await startPump(t, channels);
    const headers = { Authorization: `Basic ${Buffer.from('scada:a password 1').toString('base64')}` };
    const get = async (route: string) => (await send({ port, plain: true }, 'GET', route, { headers })).json;
    const { components } = (await get('/services/openapi.json')) as Description;
    const records = (await get('/services/assets/pump/_read')) as readonly Readonly<
      Record<string, unknown>
    >[];
    assert.deepEqual(
      records.map((record) => (record['channelStatus'] as { readonly channelFlag: string }).channelFlag),
      channels.map(() => 'SUCCESS'),
    );
    const [first] = records;
    const refused = [
      { ...first, value: null },
      { ...first, value: {} },
      { ...first, color: 'red' },
    ];
    const schema = { components, $ref: '#/components/schemas/ResultRecord' };
    assert.deepEqual(validateElsewhere(schema, [...records, ...refused]), [
      ...records.map(() => true),
      ...refused.map(() => false),
    ]);
  },
);

test('every operation of the description has its own name', async (t) => {
  const gateway = await startGateway(t);
  const [port = 0] = gateway.httpsPorts;
  const { openapi, paths } = (await send({ port }, 'GET', '/services/openapi.json')).json as Description;
  assert.equal(openapi, '3.1.0');
  const names = Object.values(paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  assert.ok(names.length > 40);
  assert.equal(new Set(names).size, names.length);
});

test('health and readiness are told to anybody, and nothing else', async (t) => {
  const gateway = await startGateway(t);
  const [port = 0] = gateway.httpsPorts;
  for (const route of ['/healthz', '/readyz']) {
    const answer = await send({ port }, 'GET', route);
    assert.deepEqual([answer.status, answer.json], [200, { status: 'UP' }]);
  }
});
