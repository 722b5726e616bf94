import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createAuthenticatorApp } from '../support/authenticator-app.ts';
import { getClientCertificate } from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { answerOf } from '../support/answer-of.ts';
import { readIdentity } from '../../daemon/interface/security/identities.ts';
import { listAuditEvents } from '../../daemon/interface/security/audit.ts';
import { beginSecondFactor, confirmSecondFactor } from '../../daemon/interface/security/second-factor.ts';
import { obtainTokens } from '../../daemon/interface/security/tokens.ts';

const SESSION = '/services/session/v1';
const FACTOR = `${SESSION}/secondFactor`;
const IDENTITIES = '/services/identity/v1/identities';
const PASSWORD = 'turbine-password';
const NEEDED = { message: 'a second-factor code is required', secondFactorNeeded: true };
const WRONG = {
  message: 'the second-factor code is incorrect or already used',
  secondFactorNeeded: true,
};

const config = {
  provision: {
    rest: {
      basicAuthenticationEnabled: true,
      jwtAuthenticationEnabled: true,
      statelessCertificateAuthenticationEnabled: true,
    },
    identities: [
      { name: 'operator', permissions: ['rest.assets'], password: PASSWORD },
      { name: 'chief', permissions: ['rest.admin'], password: PASSWORD },
      { name: 'newcomer', permissions: ['rest.assets'], password: PASSWORD, secondFactorRequired: true },
    ],
  },
};

/** A gateway, and what clients do there. */
function connect({ httpsPorts: [port = 0] }: RunningGateway) {
  const basic = (name: string) => `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`;
  return {
    port,
    client: () => new SessionClient({ port }),
    login: async (name: string, code?: string) => {
      const client = new SessionClient({ port });
      return { client, answer: await client.login(name, PASSWORD, code) };
    },
    byBasic: (name: string) =>
      send({ port }, 'GET', '/services/assets', { headers: { Authorization: basic(name) } }),
  };
}

async function begin(client: SessionClient): Promise<{ readonly secret: string; readonly uri: string }> {
  const answer = await client.send('POST', `${FACTOR}/begin`, { body: { currentPassword: PASSWORD } });
  assert.equal(answer.status, 200, answer.text);
  return answerOf(beginSecondFactor, answer);
}

function confirm(client: SessionClient, secondFactorCode: unknown): Promise<ClientAnswer> {
  return client.send('POST', `${FACTOR}/confirm`, { body: { secondFactorCode } });
}

/** Sets up a second factor; the code of the present step is used by that. */
async function enrol(client: SessionClient) {
  const { secret } = await begin(client);
  const app = createAuthenticatorApp(secret);
  const answer = await confirm(client, app());
  assert.equal(answer.status, 200, answer.text);
  const { recoveryCodes } = answerOf(confirmSecondFactor, answer);
  return { secret, app, recoveryCodes };
}

async function setUp(t: TestContext) {
  const gateway = await startGateway(t, { config });
  return { gateway, ...connect(gateway) };
}

test('an identity sets up a second factor, which is then demanded of its password, and of nothing else', async (t) => {
  const { gateway, login, byBasic, port } = await setUp(t);
  const { client } = await login('operator');
  const issued = await client.send('POST', '/services/token/jwt/v1/issue');
  const { accessToken } = answerOf(obtainTokens, issued);
  const other = (await login('operator')).client;
  assert.equal((await byBasic('operator')).status, 200);
  assert.deepEqual((await client.send('GET', FACTOR)).json, {
    secondFactorEnabled: false,
    secondFactorRequired: false,
    recoveryCodesLeft: 0,
  });

  const { app, recoveryCodes } = await enrol(client);
  assert.equal(recoveryCodes.length, 10);
  for (const session of [client, other]) {
    assert.equal((await session.send('GET', '/services/assets')).status, 401, 'the sessions have ended');
  }
  assert.equal((await byBasic('operator')).status, 401);
  const certificate = await getClientCertificate('operator');
  const byCertificate = { port: gateway.clientAuthPorts[0] ?? 0, ...certificate };
  assert.equal((await send(byCertificate, 'GET', '/services/assets')).status, 200);
  const bearer = { headers: { Authorization: `Bearer ${accessToken}` } };
  assert.equal((await send({ port }, 'GET', '/services/assets', bearer)).status, 200);

  const without = (await login('operator')).answer;
  assert.deepEqual([without.status, without.json], [401, NEEDED]);
  assert.equal(without.headers['set-cookie'], undefined);
  const blanks = app(1).replace(/^.../, '$& ');
  const { client: again, answer } = await login('operator', blanks);
  assert.deepEqual([answer.status, answer.json], [200, { passwordChangeNeeded: false }]);
  assert.equal((await again.send('GET', '/services/assets')).status, 200);
  const status = (await again.send('GET', FACTOR)).json;
  assert.deepEqual(status, {
    secondFactorEnabled: true,
    secondFactorRequired: false,
    recoveryCodesLeft: 10,
  });
});

