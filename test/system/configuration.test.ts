import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';

import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import type { ClientAnswer } from '../support/https-client.ts';
import { answerOf, failureOf } from '../support/answer-of.ts';
import {
  listSnapshots,
  readOutline,
  readPendingChange,
  readSnapshot,
  replaceConfiguration,
  readSection,
} from '../../daemon/interface/configuration/configuration.ts';

const PASSWORD = 'configuration-test-password';
const ROOT = '/services/configuration/v1';
const IDENTITIES = [
  { name: 'engineer', permissions: ['rest.configuration', 'rest.assets'], password: PASSWORD },
  { name: 'guest', permissions: ['rest.assets'], password: PASSWORD },
  { name: 'chief', permissions: ['rest.admin'], password: PASSWORD },
];
const LINE = { type: 'modbus', host: '127.0.0.1', port: 1 };

/** Somebody who configures. */
interface Editor {
  get(path: string, headers?: Record<string, string>): Promise<ClientAnswer>;
  /** Sends a change with a precondition; `*` unless told. */
  change(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<ClientAnswer>;
}

async function logIn(gateway: RunningGateway, name = 'engineer'): Promise<Editor> {
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  assert.equal((await client.login(name, PASSWORD)).status, 200);
  return {
    get: (path, headers = {}) => client.send('GET', `${ROOT}${path}`, { headers }),
    change: (method, path, body, headers = { 'If-Match': '*' }) =>
      client.send(method, `${ROOT}${path}`, { body, headers }),
  };
}

async function setUp(t: TestContext) {
  const gateway = await startGateway(t, { config: { provision: { identities: IDENTITIES } } });
  return { gateway, editor: await logIn(gateway) };
}

test('a plant is configured from nothing, piece by piece, and taken apart again', async (t) => {
  const { gateway, editor } = await setUp(t);
  assert.deepEqual((await editor.get('/')).json, {});
  const added = await editor.change('PUT', '/drivers/line1', LINE);
  assert.equal(added.status, 200, added.text);
  assert.deepEqual(added.json, {
    snapshot: 1,
    added: ['drivers/line1'],
    changed: [],
    removed: [],
    restartedConnections: [],
    cutsOff: [],
  });
  const asset = { driver: 'line1', channels: [] };
  assert.equal((await editor.change('PUT', '/assets/boiler', asset)).status, 200);
  assert.deepEqual((await editor.get('/assets/boiler')).json, { pid: 'boiler', ...asset });
  assert.deepEqual((await editor.get('/drivers')).json, [{ pid: 'line1', ...LINE }]);
  const set = await editor.change('PUT', '/rest', { basicAuthenticationEnabled: true });
  assert.deepEqual(answerOf(replaceConfiguration, set).changed, ['rest/basicAuthenticationEnabled']);

  const used = await editor.change('DELETE', '/drivers/line1');
  assert.equal(used.status, 400, 'an asset needs it');
  const [fault] = failureOf(used).faults ?? [];
  assert.deepEqual([fault?.path, fault?.item], ['assets[0].driver', 'boiler']);
  assert.equal((await editor.change('DELETE', '/assets/boiler')).status, 200);
  assert.equal((await editor.change('DELETE', '/drivers/line1')).status, 200);
  assert.equal((await editor.change('DELETE', '/rest')).status, 200);
  assert.deepEqual((await editor.get('/')).json, { drivers: [], assets: [] });
  assert.equal(gateway.errors(), '');
});

test('what has not changed is not sent again, and the tag of a compressed form serves a change', async (t) => {
  const { editor } = await setUp(t);
  assert.equal((await editor.change('PUT', '/drivers/line1', LINE)).status, 200);
  for (const path of ['/', '/schema', '/drivers', '/drivers/line1']) {
    const { etag = '' } = (await editor.get(path)).headers;
    const again = await editor.get(path, { 'If-None-Match': etag });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag], path);
  }
  const schema = await editor.get('/schema');
  const coded = await editor.get('/schema', { 'Accept-Encoding': 'gzip' });
  assert.deepEqual(JSON.parse(gunzipSync(coded.bytes).toString()), schema.json);
  assert.ok(coded.bytes.length * 4 < schema.bytes.length);
  const answer = await editor.change('DELETE', '/drivers/line1', undefined, { 'If-Match': '"1-br"' });
  assert.equal(answer.status, 200, answer.text);
  const { status } = await editor.get('/', { 'If-None-Match': '"1"' });
  assert.equal(status, 200);
  // The schema did not change with the configuration.
  assert.equal((await editor.get('/schema', { 'If-None-Match': schema.headers.etag ?? '' })).status, 304);
});

