import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { getClientCertificate } from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import type { LogLine } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import { answerOf, failureOf } from '../support/answer-of.ts';
import { listAuditEvents } from '../../daemon/interface/security/audit.ts';
import { listIdentities, listPermissions, readIdentity } from '../../daemon/interface/security/identities.ts';

const PASSWORD = 'identity-test-password';
const IDENTITIES = '/services/identity/v1/identities';

async function setUp(t: TestContext) {
  const provision = {
    rest: { statelessCertificateAuthenticationEnabled: true },
    identities: [
      { name: 'chief', permissions: ['rest.admin'], password: PASSWORD },
      { name: 'scada', permissions: ['rest.assets'], password: PASSWORD },
    ],
  };
  const gateway = await startGateway(t, { config: { provision } });
  const port = gateway.httpsPorts[0] ?? 0;
  const login = async (name: string, password = PASSWORD) => {
    const client = new SessionClient({ port });
    assert.equal((await client.login(name, password)).status, 200, name);
    return client;
  };
  return { gateway, login, chief: await login('chief') };
}

test('an identity is created, shown, changed and deleted, and its password is never shown', async (t) => {
  const { gateway, login, chief } = await setUp(t);
  const body = { userName: 'operator', password: 'first-turbine-password', permissions: ['rest.assets'] };
  const created = await chief.send('POST', IDENTITIES, { body });
  const record = {
    userName: 'operator',
    passwordAuthEnabled: true,
    passwordChangeNeeded: false,
    secondFactorEnabled: false,
    secondFactorRequired: false,
    permissions: ['rest.assets'],
    grants: [],
  };
  assert.deepEqual([created.status, created.text], [200, '']);
  const operator = await login('operator', 'first-turbine-password');
  const named = { body: { userName: 'operator' } };
  assert.deepEqual((await chief.send('POST', `${IDENTITIES}/byName`, named)).json, record);
  const { json } = await chief.send('GET', IDENTITIES);
  assert.deepEqual(answerOf(listIdentities, { json }).userConfig[2], record);

  const forced = { body: { userName: 'operator', passwordChangeNeeded: true } };
  assert.equal((await chief.send('PUT', IDENTITIES, forced)).text, '');
  assert.deepEqual((await chief.send('POST', `${IDENTITIES}/byName`, named)).json, {
    ...record,
    passwordChangeNeeded: true,
  });
  assert.equal((await operator.send('GET', '/services/assets')).status, 401, 'the session is locked');

  assert.equal((await chief.send('DELETE', `${IDENTITIES}/byName`, named)).status, 200);
  assert.equal((await chief.send('DELETE', IDENTITIES, named)).status, 404);
  assert.equal((await chief.send('POST', `${IDENTITIES}/byName`, named)).status, 404);
  await gateway.stop();
  const shown = JSON.stringify([gateway.lines, gateway.errors()]);
  assert.ok(!shown.includes('first-turbine-password'));
});

test('a deleted identity has no access on its open connection', async (t) => {
  const { gateway, chief, login } = await setUp(t);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const port = gateway.clientAuthPorts[0] ?? 0;
  const client = { port, agent, ...(await getClientCertificate('scada')) };
  const session = await login('scada');
  assert.equal((await send(client, 'GET', '/services/assets')).status, 200);
  const [socket] = Object.values(agent.freeSockets).flat();
  const named = { body: { userName: 'scada' } };
  assert.equal((await chief.send('DELETE', `${IDENTITIES}/byName`, named)).status, 200);
  assert.equal((await send(client, 'GET', '/services/assets')).status, 401);
  assert.equal(Object.values(agent.freeSockets).flat()[0], socket, 'it is the same connection');
  assert.equal((await session.send('GET', '/services/assets')).status, 401);
});

test('the last administrator stays, and errors are reported', async (t) => {
  const { chief, login } = await setUp(t);
  const chiefNamed = { body: { userName: 'chief' } };
  assert.equal((await chief.send('DELETE', IDENTITIES, chiefNamed)).status, 409);
  const put = (body: object) => chief.send('PUT', IDENTITIES, { body });
  assert.equal((await put({ userName: 'chief', permissions: ['rest.assets'] })).status, 409);
  assert.equal((await put({ userName: 'chief', passwordAuthEnabled: false })).status, 409);
  assert.equal((await put({ userName: 'nobody' })).status, 404);
  assert.equal((await put({ userName: 'scada', password: 'weak' })).status, 400);
  assert.equal((await put({ userName: 'scada', color: 'red' })).status, 400);
  const again = await chief.send('POST', IDENTITIES, { body: { userName: 'scada' } });
  assert.equal(again.status, 400);
  const promoted = await put({ userName: 'scada', permissions: ['rest.identity'] });
  assert.equal(promoted.status, 200);
  const scada = await login('scada');
  const greedy = { body: { userName: 'scada', permissions: ['rest.admin'] } };
  assert.equal((await scada.send('PUT', IDENTITIES, greedy)).status, 403);
});

test('the permissions of all endpoints can be asked for', async (t) => {
  const { chief } = await setUp(t);
  const { json } = await chief.send('GET', '/services/identity/v1/definedPermissions');
  const { permissions } = answerOf(listPermissions, { json });
  for (const name of ['rest.admin', 'rest.assets', 'rest.identity'])
    assert.ok(permissions.includes(name), name);
});

