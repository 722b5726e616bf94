import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';

import { composeGateway } from '../../daemon/compose/gateway.ts';
import { systemHostServices } from '../../daemon/compose/host-services.ts';
import { loadSettingsFile } from '../../daemon/settings/settings-file.ts';
import { getCertificateAuthority, getClientCertificate } from '../support/certificate-authority.ts';
import { send } from '../support/https-client.ts';
import type { ClientRequest } from '../support/https-client.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const INDEX = `<!doctype html><title>Penstock</title><script type="module" src="./assets/index-1.js"></script>${' '.repeat(500)}`;
const SCRIPT = `// ${'x'.repeat(400_000)}\n`;
const POLICY =
  "default-src 'self';img-src 'self' blob: data:;worker-src 'self';object-src 'none';base-uri 'none';" +
  "form-action 'none';frame-ancestors 'none'";

/** Writes a built console with compressed forms, and things that must never be sent. */
function writeSite(directory: string): string {
  mkdirSync(path.join(directory, 'assets'), { recursive: true });
  for (const [name, text] of [
    ['index.html', INDEX],
    ['assets/index-1.js', SCRIPT],
  ] as const) {
    writeFileSync(path.join(directory, name), text);
    writeFileSync(path.join(directory, `${name}.br`), brotliCompressSync(text));
    writeFileSync(path.join(directory, `${name}.gz`), gzipSync(text));
  }
  writeFileSync(path.join(directory, 'assets/font-1.woff2'), 'a font');
  writeFileSync(path.join(directory, 'assets/tiny-1.css'), 'a{}');
  writeFileSync(path.join(directory, 'assets/tiny-1.css.gz'), gzipSync('a{}'));
  writeFileSync(path.join(directory, 'sources.sha256'), 'a digest');
  writeFileSync(path.join(directory, 'assets/a space.js'), 'never');
  writeFileSync(path.join(directory, '..', 'secret.html'), 'a secret');
  symlinkSync('../secret.html', path.join(directory, 'linked.html'));
  return directory;
}

/** Starts a gateway whose console lies in this folder. */
async function startWith(t: TestContext, consoleDirectory: string, config: object = {}) {
  const directory = createTemporaryDirectory(t);
  const file = path.join(directory, 'penstock.yaml');
  writeFileSync(path.join(directory, 'client-ca.pem'), (await getCertificateAuthority()).certificate);
  const http = { host: '127.0.0.1', ports: [0], httpsPorts: [0], httpsClientAuthPorts: [0] };
  const tls = { clientCertificateAuthoritiesFile: 'client-ca.pem' };
  const write = (more: object): void =>
    writeFileSync(file, JSON.stringify({ dataDirectory: 'data', http, tls, ...more }));
  write(config);
  const logger = createMemoryLogger();
  const hostServices = {
    ...systemHostServices,
    consoleDirectories: [path.join(directory, 'none'), consoleDirectory],
  };
  const gateway = await composeGateway({ loaded: await loadSettingsFile(file), logger, hostServices });
  await gateway.start(new AbortController().signal);
  t.after(() => gateway.stop());
  const { http: plainPorts, https, httpsClientAuth } = gateway.openPorts();
  const plain = { port: plainPorts[0] ?? 0, plain: true };
  return {
    plain,
    secure: { port: https[0] ?? 0 },
    certified: { port: httpsClientAuth[0] ?? 0, ...(await getClientCertificate('somebody')) },
    socketPath: path.join(directory, 'data', 'penstock.sock'),
    lines: logger.lines,
    get: (target: string, headers: ClientRequest['headers'] = {}) => send(plain, 'GET', target, { headers }),
    reload: async (more: object) => {
      write(more);
      await gateway.reload(await loadSettingsFile(file));
    },
  };
}

const startWithSite = (t: TestContext, config: object = {}) =>
  startWith(t, writeSite(path.join(createTemporaryDirectory(t), 'console')), config);

