import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { runCommand } from '../daemon/cli/command.ts';
import { startGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { failureOf } from '../support/answer-of.ts';

const PASSWORD = 'secret-target-test-password';
const ROOT = '/services/configuration/v1';
const SECRET = { isSet: true };
const PLC = {
  pid: 'plc',
  type: 'opcua',
  endpointUrl: 'opc.tcp://127.0.0.1:9',
  userName: 'operator',
  password: 'canary-of-the-plc',
};
const MOVED = { ...PLC, endpointUrl: 'opc.tcp://127.0.0.2:9', password: SECRET };

async function setUp(t: TestContext) {
  const identities = [{ name: 'engineer', permissions: ['rest.configuration'], password: PASSWORD }];
  const gateway = await startGateway(t, { config: { provision: { identities } } });
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  assert.equal((await client.login('engineer', PASSWORD)).status, 200);
  const ask = (method: string, place: string, body?: unknown): Promise<ClientAnswer> =>
    client.send(method, `${ROOT}${place}`, { body, headers: { 'If-Match': '*' } });
  assert.equal((await ask('PUT', '/drivers/plc', PLC)).status, 200);
  const run = (...words: string[]) =>
    runCommand(t, [...words, '--socket', path.join(gateway.dataDirectory, 'penstock.sock')]);
  return { gateway, client, ask, run };
}

test('every route refuses to send the stored password of a driver to another address', async (t) => {
  const { ask } = await setUp(t);
  const attempts = [
    await ask('PUT', '/', { drivers: [MOVED] }),
    await ask('PUT', '/drivers', [MOVED]),
    await ask('PUT', '/drivers/plc', MOVED),
    await ask('PUT', '/drivers/plc?dryRun=true', MOVED),
    await ask('PUT', '/drivers/plc?confirmWithin=60', MOVED),
  ];
  for (const { status, json } of attempts) {
    assert.equal(status, 400);
    const { faults = [] } = failureOf({ json });
    assert.deepEqual(
      faults.map((fault) => fault.path),
      ['drivers[0].password'],
    );
    assert.match(faults[0]?.message ?? '', /\(endpointUrl\): enter the password again$/);
  }
  assert.equal(
    (await ask('PUT', '/drivers/plc', { ...PLC, requestTimeoutMs: 5, password: SECRET })).status,
    200,
  );
  assert.equal((await ask('PUT', '/drivers/plc', { ...MOVED, password: 'canary-2' })).status, 200);
});

test('a rollback restores a password with the address that it was stored for', async (t) => {
  const { ask } = await setUp(t);
  assert.equal((await ask('PUT', '/drivers/plc', { ...MOVED, password: 'canary-2' })).status, 200);
  const rolledBack = await ask('POST', '/snapshots/1/_rollback');
  assert.equal(rolledBack.status, 200, rolledBack.text);
  const { json } = await ask('GET', '/drivers/plc');
  assert.deepEqual(json, { ...PLC, password: SECRET });
  assert.equal((await ask('PUT', '/drivers/plc', MOVED)).status, 400);
});

test('a driver taken away and made anew under its pid has no password to keep', async (t) => {
  const { ask } = await setUp(t);
  assert.equal((await ask('DELETE', '/drivers/plc')).status, 200);
  assert.equal((await ask('PUT', '/drivers/plc', { ...PLC, password: SECRET })).status, 400);
});

test('the command line tells to give the password again, and takes it', async (t) => {
  const { run } = await setUp(t);
  const refused = await run('driver', 'set', 'plc', '--endpointUrl', MOVED.endpointUrl, '--yes');
  assert.equal(refused.status, 2);
  assert.match(refused.errors, /password.*enter the password again/);
  const file = path.join(createTemporaryDirectory(t), 'password');
  writeFileSync(file, 'canary-2\n');
  const again = ['--password', `@${file}`, '--yes'];
  const given = await run('driver', 'set', 'plc', '--endpointUrl', MOVED.endpointUrl, ...again);
  assert.equal(given.status, 0, given.errors);
  const kept = await run('driver', 'set', 'plc', '--requestTimeoutMs', '500', '--yes');
  assert.equal(kept.status, 0, kept.errors);
});

test('a scan of a device that is not configured knows no stored password', async (t) => {
  const { client } = await setUp(t);
  const { pid: _pid, type, ...settings } = MOVED;
  const answer = await client.send('POST', '/services/drivers/v1/_scan', { body: { type, settings } });
  assert.equal(answer.status, 400, answer.text);
  assert.match(answer.text, /settings\.password/);
});

test('a provision file cannot keep a password by its marker', async (t) => {
  const { gateway } = await setUp(t);
  const line = await gateway.reload({ provision: { drivers: [MOVED] } });
  assert.equal(line.event, 'reload.failed');
  assert.match(JSON.stringify(line), /password/);
});
