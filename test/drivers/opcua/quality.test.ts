import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { getClientCertificate } from '../../support/certificate-authority.ts';
import { EventStreamClient } from '../../support/event-stream-client.ts';
import { startGateway } from '../../support/gateway.ts';
import { send } from '../../support/https-client.ts';
import { NAMESPACE } from '../../support/opcua-server-nodes.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';
import { findProgram } from '../../support/programs.ts';

const runCli = promisify(execFile);
const CLI = findProgram('daemon/cli/main');

interface Shown {
  readonly channelStatus: { readonly channelFlag: string };
  readonly value?: unknown;
  readonly quality?: string;
  readonly statusCode?: string;
}

const CHANNELS = ['float', 'uncertain', 'bad', 'nothing'].map((name) => ({
  name,
  type: 'READ_WRITE',
  valueType: 'DOUBLE',
  address: { nodeId: `nsu=${NAMESPACE};s=${name}` },
}));

const shorten = (records: unknown): readonly unknown[] =>
  (records as readonly Shown[]).map(({ channelStatus, value, quality, statusCode }) => [
    channelStatus.channelFlag,
    typeof value,
    quality,
    statusCode,
  ]);

const EXPECTED = [
  ['SUCCESS', 'number', 'GOOD', undefined],
  ['SUCCESS', 'number', 'UNCERTAIN', 'UncertainLastUsableValue'],
  ['FAILURE', 'undefined', 'BAD', 'BadSensorFailure'],
  ['FAILURE', 'undefined', 'BAD', 'BadNodeIdUnknown'],
];

test('reads, kept values, streams and the command line show the quality that the server gives, failed writes its status', async (t) => {
  const directory = createTemporaryDirectory(t);
  await using server = await startOpcuaServer({ directory: path.join(directory, 'server') });
  const driver = {
    pid: 'plc',
    type: 'opcua',
    endpointUrl: server.endpointUrl,
    securityMode: 'NONE',
    acceptUncertain: true,
    connectTimeoutMs: 40_000,
    callDeadlineMs: 60_000,
  };
  const gateway = await startGateway(t, {
    config: {
      provision: {
        rest: { statelessCertificateAuthenticationEnabled: true },
        identities: [{ name: 'scada', permissions: ['rest.assets'] }],
        drivers: [driver],
        assets: [{ pid: 'plant', driver: 'plc', channels: CHANNELS }],
      },
    },
  });
  const pair = await getClientCertificate('scada');
  const [port = 0] = gateway.clientAuthPorts;
  const asset = '/services/assets/plant';
  assert.deepEqual(shorten((await send({ port, ...pair }, 'GET', `${asset}/_read`)).json), EXPECTED);
  const kept = await send({ port, ...pair }, 'GET', `${asset}/_read`, {
    headers: { 'Cache-Control': 'max-age=3600' },
  });
  assert.match(String(kept.headers.age), /^\d+$/);
  assert.deepEqual(shorten(kept.json), EXPECTED);
  const stream = new EventStreamClient(t, { port, path: `${asset}/_listen`, ...pair });
  const { data } = await stream.find(({ type }) => type === 'snapshot');
  assert.deepEqual(shorten(data), EXPECTED);
  const { stdout } = await runCli(process.execPath, [CLI, 'asset', 'read', 'plant', 'float', 'uncertain'], {
    env: { ...process.env, PENSTOCK_SOCKET: path.join(gateway.dataDirectory, 'penstock.sock') },
  });
  assert.match(stdout, /^NAME .* QUALITY +FAILURE\n/);
  assert.match(stdout, /^uncertain .* UNCERTAIN UncertainLastUsableValue *$/m);
  const channels = ['uncertain', 'nothing'].map((name) => ({ name, type: 'DOUBLE', value: 1 }));
  const { json } = await send({ port, ...pair }, 'POST', `${asset}/_write`, { body: { channels } });
  assert.deepEqual(shorten(json), [
    ['FAILURE', 'number', undefined, 'OPCUA_NODE_NOT_WRITABLE'],
    ['FAILURE', 'number', undefined, 'BadNodeIdUnknown'],
  ]);
});