test('changes to identities are audited, the first administrator included', async (t) => {
  const gateway = await startGateway(t);
  await gateway.line('audit');
  const made = gateway.lines.find(({ auditEvent }) => auditEvent === 'IDENTITY_CREATED');
  assert.equal(made?.['target'], 'admin');

  const { gateway: other, chief } = await setUp(t);
  const seen = other.lines.length;
  await chief.send('POST', IDENTITIES, { body: { userName: 'made', password: PASSWORD } });
  await chief.send('PUT', IDENTITIES, { body: { userName: 'made', permissions: ['rest.assets'] } });
  await chief.send('PUT', IDENTITIES, { body: { userName: 'made', passwordChangeNeeded: true } });
  await chief.send('DELETE', IDENTITIES, { body: { userName: 'made' } });
  await chief.send('DELETE', IDENTITIES, { body: { userName: PASSWORD } });
  // The log comes on another way than the answers.
  const told: LogLine[] = [];
  for (let after = seen; told.length < 5; after = other.lines.indexOf(told.at(-1) as LogLine) + 1) {
    told.push(await other.line('audit', after));
  }
  assert.deepEqual(
    told.map(({ auditEvent, outcome }) => [auditEvent, outcome]),
    [
      ['IDENTITY_CREATED', 'SUCCESS'],
      ['PERMISSIONS_CHANGED', 'SUCCESS'],
      ['IDENTITY_CHANGED', 'SUCCESS'],
      ['IDENTITY_REMOVED', 'SUCCESS'],
      ['IDENTITY_REMOVED', 'FAILURE'],
    ],
  );
  assert.ok(!JSON.stringify(told).includes(PASSWORD));
});

test('an administrator of identities cannot extend its own permissions or take over an identity with more', async (t) => {
  const { login, chief } = await setUp(t);
  const clerk = { userName: 'clerk', password: PASSWORD, permissions: ['rest.identity'] };
  assert.equal((await chief.send('POST', IDENTITIES, { body: clerk })).status, 200);
  const session = await login('clerk');
  const refusal = async (method: string, body: object) => {
    const answer = await session.send(method, IDENTITIES, { body });
    return [answer.status, failureOf(answer).message.split(':')[0]];
  };
  const missing = (name: string) => [403, `missing permission ${name}`];
  for (const permission of ['rest.deploy', 'rest.configuration', 'rest.admin', 'rest.unheard']) {
    const permissions = ['rest.identity', permission];
    assert.deepEqual(await refusal('PUT', { userName: 'clerk', permissions }), missing(permission));
    assert.deepEqual(await refusal('POST', { userName: 'mole', permissions }), missing(permission));
  }
  assert.deepEqual(
    await refusal('PUT', { userName: 'chief', password: 'x'.repeat(12) }),
    missing('rest.admin'),
  );
  assert.deepEqual(
    await refusal('PUT', { userName: 'scada', passwordChangeNeeded: true }),
    missing('rest.assets'),
  );
  assert.deepEqual(await refusal('PUT', { userName: 'scada', permissions: [] }), missing('rest.assets'));
  assert.deepEqual(await refusal('DELETE', { userName: 'scada' }), missing('rest.assets'));
  await login('scada');
  const { json } = await session.send('GET', IDENTITIES);
  const permissions = answerOf(listIdentities, { json }).userConfig.map((identity) => identity.permissions);
  assert.deepEqual(permissions, [['rest.admin'], ['rest.assets'], ['rest.identity']]);
});

test('grants are given, shown to administrators and to their holder, and taken away again', async (t) => {
  const { gateway, chief, login } = await setUp(t);
  const grants = [
    { assets: ['line1-*'], operations: ['READ'] },
    { assets: ['boiler'], channels: ['set*'], operations: ['READ', 'WRITE'], until: '2001-01-01T00:00Z' },
  ];
  const put = (body: object) => chief.send('PUT', IDENTITIES, { body: { userName: 'scada', ...body } });
  assert.equal((await put({ permissions: [], grants })).status, 200);
  const given = await chief.send('POST', `${IDENTITIES}/byName`, { body: { userName: 'scada' } });
  assert.deepEqual(answerOf(readIdentity, given).grants, grants);
  const scada = await login('scada');
  const shown = async (): Promise<unknown> => {
    const { json } = await scada.send('GET', '/services/session/v1/currentIdentity');
    return json;
  };
  const info = { name: 'scada', passwordChangeNeeded: false, permissions: [] };
  assert.deepEqual(await shown(), { ...info, grants });
  const wrong = await put({ grants: [{ assets: ['boiler'], operations: ['CONTROL'] }] });
  assert.equal(wrong.status, 400);
  assert.match(failureOf(wrong).message, /^grants\[0\]\.operations\[0\]: /);
  const many = Array.from({ length: 10_000 }, (_, index) => ({
    assets: [`line${index}-*`],
    operations: ['READ'],
  }));
  assert.equal((await put({ grants: many })).status, 200);
  assert.equal((await put({ grants: [...many, ...grants] })).status, 400);
  assert.equal((await scada.send('GET', '/services/assets')).status, 200);
  assert.equal((await put({ grants: [] })).status, 200);
  assert.deepEqual(await shown(), info);
  assert.equal((await scada.send('GET', '/services/assets')).status, 403);
  const { json } = await chief.send('GET', '/services/audit/v1/events?event=PERMISSIONS_CHANGED&limit=10');
  const { events } = answerOf(listAuditEvents, { json });
  const [taken, , , first] = events
    .filter(({ outcome }) => outcome === 'SUCCESS')
    .map(({ detail }) => detail);
  assert.match(JSON.stringify(taken), /"grants":"0","grantsBefore":"10000; READ line0-\*/);
  assert.equal(first, undefined);
  await gateway.stop();
});
