import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { openStore } from '../../daemon/base/store/store.ts';
import type { Migrations } from '../../daemon/base/store/store.ts';
import { configurationMigrations } from '../../daemon/configuration/store/snapshot-store.ts';
import { identityMigrations } from '../../daemon/security/identity/sqlite-identity-store.ts';
import { runCommand } from '../daemon/cli/command.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { answerOf } from '../support/answer-of.ts';
import { readDrift } from '../../daemon/interface/configuration/drift.ts';
import { checkStatus } from '../../daemon/interface/status.ts';

const PASSWORD = 'stored-secret-test-password';
const CANARY = 'canary-of-the-plc-7f3a';
const TOTP = Buffer.from('canary-of-the-second');
const PLC = {
  pid: 'plc',
  type: 'opcua',
  endpointUrl: 'opc.tcp://127.0.0.1:9',
  userName: 'u',
  password: CANARY,
};
const KEPT = { ...PLC, password: { isSet: true } };
const UNREADABLE = 'the password cannot be decrypted; set it again';
const IDENTITIES = [{ name: 'chief', permissions: ['rest.admin'], password: PASSWORD }];
const CONFIG = { provision: { identities: IDENTITIES } };

/** Returns the files of the data directory that contain a text in clear. */
function findIn(directory: string, text: string | Buffer): readonly string[] {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8', withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => path.join(file.parentPath, file.name))
    .filter((file) => readFileSync(file).includes(text));
}

async function logIn(gateway: RunningGateway) {
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  assert.equal((await client.login('chief', PASSWORD)).status, 200);
  const ask = (method: string, place: string, body?: unknown) =>
    client.send(method, `/services/${place}`, { body, headers: { 'If-Match': '*' } });
  const checks = async () => {
    const { json } = await ask('GET', 'status/v1');
    const { checks: all } = answerOf(checkStatus, { json });
    return all.filter(({ check }) => check === 'secret');
  };
  return { ask, checks };
}

async function startAgain(t: TestContext, { directory }: RunningGateway) {
  const gateway = await startGateway(t, { directory, config: CONFIG });
  return { gateway, ...(await logIn(gateway)) };
}

test('the password of a driver is in no file but those of the administrator, and survives a restart', async (t) => {
  const config = { provision: { identities: IDENTITIES, drivers: [PLC] } };
  const gateway = await startGateway(t, { config });
  const { ask } = await logIn(gateway);
  const put = await ask('PUT', 'configuration/v1/drivers/plc', { ...PLC, requestTimeoutMs: 70 });
  assert.equal(put.status, 200, put.text);
  assert.deepEqual(findIn(gateway.dataDirectory, CANARY), []);
  await gateway.stop();
  assert.deepEqual(findIn(gateway.dataDirectory, CANARY), []);
  // The same file again is no change, although its digest does not contain the password.
  const again = await startGateway(t, { directory: gateway.directory, config });
  const { ask: askAgain, checks } = await logIn(again);
  const { json } = await askAgain('GET', 'configuration/v1/drivers/plc');
  assert.deepEqual(json, { ...KEPT, requestTimeoutMs: 70 });
  assert.deepEqual(await checks(), []);
  assert.deepEqual(answerOf(readDrift, await askAgain('GET', 'configuration/v1/drift')).drift.length, 1);
});

test('what an earlier release stored in clear text is encrypted at the start, and gone from the files', async (t) => {
  const directory = createTemporaryDirectory(t);
  const dataDirectory = path.join(directory, 'data');
  mkdirSync(dataDirectory, { mode: 0o700 });
  const withoutLast = (tables: Migrations): Migrations => ({
    module: tables.module,
    steps: tables.steps.slice(0, -1),
  });
  const ofThen = [withoutLast(identityMigrations), withoutLast(configurationMigrations)];
  const store = openStore(path.join(dataDirectory, 'penstock.db'), ofThen);
  const insert = store.database.prepare(
    'INSERT INTO configuration_snapshot (created_at_ms, document) VALUES (0, ?)',
  );
  for (let each = 0; each < 30; each += 1) {
    insert.run(JSON.stringify({ drivers: [{ ...PLC, requestTimeoutMs: 100 + each }] }));
  }
  store.database.exec(`DELETE FROM configuration_snapshot WHERE id BETWEEN 5 AND 20;
    INSERT INTO identity VALUES (1, 'one', 'scada', '', null, 0, 1, 0, '[]', null, null, 0)`);
  store.database.prepare("INSERT INTO second_factor VALUES ('one', ?, '', '')").run(TOTP);
  store.close();
  assert.equal(findIn(dataDirectory, CANARY).length, 1);
  const gateway = await startGateway(t, { directory, config: CONFIG });
  await gateway.line('secrets.encrypted');
  assert.deepEqual([findIn(dataDirectory, CANARY), findIn(dataDirectory, TOTP)], [[], []]);
  const { ask } = await logIn(gateway);
  assert.equal((await ask('POST', 'configuration/v1/snapshots/3/_rollback')).status, 200);
  assert.deepEqual((await ask('GET', 'configuration/v1/drivers/plc')).json, {
    ...KEPT,
    requestTimeoutMs: 102,
  });
});

test('a lost key costs the secrets and nothing else; the key back, or the password anew, cures it', async (t) => {
  const first = await startGateway(t, { config: CONFIG });
  const { ask } = await logIn(first);
  assert.equal((await ask('PUT', 'configuration/v1/drivers/plc', PLC)).status, 200);
  await first.stop();
  const key = path.join(first.dataDirectory, 'secrets.key');
  cpSync(key, `${first.directory}/secrets.key`);
  rmSync(key);

  const lost = await startAgain(t, first);
  const finding = {
    code: 'SECRETS_UNREADABLE',
    message: UNREADABLE,
    parameters: { secrets: ['password'] },
  };
  assert.deepEqual(await lost.checks(), [
    { check: 'secret', name: 'plc', state: 'WRONG', detail: UNREADABLE, finding },
  ]);
  const warning = await lost.gateway.line('configuration.warningFound');
  assert.equal(warning['warning'], `driver plc: ${UNREADABLE}`);
  const tried = await lost.ask('POST', 'drivers/v1/plc/_test');
  assert.match(tried.text, /FAILED.*the password cannot be decrypted; set it again.*SECRET_UNREADABLE/);
  const { output, errors } = await runCommand(t, [
    'doctor',
    '--config',
    lost.gateway.configFile,
    '--socket',
    path.join(lost.gateway.dataDirectory, 'penstock.sock'),
  ]);
  assert.match(output, /secrets of plc[^]*cannot be decrypted/, errors);
  const kept = await lost.ask('PUT', 'configuration/v1/drivers/plc', { ...KEPT, requestTimeoutMs: 70 });
  assert.equal(kept.status, 200, 'other settings can be changed');
  await lost.gateway.stop();

  renameSync(`${first.directory}/secrets.key`, key);
  const found = await startAgain(t, first);
  assert.deepEqual(await found.checks(), []);
  await found.gateway.stop();

  rmSync(key);
  const again = await startAgain(t, first);
  assert.equal((await again.checks()).length, 1);
  assert.equal((await again.ask('PUT', 'configuration/v1/drivers/plc', PLC)).status, 200);
  assert.deepEqual(await again.checks(), []);
});