test('every port serves the page and its files, with restrictions of their own', async (t) => {
  const { plain, secure, certified } = await startWithSite(t);
  for (const client of [plain, secure, certified]) {
    const { status, headers, text } = await send(client, 'GET', '/');
    assert.equal(status, 200);
    assert.equal(text, INDEX);
    const { date, 'x-request-id': requestId, ...others } = headers;
    assert.ok(date !== undefined && requestId !== undefined);
    assert.deepEqual(others, {
      'cache-control': 'no-cache',
      connection: 'close',
      'content-length': String(INDEX.length),
      'content-security-policy': POLICY,
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      etag: tagOf(INDEX),
      'referrer-policy': 'no-referrer',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    const script = await send(client, 'GET', '/assets/index-1.js');
    assert.equal(script.text, SCRIPT);
    assert.equal(script.headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(script.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(script.headers['content-security-policy'], POLICY);
  }
});

test('the shortest form that the client accepts is sent', async (t) => {
  const { get } = await startWithSite(t);
  const target = '/assets/index-1.js';
  const forms = [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
    ['identity', undefined, undefined],
    ['br;q=0, *;q=0', undefined, undefined],
  ] as const;
  const tags = new Set<string | undefined>();
  for (const [accepted, coding, decode] of forms) {
    const { headers, bytes } = await get(target, { 'Accept-Encoding': accepted });
    assert.equal(headers['content-encoding'], coding, accepted);
    assert.equal(headers.vary, 'Accept-Encoding');
    assert.equal(headers['content-length'], String(bytes.length));
    assert.equal((decode === undefined ? bytes : decode(bytes)).toString(), SCRIPT);
    tags.add(headers.etag);
  }
  assert.equal(tags.size, 3);
  const { headers } = await get('/assets/font-1.woff2', { 'Accept-Encoding': 'br' });
  assert.deepEqual([headers['content-encoding'], headers.vary], [undefined, undefined]);
  // Its compressed form is longer than the file.
  assert.equal((await get('/assets/tiny-1.css', { 'Accept-Encoding': 'gzip' })).text, 'a{}');
});

test('a client that has the present form gets 304', async (t) => {
  const { get } = await startWithSite(t);
  const { headers: first } = await get('/', { 'Accept-Encoding': 'br' });
  const etag = first.etag ?? '';
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { status, headers, bytes } = await get('/', { 'Accept-Encoding': 'br', 'If-None-Match': known });
    assert.equal(status, 304, known);
    assert.equal(bytes.length, 0);
    assert.equal(headers.etag, etag);
    assert.equal(headers['cache-control'], 'no-cache');
    assert.equal(headers['content-security-policy'], POLICY);
    assert.equal(headers['content-type'], undefined);
  }
  for (const known of ['"other"', etag.replaceAll('"', '')]) {
    assert.equal((await get('/', { 'Accept-Encoding': 'br', 'If-None-Match': known })).status, 200);
  }
  // The tag of another form names other bytes.
  assert.equal((await get('/', { 'If-None-Match': etag })).status, 200);
});

test('HEAD has the header fields alone, and other methods are refused', async (t) => {
  const { plain } = await startWithSite(t);
  const { status, headers, bytes } = await send(plain, 'HEAD', '/');
  assert.equal(status, 200);
  assert.equal(headers['content-length'], String(INDEX.length));
  assert.equal(bytes.length, 0);
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const refused = await send(plain, method, '/', { body: {} });
    assert.equal(refused.status, 405, method);
    assert.equal(refused.headers.allow, 'GET, HEAD, OPTIONS');
    assert.equal(refused.headers['content-security-policy'], "default-src 'none';frame-ancestors 'none'");
  }
  const options = await send(plain, 'OPTIONS', '/assets/index-1.js');
  assert.deepEqual([options.status, options.headers.allow], [200, 'GET, HEAD, OPTIONS']);
});

test('nothing but the files of the build is found, by their exact names', async (t) => {
  const { get } = await startWithSite(t);
  for (const target of [
    '/index.html',
    '//',
    '/assets',
    '/assets/',
    '/assets/none.js',
    '/assets/index-1.js/',
    '/assets/index-1.js.gz',
    '/assets/index-1.js.br',
    '/Assets/index-1.js',
    '/assets/../assets/index-1.js',
    '/assets/%69ndex-1.js',
    '/assets/a%20space.js',
    '/assets%2findex-1.js',
    '/sources.sha256',
    '/linked.html',
    '/secret.html',
    '/../secret.html',
    '/%2e%2e/secret.html',
    '/..%2fsecret.html',
    '/constructor',
    '/services',
    '/%',
  ]) {
    const { status, json } = await get(target);
    assert.equal(status, 404, target);
    assert.deepEqual(json, { message: 'nothing at this path' });
  }
});

test('a link of another site opens the page, whatever it adds to the address', async (t) => {
  const { get } = await startWithSite(t);
  const headers = {
    'Sec-Fetch-Site': 'cross-site',
    'Sec-Fetch-Mode': 'navigate',
    'Sec-Fetch-Dest': 'document',
    Accept: 'text/html,application/xhtml+xml',
  };
  assert.equal((await get('/?from=elsewhere', headers)).status, 200);
  assert.equal((await get('/?from=%00', headers)).status, 400);
});

test('the local socket serves no console', async (t) => {
  const { socketPath } = await startWithSite(t);
  const status = await new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, path: '/' }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
  assert.equal(status, 404);
});

test('a console that is switched off answers 404 until a reload switches it on', async (t) => {
  const { get, reload } = await startWithSite(t, { console: { enabled: false } });
  assert.equal((await get('/')).status, 404);
  assert.equal((await get('/assets/index-1.js')).status, 404);
  await reload({ console: { enabled: true } });
  assert.equal((await get('/')).status, 200);
  await reload({ console: { enabled: false } });
  assert.equal((await get('/')).status, 404);
});

test('a port that may not serve the interface serves no console either', async (t) => {
  const { plain, secure } = await startWithSite(t, { provision: { rest: { allowedPorts: [1] } } });
  assert.equal((await send(plain, 'GET', '/')).status, 404);
  assert.equal((await send(secure, 'GET', '/')).status, 404);
});

test('a gateway without a built console runs, and says so once', async (t) => {
  const { get, lines } = await startWith(t, createTemporaryDirectory(t));
  assert.equal((await get('/')).status, 404);
  assert.equal((await get('/services/session/v1/authenticationInfo')).status, 200);
  const told = lines.filter(({ event }) => event.startsWith('console.'));
  assert.deepEqual(
    told.map(({ level, event }) => [level, event]),
    [['info', 'console.notInstalled']],
  );
});

test('a gateway whose console cannot be read runs without it, and says why', async (t) => {
  const directory = path.join(createTemporaryDirectory(t), 'console');
  writeFileSync(directory, 'a file where a folder should be');
  const { get, lines } = await startWith(t, directory);
  assert.equal((await get('/')).status, 404);
  const told = lines.filter(({ event }) => event.startsWith('console.'));
  assert.deepEqual(
    told.map(({ level, event }) => [level, event]),
    [['error', 'console.notLoaded']],
  );
});

test('a gateway with too large a console runs without it', async (t) => {
  const directory = writeSite(path.join(createTemporaryDirectory(t), 'console'));
  writeFileSync(path.join(directory, 'assets/large-1.js'), Buffer.alloc(8 * 1024 * 1024));
  const { get, lines } = await startWith(t, directory);
  assert.equal((await get('/')).status, 404);
  const told = lines.filter(({ event }) => event.startsWith('console.'));
  assert.deepEqual(
    told.map(({ level, event }) => [level, event]),
    [['error', 'console.notLoaded']],
  );
});

function tagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
