import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setImmediate as nextImmediate } from 'node:timers/promises';

import { systemClock } from '../../../../../daemon/base/clock.ts';
import { Marketplace } from '../../../../../daemon/software/deployment/source/marketplace.ts';
import { digest } from '../../../../../daemon/server/http/idempotent-requests.ts';
import { PACE_WINDOW_MS } from '../../../../../daemon/server/http/body/upload.ts';
import { MAXIMUM_UPLOADS_OF_PARTY } from '../../../../../daemon/server/http/body/upload-slots.ts';
import { createDeploymentRoutes } from '../../../../../daemon/server/rest/software/deployment-routes.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { buildPackage } from '../../../../support/package-builder.ts';
import { startAdmin } from '../../../software/deployment/admin-fixture.ts';
import type { AdminUnderTest } from '../../../software/deployment/admin-fixture.ts';
import { openApplication } from '../../http/application-fixture.ts';
import type { OpenApplication } from '../../http/application-fixture.ts';

const ROOT = '/services/deploy/v2';
const MAXIMUM_BYTES = 200_000;
const BOUNDARY = 'boundary-7d1f';
const demo = {
  symbolicName: 'demo',
  bundles: [{ symbolicName: 'com.example.pump', main: 'export {};\n' }],
};

interface Rest extends AdminUnderTest {
  /** Moves the time that uploads may take. */
  readonly clock: ManualClock;
  readonly open: OpenApplication;
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => ReturnType<OpenApplication['send']>;
}

async function startRest(t: TestContext): Promise<Rest> {
  const settings = { maximumPackageBytes: MAXIMUM_BYTES };
  const under = await startAdmin(t, { settings });
  const marketplace = new Marketplace({
    marketplaceUrl: () => 'http://127.0.0.1:1',
    version: '1.0.0',
    clock: systemClock,
  });
  const maximumPackageBytes = (): number => MAXIMUM_BYTES;
  const clock = new ManualClock();
  const open = await openApplication(
    t,
    createDeploymentRoutes({ admin: under.admin, marketplace, maximumPackageBytes, clock }),
  );
  return {
    ...under,
    open,
    clock,
    send: (method, target, body, headers = {}) =>
      open.send(method, `${ROOT}${target}`, { body, headers: { Authorization: 'deploy', ...headers } }),
  };
}

function toForm(content: Uint8Array, field = 'file', end = `\r\n--${BOUNDARY}--\r\n`): Buffer {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="../../a.dp"\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), content, Buffer.from(end)]);
}

const FORM = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };

function listSpool({ packagesDirectory }: AdminUnderTest): readonly string[] {
  return readdirSync(path.join(packagesDirectory, 'spool'));
}

test('a package is installed by URL, shown, and uninstalled', async (t) => {
  const rest = await startRest(t);
  assert.deepEqual((await rest.send('GET', '/')).json, []);
  const url = rest.write(demo);
  const accepted = await rest.send('POST', '/_install', { url });
  assert.deepEqual([accepted.status, accepted.json], [200, 'REQUEST_RECEIVED']);
  const again = await rest.send('POST', '/_install', { url });
  assert.equal(again.json, 'INSTALLING');
  assert.equal(again.headers['location'], accepted.headers['location']);
  const id = accepted.headers['location']?.split('/').at(-1) ?? '';
  await rest.ended(id);
  const bundles = [{ name: 'com.example.pump', version: '1.0.0', state: 'ACTIVE' }];
  assert.deepEqual((await rest.send('GET', '')).json, [{ name: 'demo', version: '1.0.0', bundles }]);
  const { startedAt, finishedAt, ...status } = (await rest.send('GET', `/_status/${id}`)).json as Record<
    string,
    unknown
  >;
  assert.deepEqual(status, {
    id,
    operation: 'INSTALL',
    url,
    name: 'demo',
    version: '1.0.0',
    state: 'COMPLETED',
    phase: 'FINISHED',
    percent: 100,
  });
  assert.ok(Number(startedAt) <= Number(finishedAt));

  const removal = await rest.send('DELETE', '/demo');
  assert.deepEqual([removal.status, removal.json], [200, 'REQUEST_RECEIVED']);
  await rest.ended(removal.headers['location']?.split('/').at(-1) ?? '');
  assert.equal((await rest.send('DELETE', '/demo')).status, 404);
  const operations = (await rest.send('GET', '/_status')).json as readonly { readonly operation: string }[];
  assert.deepEqual(
    operations.map(({ operation }) => operation),
    ['UNINSTALL', 'INSTALL'],
  );
});

