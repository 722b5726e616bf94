import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { startCommand } from '../daemon/cli/command.ts';
import { startGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import { answerOf } from '../support/answer-of.ts';
import { obtainTokens } from '../../daemon/interface/security/tokens.ts';

const PASSWORD = 'session-commands-password';
const ASSETS = '/services/assets';

async function setUp(t: TestContext) {
  const provision = {
    rest: { basicAuthenticationEnabled: true, jwtAuthenticationEnabled: true },
    identities: [
      { name: 'operator', permissions: ['rest.assets'], password: PASSWORD },
      { name: 'scada', permissions: ['rest.assets'], password: PASSWORD },
    ],
  };
  const gateway = await startGateway(t, { config: { provision } });
  const [port = 0] = gateway.httpsPorts;
  const login = async (name: string): Promise<SessionClient> => {
    const client = new SessionClient({ port });
    assert.equal((await client.login(name, PASSWORD)).status, 200);
    return client;
  };
  const issue = async (name: string): Promise<() => Promise<number>> => {
    const Authorization = `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`;
    const issued = await send({ port }, 'POST', '/services/token/jwt/v1/issue', {
      headers: { Authorization },
    });
    const { accessToken } = answerOf(obtainTokens, issued);
    const headers = { Authorization: `Bearer ${accessToken}` };
    return async () => (await send({ port }, 'GET', ASSETS, { headers })).status;
  };
  const socket = path.join(gateway.dataDirectory, 'penstock.sock');
  const penstock = async (...words: readonly string[]) => {
    const command = startCommand(t, words, { PENSTOCK_SOCKET: socket });
    const status = await command.ended;
    return { status, output: command.output(), errors: command.errors() };
  };
  return { gateway, login, issue, penstock };
}

test('penstock session lists and ends sessions, and asks before it does', async (t) => {
  const { gateway, login, penstock } = await setUp(t);
  const [first, second, scada] = [await login('operator'), await login('operator'), await login('scada')];
  const { output } = await penstock('session', 'list');
  const rows = output.trimEnd().split('\n');
  assert.match(rows[0] ?? '', /^ID +IDENTITY +BY +FROM +LAST USED +ENDS BY$/);
  assert.match(rows[1] ?? '', /^[0-9a-f]{16} +operator +password +127\.0\.0\.1 +\d{4}-\d\d-\d\d \d\d:\d\d/);
  assert.equal(rows.length, 4);
  const listed = JSON.parse((await penstock('session', 'list', '--json')).output) as readonly {
    readonly id: string;
  }[];
  const id = listed[0]?.id ?? assert.fail('no session is listed');

  const unasked = await penstock('session', 'end', id);
  assert.equal(unasked.status, 1);
  assert.match(unasked.errors, /--yes/);
  assert.equal((await first.send('GET', ASSETS)).status, 200);
  assert.equal((await penstock('session', 'end', id, '--yes')).status, 0);
  assert.equal((await first.send('GET', ASSETS)).status, 401);
  const again = await penstock('session', 'end', id, '--yes');
  assert.equal(again.status, 1);
  assert.match(again.errors, /unknown session/);

  const all = await penstock('session', 'end', '--identity', 'operator', '--yes');
  assert.deepEqual([all.status, all.errors], [0, '1 session of operator ended\n']);
  assert.equal((await second.send('GET', ASSETS)).status, 401);
  assert.equal((await scada.send('GET', ASSETS)).status, 200);
  for (const words of [['--yes'], [id, '--identity', 'scada', '--yes']]) {
    assert.equal((await penstock('session', 'end', ...words)).status, 2, words.join(' '));
  }
  for (const words of [
    ['', '--yes'],
    ['--identity', '', '--yes'],
    ['--identity', 'nobody', '--yes'],
  ]) {
    assert.equal((await penstock('session', 'end', ...words)).status, 1, words.join(' '));
  }
  assert.equal((await scada.send('GET', ASSETS)).status, 200);
  const ended = gateway.lines.filter(
    ({ auditEvent, outcome }) => auditEvent === 'SESSION_ENDED' && outcome === 'SUCCESS',
  );
  assert.deepEqual(
    ended.map(({ method, detail }) => [method, detail]),
    [
      ['local', { command: 'session end', userName: 'operator', sessions: 1 }],
      ['local', { command: 'session end', userName: 'operator', sessions: 1 }],
    ],
  );
});

test('penstock token revokes tokens and rotates the key, and asks where clients are cut off', async (t) => {
  const { issue, penstock } = await setUp(t);
  const [operator, scada] = [await issue('operator'), await issue('scada')];
  for (const words of [
    ['revoke', 'operator'],
    ['rotate-key', '--revoke'],
  ]) {
    const unasked = await penstock('token', ...words);
    assert.equal(unasked.status, 1);
    assert.match(unasked.errors, /--yes/);
  }
  assert.deepEqual([await operator(), await scada()], [200, 200]);
  const revoked = await penstock('token', 'revoke', 'operator', '--yes');
  assert.deepEqual([revoked.status, revoked.output], [0, '']);
  assert.deepEqual([await operator(), await scada()], [401, 200]);
  assert.equal((await penstock('token', 'revoke', 'nobody', '--yes')).status, 1);

  const rotated = await penstock('token', 'rotate-key');
  assert.equal(rotated.status, 0, rotated.errors);
  assert.match(rotated.output, /^local signs with the key [\w-]{43}; .* stay valid until they expire\n$/);
  assert.equal(await scada(), 200);
  const json = await penstock('token', 'rotate-key', '--revoke', '--yes', '--json');
  assert.deepEqual(Object.keys(JSON.parse(json.output) as object).toSorted(), ['kid', 'service']);
  assert.equal(await scada(), 401);
  const unknown = await penstock('token', 'rotate-key', '--service', 'other');
  assert.equal(unknown.status, 1);
});
