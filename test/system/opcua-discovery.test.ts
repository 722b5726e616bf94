import assert from 'node:assert/strict';
import { request } from 'node:http';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { TestContext } from 'node:test';

import { runCommand } from '../daemon/cli/command.ts';
import { makeServerCertificate } from '../support/asyncua-certificate.ts';
import { startAsyncuaServer } from '../support/asyncua-server.ts';
import type { AsyncuaServer } from '../support/asyncua-server.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { needs } from '../support/tests-that-need.ts';

const POLICIES = ['Basic256Sha256_SignAndEncrypt'];
const TANK = 'nsu=urn:penstock:test;s=tank';
const TRUST = '/services/drivers/v1/plc/_trust';
let server: AsyncuaServer;

suite('with a server on asyncua', needs('asyncua', 'openssl'), () => {
  before(async () => {
    server = await startAsyncuaServer({ many: 3 });
  });
  after(() => server[Symbol.asyncDispose]());

  test('a server is found, trusted, browsed and read without touching a file', async (t) => {
    const { certificate, port } = await protect(t);
    const gateway = await startGateway(t);
    const { run, runJson, get } = createClient(t, gateway);

    const found = await run(`discover opcua 127.0.0.1:${port} --add --pid plc`);
    assert.equal(found.status, 0, found.errors);
    assert.match(found.output, /SIGN_AND_ENCRYPT with Basic256Sha256/);
    assert.match(found.output, /not trusted yet/);
    assert.deepEqual(await runJson('config get drivers'), [
      {
        pid: 'plc',
        type: 'opcua',
        endpointUrl: `opc.tcp://127.0.0.1:${port}`,
        securityMode: 'SIGN_AND_ENCRYPT',
        securityPolicy: 'Basic256Sha256',
      },
    ]);

    // Without a person at a terminal it is shown, and no more than that.
    const shown = await run('driver trust plc');
    assert.equal(shown.status, 1);
    assert.match(shown.output, /^Certificate: +O=Example, CN=PLC 7$/m);
    assert.ok(shown.errors.includes(`--fingerprint ${toDigits(certificate.fingerprint256)}`));
    const other = await run(`driver trust plc --fingerprint ${'0'.repeat(64)}`);
    assert.deepEqual([other.status, (await get(TRUST)).body.includes('trustedAs')], [1, false]);
    const trusted = await run(`driver trust plc --fingerprint ${certificate.fingerprint256}`);
    assert.equal(trusted.status, 0, trusted.errors);
    assert.match(trusted.errors, /plc is connected/);
    const [driver] = (await runJson('driver list')) as readonly { readonly state: string }[];
    assert.equal(driver?.state, 'CONNECTED');

    const browsed = (await runJson('driver browse plc', TANK)) as {
      readonly nodes: readonly { readonly browseName: string }[];
    };
    assert.ok(browsed.nodes.some(({ browseName }) => browseName === 'Temperature'));
    const added = await run('discover driver plc --add --node', TANK);
    assert.equal(added.status, 0, added.errors);
    const read = await run('asset read tank');
    assert.match(read.output, /^Temperature +61\.5 +°C/m);
    // What is configured already is not added again.
    assert.match((await run('discover driver plc --add --node', TANK)).errors, /already configured/);

    const { output } = await run('audit list --event TRUST_CHANGED --json');
    const events = JSON.parse(output) as readonly AuditEvent[];
    assert.deepEqual(
      events.map(({ outcome, detail }) => [outcome, detail?.['operation'], detail?.['fingerprint']]),
      [['SUCCESS', 'TRUSTED', toDigits(certificate.fingerprint256)]],
    );

    const removed = await run('driver trust plc --remove');
    assert.equal(removed.status, 0, removed.errors);
    assert.equal((await get(TRUST)).body.includes('trustedAs'), false);
  });

  test('a server at an address of digits is named as it calls itself, and so is its asset', async (t) => {
    await server.reset();
    const { run, runJson } = createClient(t, await startGateway(t));
    const found = await run(`discover opcua 127.0.0.1:${server.port} --add`);
    assert.equal(found.status, 0, found.errors);
    const [drivers, assets] = [await runJson('config get drivers'), await runJson('config get assets')];
    const pidsOf = (items: unknown): readonly unknown[] =>
      (items as readonly { readonly pid: string }[]).map(({ pid }) => pid);
    assert.deepEqual(
      [pidsOf(drivers), pidsOf(assets)],
      [['FreeOpcUa_Python_Server'], ['FreeOpcUa_Python_Server']],
    );
    const again = await run(`discover opcua 127.0.0.1:${server.port} --add`);
    assert.match(again.errors, /discover driver FreeOpcUa_Python_Server --add/);
    const behind = await run('discover driver FreeOpcUa_Python_Server --add');
    assert.match(behind.errors, /already configured/);
  });

  test('REST refuses a fingerprint that the server does not present, and what it cannot ask', async (t) => {
    const { port } = await protect(t);
    const endpointUrl = `opc.tcp://127.0.0.1:${port}`;
    const gateway = await startGateway(t, {
      config: {
        provision: {
          drivers: [
            { pid: 'plc', type: 'opcua', endpointUrl },
            { pid: 'away', type: 'opcua', endpointUrl: 'opc.tcp://127.0.0.1:1' },
            { pid: 'line', type: 'modbus', host: '127.0.0.1', port: 1 },
          ],
        },
      },
    });
    const { get, send } = createClient(t, gateway);
    const changed = await send('POST', TRUST, { fingerprint: '0'.repeat(64) });
    assert.equal(changed.status, 409);
    assert.match(changed.body, /presents a different certificate/);
    const statuses = [];
    for (const [method, where, body] of [
      ['POST', TRUST, { fingerprint: 'abc' }],
      ['GET', '/services/drivers/v1/line/_trust'],
      ['GET', '/services/drivers/v1/nothing/_trust'],
      ['GET', '/services/drivers/v1/away/_trust'],
      ['DELETE', `${TRUST}?fingerprint=${'0'.repeat(64)}`],
      ['GET', '/services/drivers/v1/line/_browse'],
      ['GET', '/services/drivers/v1/away/_browse'],
      ['GET', '/services/drivers/v1/plc/_browse?limit=5000'],
      ['GET', '/services/drivers/v1/plc/_browse?from=-1'],
    ] as const) {
      statuses.push((await send(method, where, body)).status);
    }
    assert.deepEqual(statuses, [400, 400, 404, 502, 404, 400, 502, 400, 400]);
    const { fingerprint } = JSON.parse((await get(TRUST)).body) as { readonly fingerprint: string };
    assert.equal((await send('POST', TRUST, { fingerprint })).status, 200);
    const page = await get(`/services/drivers/v1/plc/_browse?node=${encodeURIComponent(TANK)}&limit=2`);
    assert.equal(page.status, 200, page.body);
    const { nodes, next } = JSON.parse(page.body) as {
      readonly nodes: readonly object[];
      readonly next: number;
    };
    assert.deepEqual([nodes.length, next], [2, 2]);
    assert.equal((await get('/services/drivers/v1/plc/_browse?node=Boiler')).status, 400);
    assert.equal((await get('/services/drivers/v1/plc/_browse?node=ns%3D2%3Bs%3Dno')).status, 502);
  });
});