test('an invalid package URL is refused', async (t) => {
  const rest = await startRest(t);
  const bodies = [
    {},
    { url: '' },
    { url: 'a.dp' },
    { url: 'ftp://a/b.dp' },
    { url: 7 },
    [],
    { url: 'http://a:b@c/' },
  ];
  for (const body of bodies) {
    assert.equal((await rest.send('POST', '/_install', body)).status, 400, JSON.stringify(body));
  }
  assert.equal((await rest.send('POST', '/_install', '{', {})).status, 400);
  assert.equal((await rest.send('GET', '/_status/unknown')).status, 404);
});

test('a package uploaded as a form is installed, and the upload leaves no file', async (t) => {
  const rest = await startRest(t);
  const answer = await rest.send('POST', '/_upload', toForm(buildPackage(demo)), FORM);
  assert.deepEqual([answer.status, answer.json], [200, 'REQUEST_RECEIVED']);
  const operation = await rest.ended(answer.headers['location']?.split('/').at(-1) ?? '');
  assert.equal(operation.state, 'COMPLETED', operation.message);
  assert.equal(operation.requester.identity, 'deploy');
  assert.deepEqual(listSpool(rest), []);
});

test('a form without the file, a form with two files, and an invalid form are refused and leave no file', async (t) => {
  const rest = await startRest(t);
  const bytes = buildPackage(demo);
  const two = Buffer.concat([toForm(bytes, 'file', '\r\n'), toForm(bytes)]);
  const cut = toForm(bytes, 'file', '');
  for (const body of [
    toForm(bytes, 'other'),
    two,
    cut,
    Buffer.from('text'),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]) {
    const answer = await rest.send('POST', '/_upload', body, FORM);
    assert.equal(answer.status, 400, body.subarray(0, 120).toString());
  }
  const noBoundary = { 'Content-Type': 'multipart/form-data' };
  assert.equal((await rest.send('POST', '/_upload', toForm(bytes), noBoundary)).status, 400);
  assert.equal((await rest.send('POST', '/_upload', { file: 'a' })).status, 415);
  assert.deepEqual(listSpool(rest), []);
  assert.deepEqual(rest.admin.operations(), []);
});

test('a package over the limit is answered with 413, whatever its announced length, and leaves no file', async (t) => {
  const rest = await startRest(t);
  const tooLarge = Buffer.alloc(MAXIMUM_BYTES + 1);
  assert.equal((await rest.send('POST', '/_upload', toForm(tooLarge), FORM)).status, 413);
  assert.equal(
    (await rest.send('POST', '/_upload', toForm(Buffer.alloc(10 * MAXIMUM_BYTES)), FORM)).status,
    413,
  );
  assert.deepEqual(listSpool(rest), []);
  const exactly = await rest.send('POST', '/_upload', toForm(tooLarge.subarray(1)), FORM);
  assert.equal(exactly.status, 200);
});

function listWritten({ packagesDirectory }: AdminUnderTest): readonly string[] {
  const directory = path.join(packagesDirectory, 'spool');
  return readdirSync(directory).filter((name) => statSync(path.join(directory, name)).size > 0);
}