test('the whole document comes as JSON or YAML, and is kept over a restart', async (t) => {
  const { gateway, editor } = await setUp(t);
  const yaml = 'drivers:\n  - { pid: line1, type: modbus, host: 127.0.0.1, port: 1 }\n';
  const typed = { 'If-Match': '"0"', 'Content-Type': 'application/yaml' };
  const answer = await editor.change('PUT', '/', yaml, typed);
  assert.deepEqual([answer.status, answer.headers.etag], [200, '"1"'], answer.text);
  const broken = await editor.change('PUT', '/', 'drivers: [', { ...typed, 'If-Match': '"1"' });
  assert.equal(broken.status, 400);
  assert.equal(await gateway.stop(), 0);
  const again = await startGateway(t, { directory: gateway.directory, config: {} });
  const read = await (await logIn(again)).get('/');
  assert.deepEqual(read.json, { drivers: [{ pid: 'line1', ...LINE }] });
  assert.equal(read.headers.etag, '"1"');
});

test('of two administrators one gets 412 and the change of the other stays', async (t) => {
  const { gateway, editor } = await setUp(t);
  const other = await logIn(gateway, 'chief');
  const { etag = '' } = (await editor.get('/drivers')).headers;
  assert.equal((await other.get('/drivers')).headers.etag, etag);
  const mine = await editor.change('PUT', '/drivers/mine', LINE, { 'If-Match': etag });
  assert.equal(mine.status, 200);
  const stale = await other.change('PUT', '/drivers/others', LINE, { 'If-Match': etag });
  assert.equal(stale.status, 412);
  const { etag: fresh = '' } = (await other.get('/drivers')).headers;
  assert.equal(fresh, mine.headers.etag);
  assert.equal((await other.change('PUT', '/drivers/others', LINE, { 'If-Match': fresh })).status, 200);
  const outline = await editor.get('/outline');
  assert.equal(outline.headers.etag, (await editor.get('/drivers')).headers.etag);
  assert.deepEqual(answerOf(readOutline, outline).drivers, [
    { pid: 'mine', type: 'modbus' },
    { pid: 'others', type: 'modbus' },
  ]);
  const drivers = answerOf(readSection, await editor.get('/drivers'));
  assert.ok(Array.isArray(drivers) && drivers.length === 2);
  assert.partialDeepStrictEqual(drivers, [{ pid: 'mine' }, { pid: 'others' }]);
});

test('two drivers for one device are accepted and pointed out, in the dry run, the change and the log', async (t) => {
  const { gateway, editor } = await setUp(t);
  const warningsOf = (answer: { readonly json: unknown }): readonly string[] =>
    answerOf(replaceConfiguration, answer).warnings ?? [];
  assert.deepEqual(warningsOf(await editor.change('PUT', '/drivers/first', LINE)), []);
  const dryRun = await editor.change('PUT', '/drivers/second?dryRun=true', LINE);
  assert.equal(dryRun.status, 200);
  assert.match(warningsOf(dryRun).join(), /first, second/);
  assert.match(warningsOf(await editor.change('PUT', '/drivers/second', LINE)).join(), /first, second/);
  await gateway.line('configuration.warningFound');
});

test('a change without If-Match is 428, a foreign tag 412', async (t) => {
  const { editor } = await setUp(t);
  assert.equal((await editor.change('PUT', '/rest', {}, {})).status, 428);
  assert.equal((await editor.change('DELETE', '/rest', undefined, {})).status, 428);
  for (const tag of ['W/"0"', '0', '"x"', '"0", "1"']) {
    assert.equal((await editor.change('PUT', '/rest', {}, { 'If-Match': tag })).status, 412, tag);
  }
});

test('all errors are reported at once, by path, and nothing changes', async (t) => {
  const { editor } = await setUp(t);
  const document = {
    rest: { allowedPort: [1], sessionInactivityIntervalSeconds: 0 },
    drivers: [{ pid: 'line1', type: 'modbus', port: 70_000 }],
    assets: [{ pid: 'boiler', driver: 'line2', channels: [] }],
    identities: [],
  };
  const answer = await editor.change('PUT', '/', document);
  assert.equal(answer.status, 400);
  const { message, faults } = failureOf(answer);
  assert.deepEqual(faults?.map(({ path }) => path).sort(), [
    'assets[0].driver',
    'drivers[0].host',
    'drivers[0].port',
    'identities',
    'rest.allowedPort',
    'rest.sessionInactivityIntervalSeconds',
  ]);
  assert.ok(message.includes('drivers[0].port'));
  assert.deepEqual((await editor.get('/')).json, {});
});