interface AuditEvent {
  readonly outcome: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Gives the server another certificate, which it shows with its endpoints. */
async function protect(t: TestContext) {
  const directory = createTemporaryDirectory(t);
  const certificate = makeServerCertificate(directory);
  await server.reset({ directory, policies: POLICIES });
  return { certificate, port: server.port };
}

function createClient(t: TestContext, { dataDirectory }: RunningGateway) {
  const socketPath = path.join(dataDirectory, 'penstock.sock');
  const run = (line: string, ...more: readonly string[]) =>
    runCommand(t, [...line.split(' '), ...more, '--socket', socketPath]);
  const send = (method: string, where: string, body?: unknown) => sendOver(socketPath, method, where, body);
  return {
    run,
    runJson: async (line: string, ...more: readonly string[]): Promise<unknown> =>
      JSON.parse((await run(line, ...more, '--json')).output) as unknown,
    send,
    get: (where: string) => send('GET', where),
  };
}

function sendOver(
  socketPath: string,
  method: string,
  where: string,
  body: unknown,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const sent = request({ socketPath, method, path: where, headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.once('end', () => resolve({ status: answer.statusCode, body: text }));
    });
    sent.once('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function toDigits(fingerprint: string): string {
  return fingerprint.replaceAll(':', '').toLowerCase();
}
