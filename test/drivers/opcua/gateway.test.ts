import assert from 'node:assert/strict';
import { readdirSync, renameSync } from 'node:fs';
import { Agent } from 'node:https';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { getClientCertificate } from '../../support/certificate-authority.ts';
import { startGateway } from '../../support/gateway.ts';
import type { RunningGateway } from '../../support/gateway.ts';
import { send } from '../../support/https-client.ts';
import { NAMESPACE } from '../../support/opcua-server-nodes.ts';
import { startOpcuaServer } from '../../support/opcua-server.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const nodeId = (name: string): string => `nsu=${NAMESPACE};s=${name}`;
const CHANNELS = [
  { name: 'energy', type: 'READ', valueType: 'LONG', address: { nodeId: nodeId('int64') } },
  { name: 'total', type: 'READ_WRITE', valueType: 'LONG', address: { nodeId: nodeId('writable.int64') } },
  { name: 'level', type: 'READ', valueType: 'FLOAT', address: { nodeId: nodeId('float') } },
];

async function createCaller(t: TestContext, { clientAuthPorts: [port = 0] }: RunningGateway) {
  const { certificate: cert, privateKey: key } = await getClientCertificate('scada');
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, cert, key });
  t.after(() => agent.destroy());
  return async (method: string, request: string, body?: unknown): Promise<string> => {
    const { status, text } = await send({ port, agent }, method, `/services/assets/plant/${request}`, {
      body,
    });
    assert.equal(status, 200);
    return text;
  };
}

test('a server is trusted without a restart, read and written over REST with every digit', async (t) => {
  const directory = createTemporaryDirectory(t);
  await using server = await startOpcuaServer({
    directory: path.join(directory, 'server'),
    securityModes: ['SignAndEncrypt'],
    securityPolicies: ['Aes256_Sha256_RsaPss'],
  });
  const driver = {
    pid: 'plc',
    type: 'opcua',
    endpointUrl: server.endpointUrl,
    securityPolicy: 'Aes256_Sha256_RsaPss',
    // Both sides create keys and certificates during this time, on machines that do other things as well.
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
  const call = await createCaller(t, gateway);
  assert.match(
    await call('GET', '_read'),
    /shows it and trusts it; it is [\w.-]+ in drivers\/opcua\/rejected/,
  );

  const lists = path.join(gateway.dataDirectory, 'drivers', 'opcua');
  const [file = ''] = readdirSync(path.join(lists, 'rejected'));
  renameSync(path.join(lists, 'rejected', file), path.join(lists, 'trusted', file));
  let answer = await call('GET', '_read');
  // The next attempt waits for its turn.
  while (answer.includes('FAILURE')) {
    await delay(50);
    answer = await call('GET', '_read');
  }
  assert.match(answer, /"name":"energy"[^}]*"value":9007199254740993\b/);
  assert.match(answer, /"name":"level"[^}]*"value":12\.34\b/);
  const channels = [{ name: 'total', type: 'LONG', value: '-9007199254740995' }];
  assert.match(await call('POST', '_write', { channels }), /"channelFlag":"SUCCESS"/);
  assert.match(await call('GET', '_read'), /"name":"total"[^}]*"value":-9007199254740995\b/);
});

test('a gateway that is stopped ends its session, and the server has room for another at once', async (t) => {
  const directory = createTemporaryDirectory(t);
  await using server = await startOpcuaServer({ directory: path.join(directory, 'server') });
  const { endpointUrl } = server;
  const driver = { pid: 'plc', type: 'opcua', endpointUrl, securityMode: 'NONE', callDeadlineMs: 60_000 };
  const gateway = await startGateway(t, {
    config: {
      provision: {
        rest: { statelessCertificateAuthenticationEnabled: true },
        identities: [{ name: 'scada', permissions: ['rest.assets'] }],
        drivers: [{ ...driver, connectTimeoutMs: 40_000 }],
        assets: [{ pid: 'plant', driver: 'plc', channels: CHANNELS }],
      },
    },
  });
  const call = await createCaller(t, gateway);
  assert.match(await call('GET', '_read'), /"name":"level"[^}]*"value":12\.34\b/);
  assert.equal(await server.countSessions(), 1);
  await server.countRequests();
  assert.equal(await gateway.stop(), 0);
  assert.equal((await server.countRequests())['CloseSessionRequest'], 1);
  assert.equal(await server.countSessions(), 0);
});
