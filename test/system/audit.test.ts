import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { startCommand } from '../daemon/cli/command.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { send, SessionClient } from '../support/https-client.ts';
import { answerOf } from '../support/answer-of.ts';
import { listAuditEvents } from '../../daemon/interface/security/audit.ts';
import { checkStatus } from '../../daemon/interface/status.ts';

const PASSWORD = 'turbine-password';
const operator = { name: 'operator', permissions: ['rest.assets'], password: PASSWORD };
const auditor = { name: 'auditor', permissions: ['rest.admin'], password: PASSWORD };

test('an administrator sees the actions of clients, also after a restart', async (t) => {
  const first = await startGateway(t, { config: { provision: { identities: [operator, auditor] } } });
  const [port = 0] = first.httpsPorts;
  const client = new SessionClient({ port });
  await client.login('operator', PASSWORD);
  await client.login('operator', 'wrong-password');
  await client.login('mistyped-secret', PASSWORD);
  await send({ port }, 'GET', '/services/assets?token=canary');
  await new SessionClient({ port }).login('operator', PASSWORD);
  assert.equal(await first.stop(), 0);

  const second = await startGateway(t, { directory: first.directory });
  const client2 = new SessionClient({ port: second.httpsPorts[0] ?? 0 });
  await client2.login('auditor', PASSWORD);
  const { json, status } = await client2.send('GET', '/services/audit/v1/events?limit=50');
  assert.equal(status, 200);
  const shown = answerOf(listAuditEvents, { json }).events.map(({ event, outcome, identity }) => [
    event,
    outcome,
    identity,
  ]);
  assert.deepEqual(shown.slice(0, 1), [['LOGIN', 'SUCCESS', 'auditor']]);
  assert.deepEqual(shown.filter(([, , identity]) => identity !== 'auditor').toReversed(), [
    ['IDENTITY_CREATED', 'SUCCESS', undefined],
    ['IDENTITY_CREATED', 'SUCCESS', undefined],
    ['LOGIN', 'SUCCESS', 'operator'],
    ['LOGIN', 'FAILURE', 'operator'],
    ['LOGIN', 'FAILURE', undefined],
    ['ACCESS_REFUSED', 'FAILURE', undefined],
    ['LOGIN', 'SUCCESS', 'operator'],
  ]);
  const everything = JSON.stringify([json, first.lines, second.lines]);
  for (const canary of [PASSWORD, 'mistyped-secret', 'canary', 'wrong-password']) {
    assert.ok(!everything.includes(canary), canary);
  }
});

