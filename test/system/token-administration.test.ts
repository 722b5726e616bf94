import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { EventStreamClient } from '../support/event-stream-client.ts';
import { startGateway } from '../support/gateway.ts';
import type { AnswerOf } from '../../daemon/interface/endpoint.ts';
import type { GatewayOptions, RunningGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { answerOf, failureOf } from '../support/answer-of.ts';
import { obtainTokens, rotateSigningKey } from '../../daemon/interface/security/tokens.ts';

const PASSWORD = 'token-administration-password';
const ROOT = '/services/token/jwt/v1';

type Pair = AnswerOf<typeof obtainTokens>;

const IDENTITIES = [
  { name: 'chief', permissions: ['rest.admin'], password: PASSWORD },
  { name: 'clerk', permissions: ['rest.identity', 'rest.assets'], password: PASSWORD },
  { name: 'historian', permissions: ['rest.assets', 'rest.events'], password: PASSWORD },
];

const REST = {
  basicAuthenticationEnabled: true,
  jwtAuthenticationEnabled: true,
  jwtAccessTokenDurationSeconds: 600,
};

async function start(t: TestContext, options: GatewayOptions = {}) {
  const provision = { rest: REST, identities: IDENTITIES };
  const gateway = await startGateway(t, { config: { provision }, ...options });
  return { gateway, ...clientsOf(gateway) };
}

function clientsOf({ httpsPorts: [port = 0] }: RunningGateway) {
  const basic = (name: string) => ({
    Authorization: `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`,
  });
  const post = (name: string, verb: string, body?: unknown): Promise<ClientAnswer> =>
    send({ port }, 'POST', `${ROOT}/${verb}`, { headers: basic(name), body });
  const issue = async (name: string): Promise<Pair> => {
    const answer = await post(name, 'issue');
    assert.equal(answer.status, 200, answer.text);
    return answerOf(obtainTokens, answer);
  };
  const use = async ({ accessToken }: Pair): Promise<number> => {
    const headers = { Authorization: `Bearer ${accessToken}` };
    return (await send({ port }, 'GET', '/services/assets', { headers })).status;
  };
  const refresh = async ({ refreshToken }: Pair): Promise<number> => {
    const headers = { 'Content-Type': 'text/plain' };
    return (await send({ port }, 'POST', `${ROOT}/refresh`, { headers, body: refreshToken })).status;
  };
  const stream = async (t: TestContext, { accessToken }: Pair): Promise<EventStreamClient> => {
    const headers = { Authorization: `Bearer ${accessToken}` };
    const opened = new EventStreamClient(t, { port, path: '/services/events/v1', headers });
    await opened.opened();
    return opened;
  };
  return { port, post, issue, use, refresh, stream };
}

test('revoked tokens are refused at once, on open streams too, and new ones work', async (t) => {
  const { gateway, post, issue, use, refresh, stream } = await start(t);
  const [before, kept] = [await issue('historian'), await issue('chief')];
  const [opened, other] = [await stream(t, before), await stream(t, kept)];
  assert.equal(await use(before), 200);
  const seen = gateway.lines.length;
  const revoked = await post('chief', '_revoke', { userName: 'historian' });
  assert.deepEqual([revoked.status, revoked.text], [204, '']);
  const after = await issue('historian');
  assert.deepEqual([await use(before), await refresh(before)], [401, 401]);
  assert.deepEqual([await use(after), await refresh(after), await use(kept)], [200, 200, 200]);
  await opened.ended();
  assert.deepEqual(opened.events.at(-1)?.data, { reason: 'NOT_AUTHENTICATED' });
  assert.deepEqual(other.events, []);
  const line = await gateway.line('audit', seen);
  assert.deepEqual(
    [line['auditEvent'], line['identity'], line['outcome'], line['detail']],
    ['TOKENS_REVOKED', 'chief', 'SUCCESS', { userName: 'historian' }],
  );
});

test('a revocation is on disk before it is answered', async (t) => {
  const { gateway, post, issue, use, refresh } = await start(t);
  const before = await issue('historian');
  const exited = once(gateway.process, 'exit');
  assert.equal((await post('historian', '_revoke', { userName: 'historian' })).status, 204);
  gateway.process.kill('SIGKILL');
  await exited;
  const again = await start(t, { directory: gateway.directory });
  // The signing key is the same.
  assert.deepEqual([await again.use(before), await again.refresh(before)], [401, 401]);
  assert.equal(await again.use(await again.issue('historian')), 200);
  await assert.rejects(use(before));
  await assert.rejects(refresh(before));
});

test('nobody revokes the tokens of an identity with more permissions, or without the permission', async (t) => {
  const { port, post, issue, use } = await start(t);
  const [ofChief, ofHistorian] = [await issue('chief'), await issue('historian')];
  for (const [name, userName, status] of [
    ['historian', 'clerk', 403],
    ['historian', 'nobody', 403],
    ['clerk', 'chief', 403],
    // It has the permission for events as well.
    ['clerk', 'historian', 403],
    ['clerk', 'nobody', 404],
    ['chief', 'Historian', 404],
  ] as const) {
    const refused = await post(name, '_revoke', { userName });
    assert.equal(refused.status, status, `${name} ${userName}: ${refused.text}`);
  }
  for (const body of [
    {},
    [],
    { userName: '' },
    { username: 'historian' },
    { userName: 'historian', all: true },
  ]) {
    assert.equal((await post('chief', '_revoke', body)).status, 400, JSON.stringify(body));
  }
  assert.deepEqual([await use(ofChief), await use(ofHistorian)], [200, 200]);
  const headers = { Authorization: `Bearer ${ofHistorian.accessToken}` };
  const body = { userName: 'historian' };
  // With the very token that ends.
  assert.equal((await send({ port }, 'POST', `${ROOT}/_revoke`, { headers, body })).status, 204);
  assert.equal(await use(ofHistorian), 401);
});

test('a session stays when tokens are revoked, and gets new ones', async (t) => {
  const { port, post, use } = await start(t);
  const client = new SessionClient({ port });
  await client.login('historian', PASSWORD);
  assert.equal((await post('chief', '_revoke', { userName: 'historian' })).status, 204);
  const issued = await client.send('POST', `${ROOT}/issue`);
  assert.equal(await use(answerOf(obtainTokens, issued)), 200);
});

test('a rotated key signs from then on, and tokens of the previous one expire by themselves', async (t) => {
  const { gateway, post, issue, use, refresh, stream } = await start(t);
  const before = await issue('historian');
  const opened = await stream(t, before);
  const directory = path.join(gateway.dataDirectory, 'keys', 'local');
  const seen = gateway.lines.length;
  const rotated = await post('chief', '_rotateKey', {});
  assert.equal(rotated.status, 200, rotated.text);
  const { kid, service } = answerOf(rotateSigningKey, rotated);
  assert.equal(service, 'local');
  assert.ok(readdirSync(directory).includes(`${kid}.crt`));
  const after = await issue('historian');
  assert.equal(kidOf(after), kid);
  assert.notEqual(kidOf(before), kid);
  assert.deepEqual([await use(before), await use(after), await refresh(before)], [200, 200, 200]);
  const line = await gateway.line('audit', seen);
  assert.deepEqual(
    [line['auditEvent'], line['identity'], line['detail']],
    ['SIGNING_KEY_ROTATED', 'chief', { revoke: false, service: 'local', kid }],
  );

  const replaced = await post('chief', '_rotateKey', { service: 'local', revoke: true });
  assert.equal(replaced.status, 200);
  await opened.ended();
  assert.deepEqual([await use(before), await use(after), await refresh(after)], [401, 401, 401]);
  assert.equal(await use(await issue('historian')), 200);
  assert.equal(readdirSync(directory).length, 2);
});

test('only an administrator rotates a key, and only one that the gateway created', async (t) => {
  const { gateway, post, issue, use } = await start(t);
  const pair = await issue('historian');
  assert.equal((await post('clerk', '_rotateKey', {})).status, 403);
  assert.equal((await post('chief', '_rotateKey', { service: 'other' })).status, 404);
  for (const body of [[], { revoke: 'yes' }, { Revoke: true }, { service: '' }]) {
    assert.equal((await post('chief', '_rotateKey', body)).status, 400, JSON.stringify(body));
  }
  assert.equal(await use(pair), 200);
  const file = path.join(gateway.dataDirectory, 'keys', 'local');
  const certificate = readdirSync(file).find((name) => name.endsWith('.crt')) ?? assert.fail('none');
  const configured = {
    tokenIssuingServices: [
      {
        pid: 'local',
        privateKeyFile: path.join(file, 'signing.pem'),
        certificateFile: path.join(file, certificate),
      },
    ],
    rest: REST,
    identities: IDENTITIES,
  };
  const other = await start(t, { config: { provision: configured } });
  const refused = await other.post('chief', '_rotateKey', { revoke: true });
  assert.equal(refused.status, 409);
  assert.match(failureOf(refused).message, /local.*file/);
  assert.equal(kidOf(await other.issue('historian')), kidOf(pair));
});

test('tokens are revoked and keys rotated while tokens are switched off', async (t) => {
  const rest = { ...REST, jwtAuthenticationEnabled: false };
  const { post } = await start(t, { config: { provision: { rest, identities: IDENTITIES } } });
  assert.equal((await post('chief', 'issue')).status, 404);
  assert.equal((await post('chief', '_revoke', { userName: 'historian' })).status, 204);
  assert.equal((await post('chief', '_rotateKey', { revoke: true })).status, 200);
});

function kidOf({ accessToken }: Pair): string {
  const [head = ''] = accessToken.split('.');
  return (JSON.parse(Buffer.from(head, 'base64url').toString()) as { readonly kid: string }).kid;
}