test('identities are no part of the document, of a section or of a snapshot, and cannot be given by it', async (t) => {
  const { gateway, editor } = await setUp(t);
  const intruder = { name: 'intruder', permissions: ['rest.admin'], password: PASSWORD };
  const whole = await editor.change('PUT', '/', { identities: [intruder] });
  assert.equal(whole.status, 400, whole.text);
  assert.match(whole.text, /identities/);
  for (const document of [{ rest: { identities: [intruder] } }, { drivers: [], identities: [] }]) {
    assert.equal((await editor.change('PUT', '/', document)).status, 400);
  }
  for (const [method, path] of [
    ['PUT', '/identities'],
    ['PUT', '/identities/intruder'],
    ['DELETE', '/identities'],
  ] as const) {
    assert.equal(
      (await editor.change(method, path, method === 'PUT' ? intruder : undefined)).status,
      404,
      path,
    );
  }
  assert.equal((await editor.get('/identities')).status, 404);
  assert.equal((await editor.change('PUT', '/drivers/line1', LINE)).status, 200);
  for (const path of ['/', '/snapshots/1']) {
    const { status, text } = await editor.get(path);
    assert.equal(status, 200, path);
    // A snapshot names its author, as any other part of the interface names who did something.
    assert.doesNotMatch(text.replace('"author":"engineer",', ''), /identities|engineer/, path);
  }
  const client = new SessionClient({ port: gateway.httpsPorts[0] ?? 0 });
  assert.equal((await client.login('intruder', PASSWORD)).status, 401);
});

test('a dry run tells the plan and changes nothing', async (t) => {
  const { gateway, editor } = await setUp(t);
  await editor.change('PUT', '/drivers/line1', LINE);
  const seen = gateway.lines.length;
  const answer = await editor.change('PUT', '/drivers/line1?dryRun=true', { ...LINE, port: 2 }, {});
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json, {
    snapshot: 1,
    added: [],
    changed: ['drivers/line1'],
    removed: [],
    restartedConnections: ['line1'],
    cutsOff: [],
  });
  assert.deepEqual((await editor.get('/drivers')).json, [{ pid: 'line1', ...LINE }]);
  const faulty = await editor.change('PUT', '/drivers/line1?dryRun=true', { type: 'modbus' }, {});
  assert.equal(faulty.status, 400);
  assert.equal((await editor.change('PUT', '/rest?dryRun=perhaps', {}, {})).status, 400);
  await gateway.stop();
  const told = gateway.lines.slice(seen).filter(({ event }) => event === 'audit');
  assert.deepEqual(told, []);
});

test('a snapshot can be looked at and put in force again', async (t) => {
  const { editor } = await setUp(t);
  await editor.change('PUT', '/drivers/line1', LINE);
  await editor.change('DELETE', '/drivers/line1');
  const { json } = await editor.get('/snapshots');
  const { snapshots } = answerOf(listSnapshots, { json });
  assert.deepEqual(
    snapshots.map(({ id, author }) => [id, author]),
    [
      [2, 'engineer'],
      [1, 'engineer'],
    ],
  );
  const shown = answerOf(readSnapshot, await editor.get('/snapshots/1'));
  assert.deepEqual(shown.document, { drivers: [{ pid: 'line1', ...LINE }] });
  const back = await editor.change('POST', '/snapshots/1/_rollback');
  assert.deepEqual([back.status, answerOf(replaceConfiguration, back).added], [200, ['drivers/line1']]);
  assert.deepEqual((await editor.get('/')).json, shown.document);
  for (const id of ['7', 'x', '-1']) {
    assert.equal((await editor.get(`/snapshots/${id}`)).status, 404, id);
    assert.equal((await editor.change('POST', `/snapshots/${id}/_rollback`)).status, 404, id);
  }
});

test('a change without confirmation is reverted automatically', async (t) => {
  const { gateway, editor } = await setUp(t);
  const answer = await editor.change('PUT', '/drivers/line1?confirmWithin=1', LINE);
  assert.equal(answer.status, 200);
  assert.equal((await editor.change('PUT', '/rest', {})).status, 409, 'one trial at a time');
  await gateway.line('configuration.reverted');
  assert.deepEqual((await editor.get('/')).json, {});
  assert.equal((await editor.change('POST', '/_confirm')).status, 409);
  assert.equal((await editor.change('PUT', '/drivers/line1', LINE)).status, 200);
});