test('a code works once: also for logins at once, and after a restart', async (t) => {
  const { gateway, login } = await setUp(t);
  const { app } = await enrol((await login('operator')).client);
  const code = app(1);
  const answers = await Promise.all(Array.from({ length: 4 }, () => login('operator', code)));
  const statuses = answers.map(({ answer }) => answer.status).toSorted((a, b) => a - b);
  assert.deepEqual([statuses[0], statuses.filter((status) => status !== 200).length], [200, 3]);
  await gateway.stop();
  const next = connect(await startGateway(t, { directory: gateway.directory }));
  const replayed = (await next.login('operator', code)).answer;
  assert.deepEqual([replayed.status, replayed.json], [401, WRONG]);
});

test('each recovery code logs in once; both proofs renew them and end the second factor', async (t) => {
  const { login } = await setUp(t);
  const { recoveryCodes: codes } = await enrol((await login('operator')).client);
  const { client, answer } = await login('operator', codes[0]?.toLowerCase());
  assert.equal(answer.status, 200);
  assert.deepEqual((await login('operator', codes[0])).answer.json, WRONG);
  const ask = (name: string, currentPassword: string, secondFactorCode?: string) =>
    client.send('POST', `${FACTOR}/${name}`, { body: { currentPassword, secondFactorCode } });
  assert.deepEqual((await ask('renewRecoveryCodes', PASSWORD)).json, NEEDED);
  assert.equal((await ask('renewRecoveryCodes', ' ', codes[1])).status, 400);
  const wrong = await ask('renewRecoveryCodes', 'wrong', codes[1]);
  assert.deepEqual([wrong.status, wrong.json], [401, { message: 'the current password is incorrect' }]);
  const renewed = await ask('renewRecoveryCodes', PASSWORD, codes[1]);
  assert.equal(renewed.status, 200);
  const { recoveryCodes } = answerOf(confirmSecondFactor, renewed);
  assert.deepEqual((await ask('remove', PASSWORD, codes[2])).json, WRONG);
  const removed = await ask('remove', PASSWORD, recoveryCodes[0]);
  assert.deepEqual([removed.status, removed.text], [204, '']);
  assert.match(removed.headers['set-cookie']?.[0] ?? '', /^JSESSIONID=; Max-Age=0; /);
  assert.equal((await client.send('GET', '/services/assets')).status, 401, 'the sessions have ended');
  const plain = await login('operator');
  assert.equal(plain.answer.status, 200);
  const late = { body: { currentPassword: PASSWORD, secondFactorCode: recoveryCodes[1] } };
  assert.equal((await plain.client.send('POST', `${FACTOR}/remove`, late)).status, 409);
});