/** Begins an upload of which only a part is sent; resolves once its file is written to. */
async function beginUpload(rest: Rest, identity: string): Promise<StartedUpload> {
  const { length } = listWritten(rest);
  const content = toForm(buildPackage(demo));
  const socket = connect(rest.open.port, '127.0.0.1');
  const head = [
    `POST ${ROOT}/_upload HTTP/1.1`,
    'Host: localhost',
    `Authorization: ${identity}`,
    `Content-Type: ${FORM['Content-Type']}`,
    `Content-Length: ${content.length}`,
  ];
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  const closed = once(socket, 'close').then(() => text);
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(content.subarray(0, 300));
  while (listWritten(rest).length === length) await nextImmediate();
  return { socket, closed };
}

interface StartedUpload {
  readonly socket: Socket;
  /** All that was received by the time the connection was closed. */
  readonly closed: Promise<string>;
}

test('an upload that stands still keeps nobody else from uploading', async (t) => {
  const rest = await startRest(t);
  const slow = await beginUpload(rest, 'deploy');
  const answer = await rest.send('POST', '/_upload', toForm(buildPackage(demo)), FORM);
  assert.equal(answer.status, 200);
  slow.socket.destroy();
  while (listSpool(rest).length > 0) await nextImmediate();
});

test('an upload that is too slow ends with 408 and leaves no file', async (t) => {
  const rest = await startRest(t);
  const slow = await beginUpload(rest, 'deploy');
  rest.clock.advance(PACE_WINDOW_MS);
  const received = await slow.closed;
  assert.match(received, /^HTTP\/1\.1 408 /);
  assert.match(received, /"message":"the upload is too slow/);
  assert.deepEqual(listSpool(rest), []);
});

test('an identity has a share of the uploads, and the others have the rest', async (t) => {
  const rest = await startRest(t);
  const own: StartedUpload[] = [];
  for (let count = 0; count < MAXIMUM_UPLOADS_OF_PARTY; count += 1)
    own.push(await beginUpload(rest, 'deploy'));
  const content = toForm(buildPackage(demo));
  const refused = await rest.send('POST', '/_upload', content, FORM);
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  for (const { socket } of own) socket.destroy();
  while (listSpool(rest).length > 0) await nextImmediate();
  let next = await rest.send('POST', '/_upload', content, FORM);
  while (next.status === 429) next = await rest.send('POST', '/_upload', content, FORM);
  assert.equal(next.status, 200);
});

test('an unreachable marketplace is answered with 502, a link of another marketplace with 400', async (t) => {
  const rest = await startRest(t);
  const url = 'http://127.0.0.1:1/marketplace-client-intro?mpc_install=1';
  assert.equal((await rest.send('PUT', '/_packageDescriptor', { url })).status, 502);
  const other = url.replace(':1/', ':2/');
  assert.equal((await rest.send('PUT', '/_packageDescriptor', { url: other })).status, 400);
  assert.equal((await rest.send('PUT', '/_packageDescriptor', {})).status, 400);
});

test('every request requires the permission', async (t) => {
  const { open } = await startRest(t);
  const requests: readonly (readonly [string, string])[] = [
    ['GET', ''],
    ['GET', '/_status'],
    ['GET', '/_status/a'],
    ['POST', '/_install'],
    ['POST', '/_upload'],
    ['DELETE', '/demo'],
    ['PUT', '/_packageDescriptor'],
  ];
  for (const [method, target] of requests) {
    const type = target === '/_upload' ? FORM : { 'Content-Type': 'application/json' };
    const headers = { ...type, Authorization: 'assets' };
    const { status } = await open.send(method, `${ROOT}${target}`, { headers, body: '' });
    assert.equal(status, 403, `${method} ${target}`);
  }
});

test('an upload that is repeated with its key is installed once, whatever its boundary, and leaves no file', async (t) => {
  const rest = await startRest(t);
  const bytes = buildPackage(demo);
  const key = { 'Idempotency-Key': 'install-1' };
  const first = await rest.send('POST', '/_upload', toForm(bytes), { ...FORM, ...key });
  await rest.ended(first.headers['location']?.split('/').at(-1) ?? '');
  const other = Buffer.from(
    toForm(bytes).toString('latin1').replaceAll(BOUNDARY, 'other-boundary'),
    'latin1',
  );
  const type = { 'Content-Type': 'multipart/form-data; boundary=other-boundary' };
  const second = await rest.send('POST', '/_upload', other, { ...type, ...key });
  assert.deepEqual([second.status, second.json], [200, 'REQUEST_RECEIVED']);
  assert.equal(second.headers['location'], first.headers['location']);
  assert.equal(second.headers['idempotency-replayed'], 'true');
  const different = buildPackage({ ...demo, version: '2.0.0' });
  const refused = await rest.send('POST', '/_upload', toForm(different), { ...FORM, ...key });
  assert.equal(refused.status, 422);
  assert.equal(rest.admin.operations().length, 1);
  assert.deepEqual(listSpool(rest), []);
});

test('of two uploads with one key at once the second is 409, before its file is received', async (t) => {
  const rest = await startRest(t);
  const form = toForm(buildPackage(demo));
  const head =
    `POST ${ROOT}/_upload HTTP/1.1\r\nHost: a\r\nAuthorization: deploy\r\nIdempotency-Key: install-1\r\n` +
    `Content-Type: ${FORM['Content-Type']}\r\nContent-Length: ${form.length}\r\n\r\n`;
  const socket = connect(rest.open.port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write(Buffer.concat([Buffer.from(head), form.subarray(0, 200)]));
  while (listSpool(rest).length === 0) await new Promise((resolve) => setImmediate(resolve));
  const key = { 'Idempotency-Key': 'install-1' };
  assert.equal((await rest.send('POST', '/_upload', form, { ...FORM, ...key })).status, 409);
  // The client goes, and may send it again.
  socket.destroy();
  while (listSpool(rest).length > 0) await new Promise((resolve) => setImmediate(resolve));
  let status = 409;
  while (status === 409) ({ status } = await rest.send('POST', '/_upload', form, { ...FORM, ...key }));
  assert.equal(status, 200);
});

test('an installation and a removal that are repeated with their keys are done once', async (t) => {
  const rest = await startRest(t);
  const url = rest.write(demo);
  for (const [method, target, body] of [
    ['POST', '/_install', { url }],
    ['DELETE', '/demo', undefined],
  ] as const) {
    const key = { 'Idempotency-Key': `${method}-1` };
    const first = await rest.send(method, target, body, key);
    await rest.ended(first.headers['location']?.split('/').at(-1) ?? '');
    const again = await rest.send(method, target, body, key);
    assert.deepEqual([again.status, again.json], [200, 'REQUEST_RECEIVED']);
    assert.equal(again.headers['location'], first.headers['location']);
    assert.equal(again.headers['idempotency-replayed'], 'true');
  }
  assert.equal(rest.admin.operations().length, 2);
});

test('a request whose answer an earlier run did not record names the operation that it began, or begins it', async (t) => {
  const rest = await startRest(t);
  const owner = { identity: 'deploy', key: 'install-1' };
  const body = JSON.stringify({ url: rest.write(demo) });
  const asked = digest(`POST\n${ROOT}/_install\n${digest(body)}`);
  const install = () => rest.send('POST', '/_install', body, { 'Idempotency-Key': owner.key });
  const crash = () => {
    rest.open.requestKeys.release(owner);
    rest.open.requestKeys.claim({ ...owner, digest: asked, bodyBytes: body.length });
  };
  crash();
  const first = await install();
  assert.deepEqual([first.json, first.headers['idempotency-replayed']], ['REQUEST_RECEIVED', undefined]);
  await rest.ended(first.headers['location']?.split('/').at(-1) ?? '');
  crash();
  const second = await install();
  assert.deepEqual([second.json, second.headers['idempotency-replayed']], ['REQUEST_RECEIVED', 'true']);
  assert.equal(second.headers['location'], first.headers['location']);
  assert.equal(rest.admin.operations().length, 1);
});