test('a change that waits is shown with its author and end, and can be taken back at once', async (t) => {
  const { gateway, editor } = await setUp(t);
  assert.deepEqual((await editor.get('/_confirm')).json, {});
  assert.equal((await editor.change('POST', '/_takeBack')).status, 409);
  await editor.change('PUT', '/rest', { basicAuthenticationEnabled: true });
  await editor.change('PUT', '/drivers/line1?confirmWithin=600', LINE);
  const other = await logIn(gateway, 'chief');
  const { pending } = answerOf(readPendingChange, await other.get('/_confirm'));
  const { secondsLeft = 0, revertAt = 0, ...rest } = pending ?? {};
  assert.deepEqual(rest, { snapshot: 2, revertTo: 1, author: 'engineer' });
  assert.ok(secondsLeft > 0 && secondsLeft <= 600);
  assert.equal(Math.abs(revertAt - Date.now() - secondsLeft * 1000) < 120_000, true);
  for (const step of ['_confirm', '_takeBack']) {
    const refused = await other.change('POST', `/${step}?snapshot=1`);
    assert.equal(refused.status, 409, step);
    assert.match(refused.text, /the pending change is snapshot 2, not 1/);
    assert.equal((await other.change('POST', `/${step}?snapshot=two`)).status, 400, step);
  }
  const back = await other.change('POST', '/_takeBack?snapshot=2');
  assert.deepEqual([back.status, back.json, back.headers.etag], [200, { snapshot: 3 }, '"3"']);
  assert.deepEqual((await editor.get('/')).json, { rest: { basicAuthenticationEnabled: true } });
  assert.deepEqual((await editor.get('/_confirm')).json, {});
  const { snapshots } = answerOf(listSnapshots, await editor.get('/snapshots'));
  assert.deepEqual(
    snapshots.map(({ author }) => author),
    [undefined, 'engineer', 'engineer'],
  );
  assert.equal((await editor.change('PUT', '/drivers/line1', LINE)).status, 200);
  await gateway.stop();
  const told = gateway.lines.filter(({ event }) => event === 'audit').map((line) => JSON.stringify(line));
  const takenBack = told.filter((line) => line.includes('takenBack'));
  assert.equal(takenBack.length, 3, 'the refused ones whose query could be read, and the other');
  assert.ok(takenBack.every((line) => /engineer|chief/.test(line)));
});

test('a change that is confirmed stays', async (t) => {
  const { gateway, editor } = await setUp(t);
  await editor.change('PUT', '/drivers/line1?confirmWithin=86400', LINE);
  assert.equal((await editor.change('POST', '/_confirm?snapshot=1')).status, 204);
  const ended = once(gateway.process, 'exit');
  gateway.process.kill('SIGKILL');
  await ended;
  const again = await startGateway(t, { directory: gateway.directory });
  assert.deepEqual((await (await logIn(again)).get('/drivers')).json, [{ pid: 'line1', ...LINE }]);
});

test('a crash before the confirmation takes the change back', async (t) => {
  const { gateway, editor } = await setUp(t);
  await editor.change('PUT', '/rest', { basicAuthenticationEnabled: true });
  await editor.change('PUT', '/drivers/line1?confirmWithin=86400', LINE);
  const ended = once(gateway.process, 'exit');
  gateway.process.kill('SIGKILL');
  await ended;
  const again = await startGateway(t, { directory: gateway.directory });
  assert.ok(again.lines.some(({ event }) => event === 'configuration.reverted'));
  assert.deepEqual((await (await logIn(again)).get('/')).json, {
    rest: { basicAuthenticationEnabled: true },
  });
});

test('an unknown path is 404, and a client that lacks the permission gets 403', async (t) => {
  const { gateway, editor } = await setUp(t);
  for (const path of [
    '/nothing',
    '/nothing/x',
    '/drivers/x',
    '/rest/allowedPorts',
    '/__proto__',
    '/identities',
  ]) {
    assert.equal((await editor.get(path)).status, 404, path);
  }
  assert.equal((await editor.change('PUT', '/identities', [])).status, 404);
  assert.equal((await editor.change('PUT', '/drivers/line1', { pid: 'line2', ...LINE })).status, 400);
  assert.equal((await (await logIn(gateway, 'guest')).get('/')).status, 403);
  assert.equal((await (await logIn(gateway, 'guest')).change('PUT', '/', {})).status, 403);
});

test('changes are audited with their effect, and refused ones as failures', async (t) => {
  const { gateway, editor } = await setUp(t);
  const seen = gateway.lines.length;
  await editor.change('PUT', '/drivers/line1', LINE);
  await editor.change('PUT', '/drivers', 'nonsense');
  await editor.change('PUT', '/drivers', {}, { 'If-Match': '"0"' });
  await gateway.stop();
  const told = gateway.lines.slice(seen).filter(({ event }) => event === 'audit');
  assert.deepEqual(
    told.map(({ auditEvent, outcome }) => `${String(auditEvent)} ${String(outcome)}`),
    ['CONFIGURATION_CHANGED SUCCESS', 'CONFIGURATION_CHANGED FAILURE'],
  );
  const { snapshot, added, changes, ...first } = (told[0]?.['detail'] ?? {}) as Record<string, unknown>;
  assert.deepEqual([snapshot, added, changes], [1, 'drivers/line1', 4]);
  assert.deepEqual([first['path[2]'], first['new[2]']], ['drivers/line1/host', '127.0.0.1']);
});