test('where a second factor is required, the password opens what sets it up, and then everything', async (t) => {
  const { login, byBasic } = await setUp(t);
  const { client, answer } = await login('newcomer');
  const locked = { passwordChangeNeeded: false, secondFactorEnrolmentNeeded: true };
  assert.deepEqual([answer.status, answer.json], [200, locked]);
  for (const where of ['/services/assets', `${SESSION}/currentIdentity`]) {
    assert.equal((await client.send('GET', where)).status, 401, where);
  }
  assert.equal((await client.send('POST', '/services/token/jwt/v1/issue')).status, 403);
  assert.equal((await byBasic('newcomer')).status, 401);
  assert.equal((await client.send('GET', FACTOR)).status, 200);
  const removal = { body: { currentPassword: PASSWORD } };
  assert.equal((await client.send('POST', `${FACTOR}/remove`, removal)).status, 401);
  const { app } = await enrol(client);
  const opened = await login('newcomer', app(1));
  assert.deepEqual(opened.answer.json, { passwordChangeNeeded: false });
  assert.equal((await opened.client.send('GET', '/services/assets')).status, 200);
});

test('an administrator requires and resets a second factor; a password that it sets changes neither', async (t) => {
  const { login } = await setUp(t);
  const chief = (await login('chief')).client;
  const put = (body: object) => chief.send('PUT', IDENTITIES, { body: { userName: 'operator', ...body } });
  const { client } = await login('operator');
  assert.equal((await put({ secondFactorEnabled: true })).status, 400);
  assert.equal((await put({ secondFactorRequired: true })).status, 200);
  const named = { body: { userName: 'operator' } };
  const required = answerOf(
    readIdentity,
    await chief.send('POST', '/services/identity/v1/identities/byName', named),
  );
  assert.deepEqual(
    { ...required, permissions: [] },
    {
      userName: 'operator',
      passwordAuthEnabled: true,
      passwordChangeNeeded: false,
      secondFactorEnabled: false,
      secondFactorRequired: true,
      permissions: [],
      grants: [],
    },
  );
  assert.equal((await client.send('GET', '/services/assets')).status, 401, 'the open session is locked');
  await enrol(client);
  assert.equal((await put({ password: PASSWORD, passwordChangeNeeded: false })).status, 200);
  assert.deepEqual((await login('operator')).answer.json, NEEDED);
  assert.equal((await put({ secondFactorEnabled: false, secondFactorRequired: false })).status, 200);
  assert.deepEqual((await login('operator')).answer.json, { passwordChangeNeeded: false });
});

test('the change of a password comes before the second factor, and keeps it', async (t) => {
  const { login, client: create } = await setUp(t);
  const chief = (await login('chief')).client;
  const put = (body: object) => chief.send('PUT', IDENTITIES, { body: { userName: 'newcomer', ...body } });
  await put({ passwordChangeNeeded: true });
  const { client, answer } = await login('newcomer');
  assert.deepEqual(answer.json, { passwordChangeNeeded: true, secondFactorEnrolmentNeeded: true });
  assert.equal((await client.send('GET', FACTOR)).status, 401);
  const next = 'another-password';
  const change = { body: { currentPassword: PASSWORD, newPassword: next } };
  assert.equal((await client.send('POST', `${SESSION}/changePassword`, change)).status, 204);
  await client.login('newcomer', next);
  const begun = await client.send('POST', `${FACTOR}/begin`, { body: { currentPassword: next } });
  const app = createAuthenticatorApp(answerOf(beginSecondFactor, begun).secret);
  await confirm(client, app());
  const enrolled = create();
  assert.equal((await enrolled.login('newcomer', next, app(1))).status, 200);
  const back = { body: { currentPassword: next, newPassword: PASSWORD } };
  assert.equal((await enrolled.send('POST', `${SESSION}/changePassword`, back)).status, 204);
  assert.deepEqual((await login('newcomer')).answer.json, NEEDED);
});