test('penstock audit verify finds what was changed in the store, in the gateway and in an export of before', async (t) => {
  const first = await startGateway(t, { config: { provision: { identities: [operator, auditor] } } });
  const client = new SessionClient({ port: first.httpsPorts[0] ?? 0 });
  await client.login('operator', PASSWORD);
  await client.login('operator', 'wrong-password');
  const command = async (gateway: RunningGateway, ...words: readonly string[]) => {
    const running = startCommand(t, [
      'audit',
      ...words,
      '--socket',
      path.join(gateway.dataDirectory, 'penstock.sock'),
    ]);
    return { status: await running.ended, output: running.output(), errors: running.errors() };
  };
  const whole = await command(first, 'verify');
  assert.deepEqual([whole.status, whole.errors], [0, '']);
  const { output: exported } = await command(first, 'export');
  const file = path.join(first.directory, 'audit.jsonl');
  writeFileSync(file, exported);
  assert.equal((await command(first, 'verify', file)).status, 0);
  const messages = (await command(first, 'export', '--format', 'rfc5424')).output;
  assert.match(messages, /^<109>1 .* penstock - LOGIN \[audit@32473 hash="[0-9a-f]{64}"\] \uFEFF\{"id":/m);
  await first.stop();

  const database = new DatabaseSync(path.join(first.dataDirectory, 'penstock.db'));
  database.exec("DELETE FROM audit_event WHERE event = 'LOGIN' AND outcome = 'FAILURE'");
  database.close();
  const second = await startGateway(t, { directory: first.directory, isConfigured: true });
  const broken = await command(second, 'verify');
  assert.equal(broken.status, 1);
  assert.match(broken.errors, /event \d+ is missing; recorded by event \d+/);
  assert.match(
    broken.output,
    /^events: \d+, .*\nbroken before event \d+, found at .*: event \d+ is missing$/m,
  );
  // Also with the key of then.
  writeFileSync(file, exported.replace('"FAILURE"', '"SUCCESS"'));
  assert.match((await command(second, 'verify', file)).errors, /event \d+ was changed/);
});

test('a store that was emptied is found for good, by verification and by doctor', async (t) => {
  const first = await startGateway(t, { config: { provision: { identities: [operator, auditor] } } });
  await new SessionClient({ port: first.httpsPorts[0] ?? 0 }).login('operator', PASSWORD);
  await first.stop();
  const database = new DatabaseSync(path.join(first.dataDirectory, 'penstock.db'));
  database.exec(
    'DELETE FROM audit_event; DELETE FROM audit_gap; DELETE FROM audit_checkpoint; DELETE FROM audit_break',
  );
  database.close();
  const second = await startGateway(t, { directory: first.directory, isConfigured: true });
  await new SessionClient({ port: second.httpsPorts[0] ?? 0 }).login('operator', PASSWORD);
  await second.stop();
  const third = await startGateway(t, { directory: first.directory, isConfigured: true });
  const socket = path.join(third.dataDirectory, 'penstock.sock');
  const verify = startCommand(t, ['audit', 'verify', '--socket', socket]);
  assert.equal(await verify.ended, 1);
  assert.match(verify.errors(), /no checkpoint found/);
  const client = new SessionClient({ port: third.httpsPorts[0] ?? 0 });
  await client.login('auditor', PASSWORD);
  const { json } = await client.send('GET', '/services/status/v1');
  const { checks } = answerOf(checkStatus, { json });
  const chain = checks.find(({ check, name }) => check === 'auditLog' && name === 'chain');
  assert.equal(chain?.['state'], 'WRONG');
});

test('a client that ends or uses the session of another is recorded with its owner', async (t) => {
  const rest = { basicAuthenticationEnabled: true };
  const gateway = await startGateway(t, { config: { provision: { rest, identities: [operator, auditor] } } });
  const [port = 0] = gateway.httpsPorts;
  const basic = { Authorization: `Basic ${Buffer.from(`auditor:${PASSWORD}`).toString('base64')}` };
  const change = { currentPassword: 'wrong-password', newPassword: 'another-password-1' };
  const client = new SessionClient({ port });
  await client.login('operator', PASSWORD);
  const changed = await client.send('POST', '/services/session/v1/changePassword', {
    headers: basic,
    body: change,
  });
  assert.equal(changed.status, 401);
  assert.equal((await client.send('POST', '/services/session/v1/logout', { headers: basic })).status, 204);
  const own = new SessionClient({ port });
  await own.login('operator', PASSWORD);
  assert.equal((await own.send('POST', '/services/session/v1/logout')).status, 204);

  const { json } = await send({ port }, 'GET', '/services/audit/v1/events?limit=50', { headers: basic });
  const shown = answerOf(listAuditEvents, { json })
    .events.filter(({ event }) => event === 'LOGOUT' || event === 'PASSWORD_CHANGE')
    .map(({ event, identity, method, detail }) => [
      event,
      identity,
      method,
      (detail as { readonly sessionOf?: string } | undefined)?.sessionOf,
    ]);
  assert.deepEqual(shown.toReversed(), [
    ['PASSWORD_CHANGE', 'auditor', 'basic', 'operator'],
    ['LOGOUT', 'auditor', 'basic', 'operator'],
    ['LOGOUT', 'operator', 'session', undefined],
  ]);
});

test('only an administrator sees the audit events', async (t) => {
  const gateway = await startGateway(t, { config: { provision: { identities: [operator] } } });
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  assert.equal((await client.send('GET', '/services/audit/v1/events')).status, 401);
  await client.login('operator', PASSWORD);
  assert.equal((await client.send('GET', '/services/audit/v1/events')).status, 403);
});

test('a login that cannot be read is in the audit as a refused one, without what was sent', async (t) => {
  const gateway = await startGateway(t, { config: { provision: { identities: [auditor] } } });
  const [port = 0] = gateway.httpsPorts;
  const headers = { 'Content-Type': 'application/json' };
  const bodies = [
    '{"username":"operator","password":"canary-1"',
    '{"username":"operator"}',
    '{"username":"operator","password":["canary-2"]}',
    '{"password":"canary-3"}',
    '{"username":"operator","password":"canary-4\\ud800"}',
    `{"username":"operator","password":"${'canary-5'.repeat(2000)}"}`,
  ];
  for (const body of bodies) {
    const { status } = await send({ port }, 'POST', '/services/session/v1/login/password', { headers, body });
    assert.ok(status === 400 || status === 413, body.slice(0, 80));
  }
  const client = new SessionClient({ port });
  await client.login('auditor', PASSWORD);
  const { json } = await client.send('GET', '/services/audit/v1/events?event=LOGIN&outcome=FAILURE');
  const { events } = answerOf(listAuditEvents, { json });
  assert.equal(events.length, bodies.length);
  for (const { detail, identity } of events) {
    assert.equal(identity, undefined);
    assert.ok([400, 413].includes((detail as { readonly status: number }).status));
  }
  assert.ok(!JSON.stringify([json, gateway.lines]).includes('canary'));
});

test('events of changes tell old and new values, and what became of secrets', async (t) => {
  const line = { pid: 'line', type: 'opcua', endpointUrl: 'opc.tcp://127.0.0.1:1', securityMode: 'SIGN' };
  const drivers = [{ ...line, userName: 'gateway', password: 'first-canary' }];
  const gateway = await startGateway(t, { config: { provision: { identities: [auditor], drivers } } });
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  await client.login('auditor', PASSWORD);
  const identity = (body: object) => client.send('PUT', '/services/identity/v1/identities', { body });
  await client.send('POST', '/services/identity/v1/identities', {
    body: { userName: 'new', permissions: [] },
  });
  await identity({ userName: 'new', password: 'canary-password', passwordAuthEnabled: true });
  await identity({ userName: 'new', password: 'canary-passwort', permissions: ['rest.assets'] });
  await identity({ userName: 'new', passwordAuthEnabled: false });
  const changed = await client.send('PUT', '/services/configuration/v1/drivers/line', {
    headers: { 'If-Match': '*' },
    body: {
      ...line,
      endpointUrl: 'opc.tcp://127.0.0.1:2',
      userName: 'other',
      password: 'next-canary',
    },
  });
  assert.equal(changed.status, 200, changed.text);
  const { json } = await client.send('GET', '/services/audit/v1/events?limit=50');
  const events = answerOf(listAuditEvents, { json }).events;
  const detailsOf = (name: string) =>
    events.filter(({ event }) => event === name).map(({ detail }) => detail ?? {});
  assert.deepEqual(detailsOf('IDENTITY_CHANGED').toReversed(), [
    { userName: 'new', passwordChange: 'set', passwordAuthEnabled: true, passwordAuthEnabledBefore: false },
    {
      userName: 'new',
      passwordChange: 'removed',
      passwordAuthEnabled: false,
      passwordAuthEnabledBefore: true,
    },
  ]);
  assert.deepEqual(detailsOf('PERMISSIONS_CHANGED'), [
    { userName: 'new', passwordChange: 'changed', permissions: 'rest.assets', permissionsBefore: '' },
  ]);
  const [asked = {}, provisioned = {}] = detailsOf('CONFIGURATION_CHANGED');
  const listed = (detail: Record<string, unknown>, name: string) =>
    Object.entries(detail).flatMap(([key, value]) => (key.startsWith(`${name}[`) ? [value] : []));
  assert.deepEqual(listed(asked, 'path'), [
    'drivers/line/endpointUrl',
    'drivers/line/userName',
    'drivers/line/password',
  ]);
  assert.deepEqual(listed(asked, 'old'), ['opc.tcp://127.0.0.1:1', 'gateway']);
  assert.deepEqual(listed(asked, 'new'), ['opc.tcp://127.0.0.1:2', 'other']);
  assert.deepEqual(listed(asked, 'secret'), ['changed']);
  assert.deepEqual(listed(provisioned, 'secret'), ['set']);
  assert.ok(!/canary/.test(JSON.stringify([events, gateway.lines])));
});
