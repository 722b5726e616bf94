import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import { startLibmodbusServer } from '../support/libmodbus-server.ts';
import { seedDescription } from '../support/schema-seeds.ts';
import { forwardToSocket, runSchemathesis } from '../support/schemathesis.ts';
import { needs } from '../support/tests-that-need.ts';
import { answerOf } from '../support/answer-of.ts';
import { obtainTokens } from '../../daemon/interface/security/tokens.ts';

// `npm run test:schema` asks for many more, and takes minutes.
const EXAMPLES = Number(process.env['SCHEMA_EXAMPLES'] ?? 3);
const SEED = Number(process.env['SCHEMA_SEED'] ?? 1);
const PASSWORD = 'a password 1';

/** A description has no word for the events of a stream; their tests are in listening.test.ts and discover.test.ts. */
const NO_STREAMS = '(?!.*/_(?:listen|scan)$)(?!/services/events/)';

/** Operations that may share a gateway, because none of them takes away what another one needs. */
const GROUPS = {
  'values, sessions, tokens and the rest': '(?!/services/(identity|configuration|deploy)/)',
  identities: '/services/identity/',
  'the configuration': '/services/configuration/',
  packages: '/services/deploy/',
};

const SEEDS = {
  pid: ['pump', 'gone', 'line', 'local'],
  section: ['rest', 'assets', 'drivers', 'banners', 'tokenIssuingServices'],
  id: ['0', '1', '2'],
  name: ['level', 'total', 'absent', 'valve', 'label'],
  channel: ['level', 'total', 'absent'],
  channels: ['level', 'level,absent'],
  userName: ['scada', 'guest', 'admin'],
  username: ['scada', 'guest'],
  password: [PASSWORD],
  'If-Match': ['*', '"1"'],
  url: ['file:///nonexistent.dp', 'http://127.0.0.1:9/x.dp'],
};

const register = (name: string, valueType: string, address: object) => ({
  name,
  type: 'READ_WRITE',
  valueType,
  address: { unitId: 1, table: 'HOLDING_REGISTERS', ...address },
});

async function start(t: TestContext): Promise<RunningGateway> {
  const device = await startLibmodbusServer();
  t.after(() => device.close());
  const channels = [
    register('level', 'INTEGER', { offset: 7, dataType: 'INT16' }),
    register('total', 'LONG', { offset: 20, dataType: 'INT64' }),
    register('absent', 'INTEGER', { offset: 65_000, dataType: 'INT16' }),
    register('label', 'STRING', { offset: 40, dataType: 'STRING', length: 4 }),
    register('valve', 'BOOLEAN', { table: 'COILS', offset: 3, dataType: 'BOOLEAN' }),
  ];
  return startGateway(t, {
    config: {
      http: { ports: [0] },
      provision: {
        rest: {
          jwtAuthenticationEnabled: true,
          jwtAccessTokenDurationSeconds: 3600,
          basicAuthenticationEnabled: true,
        },
        identities: [
          { name: 'scada', permissions: ['rest.assets'], password: PASSWORD },
          { name: 'guest', permissions: [], password: PASSWORD },
        ],
        drivers: [
          { pid: 'line', type: 'modbus', host: '127.0.0.1', port: device.port },
          { pid: 'dead', type: 'modbus', host: '127.0.0.1', port: 1 },
        ],
        assets: [
          { pid: 'pump', driver: 'line', channels },
          { pid: 'gone', driver: 'dead', channels },
        ],
      },
    },
  });
}

async function call(
  t: TestContext,
  gateway: RunningGateway,
  port: number,
  run: { readonly paths: string; readonly headers?: readonly string[] },
): Promise<void> {
  const { json } = await send({ port, plain: true }, 'GET', '/services/openapi.json');
  const { status, output, cases } = await runSchemathesis(t, {
    url: `http://127.0.0.1:${port}`,
    description: seedDescription(json, SEEDS),
    seed: SEED,
    examples: EXAMPLES,
    ...run,
  });
  assert.equal(status, 0, output);
  assert.ok(cases > 50, output);
  t.diagnostic(`${cases} requests`);
  assert.equal((await send({ port, plain: true }, 'GET', '/healthz')).status, 200);
  assert.deepEqual(
    gateway.lines.filter(({ event }) => event === 'request.failed'),
    [],
  );
}

for (const [name, paths] of Object.entries(GROUPS)) {
  test(
    `every answer to an administrator who makes requests up is one of the description: ${name}`,
    needs('schemathesis', 'libmodbus'),
    async (t) => {
      const gateway = await start(t);
      // The local socket cannot be taken away from it, whatever it changes.
      const port = await forwardToSocket(t, path.join(gateway.dataDirectory, 'penstock.sock'));
      await call(t, gateway, port, { paths: `^${NO_STREAMS}${paths}` });
    },
  );
}

test(
  'every answer to an identity with few permissions that makes requests up is one of the description',
  needs('schemathesis', 'libmodbus'),
  async (t) => {
    const gateway = await start(t);
    const [port = 0] = gateway.httpPorts;
    const authorization = `Basic ${Buffer.from(`scada:${PASSWORD}`).toString('base64')}`;
    const { json } = await send({ port, plain: true }, 'POST', '/services/token/jwt/v1/issue', {
      headers: { Authorization: authorization },
    });
    const { accessToken } = answerOf(obtainTokens, { json });
    const headers = [`Authorization: Bearer ${accessToken}`];
    await call(t, gateway, port, { paths: `^${NO_STREAMS}`, headers });
  },
);

test('an answer that is not in the description is found', needs('schemathesis', 'libmodbus'), async (t) => {
  const gateway = await start(t);
  const port = await forwardToSocket(t, path.join(gateway.dataDirectory, 'penstock.sock'));
  const { text } = await send({ port, plain: true }, 'GET', '/services/openapi.json');
  const { status, output } = await runSchemathesis(t, {
    url: `http://127.0.0.1:${port}`,
    description: JSON.parse(text.replaceAll('"404":', '"410":')),
    paths: '^/services/assets/.pid.$',
    seed: SEED,
    examples: 3,
  });
  assert.equal(status, 1, output);
  assert.match(output, /Received: 404/);
});