test('bad input gets no further', async (t) => {
  const { login, port } = await setUp(t);
  const { client } = await login('operator');
  assert.equal((await confirm(client, '123456')).status, 409, 'nothing was begun');
  const wrong = await client.send('POST', `${FACTOR}/begin`, { body: { currentPassword: 'wrong' } });
  assert.deepEqual([wrong.status, wrong.json], [401, { message: 'the current password is incorrect' }]);
  const first = await begin(client);
  const { secret } = await begin(client);
  const app = createAuthenticatorApp(secret);
  const bodies = [{}, { secondFactorCode: 123456 }, { secondFactorCode: 'x'.repeat(65) }, { code: '1' }];
  for (const body of bodies) {
    const what = JSON.stringify(body).slice(0, 40);
    assert.equal((await client.send('POST', `${FACTOR}/confirm`, { body })).status, 400, what);
  }
  for (const code of ['', '12345', `${app()}1`, 'abcdef', createAuthenticatorApp(first.secret)()]) {
    const answer = await confirm(client, code);
    assert.deepEqual([answer.status, answer.json], [401, WRONG], code);
  }
  const other = (await login('operator')).client;
  assert.equal((await confirm(other, app())).status, 409, 'begun in another session');
  await client.send('POST', `${SESSION}/logout`);
  assert.equal((await confirm(client, app())).status, 401, 'the session has ended');

  const { recoveryCodes } = await enrol(other);
  const body = { username: 'operator', password: PASSWORD, secondFactorCode: 123456 };
  assert.equal((await send({ port }, 'POST', `${SESSION}/login/password`, { body })).status, 400);
  const guess = { username: 'operator', password: 'wrong', secondFactorCode: recoveryCodes[0] };
  const refused = await send({ port }, 'POST', `${SESSION}/login/password`, { body: guess });
  assert.deepEqual([refused.status, refused.json], [401, { message: 'incorrect credentials' }]);
});

test('wrong codes count as failed logins', async (t) => {
  const { login } = await setUp(t);
  const { app } = await enrol((await login('operator')).client);
  const wrong = String((Number(app()) + 1) % 1_000_000).padStart(6, '0');
  const statuses = [];
  for (let attempt = 0; attempt < 6; attempt += 1) {
    statuses.push((await login('operator', wrong)).answer.status);
  }
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
  assert.equal((await login('operator', app(1))).answer.status, 429);
});

test('the audit log tells what was done, and no secret is in it, in the log or readable by others', async (t) => {
  const { gateway, login } = await setUp(t);
  const { secret, app, recoveryCodes } = await enrol((await login('operator')).client);
  const used = [app(1), '000000', recoveryCodes[0] ?? ''];
  await login('operator');
  for (const code of used) await login('operator', code);
  const chief = (await login('chief')).client;
  const { json } = await chief.send('GET', '/services/audit/v1/events?identity=operator&limit=100');
  const { events } = answerOf(listAuditEvents, { json });
  const told = events.map(({ event, outcome, target, detail }) => [event, outcome, target, detail]);
  const target = `${SESSION}/login/password`;
  assert.deepEqual(told.toReversed(), [
    ['LOGIN', 'SUCCESS', target, undefined],
    ['SECOND_FACTOR_CHANGE', 'SUCCESS', `${FACTOR}/begin`, undefined],
    ['SECOND_FACTOR_CHANGE', 'SUCCESS', `${FACTOR}/confirm`, undefined],
    ['LOGIN', 'FAILURE', target, { status: 401, code: 'SECOND_FACTOR_NEEDED' }],
    ['LOGIN', 'SUCCESS', target, { secondFactor: 'TOTP' }],
    ['LOGIN', 'FAILURE', target, { status: 401, code: 'SECOND_FACTOR_WRONG' }],
    ['LOGIN', 'SUCCESS', target, { secondFactor: 'RECOVERY_CODE' }],
  ]);
  await gateway.stop();
  const shown = `${JSON.stringify(gateway.lines)}${gateway.errors()}${JSON.stringify(events)}`;
  for (const hidden of [secret, ...used.filter((code) => code !== '000000'), ...recoveryCodes]) {
    assert.ok(!shown.includes(hidden), hidden);
  }
  const files = readdirSync(gateway.dataDirectory).filter((name) => name.startsWith('penstock.db'));
  assert.ok(files.length > 0);
  for (const name of files) {
    const file = path.join(gateway.dataDirectory, name);
    assert.equal(statSync(file).mode & 0o077, 0, name);
    const content = readFileSync(file, 'latin1');
    for (const code of recoveryCodes) {
      assert.ok(!content.includes(code) && !content.includes(code.replaceAll('-', '')), name);
    }
  }
});
