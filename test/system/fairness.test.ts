import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startGateway } from '../support/gateway.ts';
import { send } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';

const PASSWORD = 'turbine-password';
const PATH = '/services/session/v1/login/password';
const administrator = { name: 'boss', permissions: ['rest.admin'], password: PASSWORD };
const panel = { name: 'panel', permissions: [], password: PASSWORD };
const historian = { name: 'historian', permissions: [] };
const newcomer = { name: 'newcomer', permissions: [], password: PASSWORD, passwordChangeNeeded: true };

async function startWithIdentities(t: Parameters<typeof startGateway>[0]) {
  const identities = [administrator, panel, historian, newcomer];
  // Without handshakes a volley arrives at once.
  const config = { provision: { identities }, http: { ports: [0] } };
  const gateway = await startGateway(t, { config });
  const port = gateway.httpPorts[0] ?? 0;
  const login = (username: string, password: string): Promise<ClientAnswer> =>
    send({ port, plain: true }, 'POST', PATH, { body: { username, password } });
  return { gateway, login };
}

function countStatuses(answers: readonly ClientAnswer[]): Readonly<Record<number, number>> {
  const groups = Map.groupBy(answers, ({ status }) => status);
  return Object.fromEntries([...groups].map(([status, { length }]) => [status, length]));
}

test('a volley of right logins of one identity does not keep another one out', async (t) => {
  const { login } = await startWithIdentities(t);
  const volley = Array.from({ length: 40 }, () => login('panel', PASSWORD));
  const boss = await login('boss', PASSWORD);
  assert.equal(boss.status, 200);
  const statuses = countStatuses(await Promise.all(volley));
  assert.ok((statuses[200] ?? 0) >= 5, JSON.stringify(statuses));
  const again = await login('panel', PASSWORD);
  assert.equal(again.status, 200);
});

test('a client that opens ten connections at once logs in on each of them', async (t) => {
  const { login } = await startWithIdentities(t);
  const answers = await Promise.all(Array.from({ length: 10 }, () => login('panel', PASSWORD)));
  assert.deepEqual(countStatuses(answers), { 200: 10 });
});

test('of a volley of wrong passwords no more are checked than one after the other would be', async (t) => {
  const { login } = await startWithIdentities(t);
  const answers = await Promise.all(Array.from({ length: 40 }, () => login('panel', 'wrong')));
  assert.deepEqual(countStatuses(answers), { 401: 5, 429: 35 });
  for (const { status, headers } of answers) {
    if (status === 429) assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/);
  }
});

test('an address that has to wait learns nothing about names', async (t) => {
  const { login } = await startWithIdentities(t);
  assert.equal((await login('panel', PASSWORD)).status, 200);
  assert.equal((await login('boss', PASSWORD)).status, 200);
  for (let index = 0; ; index += 1) {
    const { headers } = await login(`made-up-${index}`, 'wrong');
    // Long enough for the requests that follow.
    if (Number(headers['retry-after'] ?? 0) >= 4) break;
  }
  const names = ['panel', 'boss', 'historian', 'newcomer', 'nobody', 'made-up-1'];
  const answers = await Promise.all(names.map((name) => login(name, 'wrong')));
  const shown = answers.map(({ status, text, headers }) => ({
    status,
    text,
    retryAfter: headers['retry-after'],
    challenge: headers['www-authenticate'],
  }));
  assert.deepEqual(new Set(shown.map((answer) => JSON.stringify(answer))).size, 1, JSON.stringify(shown));
  assert.equal(shown[0]?.status, 429);
  assert.equal((await login('panel', PASSWORD)).status, 200);
});
