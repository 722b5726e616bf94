import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { createBundle, createSupervisor, RecordingHost } from '../../../../support/bundle-program.ts';

interface Trial {
  /** An expression each; its result, or the code of its error, is reported as text. */
  readonly expressions: Readonly<Record<string, string>>;
  readonly imports?: string;
  readonly permissions?: string;
  /** Further files of the bundle. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Runs a bundle that evaluates expressions, and returns what they gave, by name. */
async function evaluate(
  t: TestContext,
  { expressions, imports = '', permissions = '', files = {} }: Trial,
): Promise<Readonly<Record<string, string>>> {
  const host = new RecordingHost();
  const { supervisor } = createSupervisor(t, { host });
  const list = Object.entries(expressions).map(([name, code]) => `['${name}', async () => ${code}]`);
  const bundle = createBundle(t, {
    permissions,
    source: `
      ${imports}
      import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      export async function activate({ assets }) {
        for (const [name, act] of [${list.join(',\n')}]) {
          const text = await act().then(String, (error) => error?.code ?? String(error));
          await assets.read(name, [text]).catch(() => undefined);
        }
      }`,
  });
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(bundle.directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  await supervisor.start(bundle);
  return Object.fromEntries(
    host.calls.map(([, params]) => {
      const { asset, channels } = params as { asset: string; channels: readonly string[] };
      return [asset, channels[0] ?? ''];
    }),
  );
}

test('a bundle loads its own modules in every way', async (t) => {
  const results = await evaluate(t, {
    files: {
      'part.mjs': 'export const value = 1;',
      'part.cjs': 'exports.value = 2;',
      'part.json': '{ "value": 3 }',
      'lib/index.js': 'exports.value = 4;',
      'node_modules/dep/package.json': '{ "name": "dep", "exports": { ".": "./main.cjs" } }',
      'node_modules/dep/main.cjs': 'exports.value = 5; exports.sibling = require("./other.cjs");',
      'node_modules/dep/other.cjs': 'module.exports = 6;',
      'package.json': '{ "imports": { "#part": "./part.mjs" } }',
      'a b%.cjs': 'exports.value = 7;',
    },
    imports: `import { value } from './part.mjs'; import { sibling } from 'dep';`,
    expressions: {
      import: 'value',
      dynamic: `import('./part.mjs').then((part) => part.value)`,
      url: `import(new URL('part.mjs', import.meta.url)).then((part) => part.value)`,
      absolute: `import(import.meta.dirname + '/part.mjs').then((part) => part.value)`,
      json: `import('./part.json', { with: { type: 'json' } }).then((part) => part.default.value)`,
      map: `import('#part').then((part) => part.value)`,
      package: 'sibling',
      require: `require('./part.cjs').value`,
      folder: `require('./lib').value`,
      dependency: `require('dep').value`,
      escaped: `require('./a b%.cjs').value`,
      resolve: `require.resolve('./part.cjs').endsWith('/part.cjs')`,
      meta: `import.meta.resolve('./part.cjs').endsWith('/part.cjs')`,
      data: `import('data:text/javascript,export default 8').then((part) => part.default)`,
      builtin: `require('fs') === require('node:fs')`,
      missing: `require('./no.cjs')`,
      missingPackage: `import('no-such-package')`,
      unexported: `require('dep/other.cjs')`,
    },
  });
  assert.deepEqual(results, {
    import: '1',
    dynamic: '1',
    url: '1',
    absolute: '1',
    json: '3',
    map: '1',
    package: '6',
    require: '2',
    folder: '4',
    dependency: '5',
    escaped: '7',
    resolve: 'true',
    meta: 'true',
    data: '8',
    builtin: 'true',
    missing: 'MODULE_NOT_FOUND',
    missingPackage: 'ERR_MODULE_NOT_FOUND',
    unexported: 'ERR_PACKAGE_PATH_NOT_EXPORTED',
  });
});

test('the environment of a bundle is an object that only JavaScript sees', async (t) => {
  const results = await evaluate(t, {
    imports: `import { env } from 'node:process'; import tls from 'node:tls';`,
    expressions: {
      empty: 'Object.keys(process.env).length',
      kept: `(process.env.TOPIC = 'a') && env.TOPIC`,
      file: `(process.env.SSL_CERT_FILE = '/nothing') && tls.getCACertificates('system').length > 0`,
      report: 'process.report',
      flag: `process.execArgv.includes('--disable-sigusr1')`,
    },
  });
  assert.deepEqual(results, { empty: '0', kept: 'a', file: 'true', report: 'undefined', flag: 'true' });
});

test('sockets of IPv6 are refused like those of IPv4 without the permission net', async (t) => {
  const results = await evaluate(t, {
    imports: `import dgram from 'node:dgram';`,
    expressions: Object.fromEntries(
      ['udp4', 'udp6'].map((type) => [
        type,
        `new Promise((resolve, reject) => dgram.createSocket('${type}').once('error', reject).bind(0, resolve))`,
      ]),
    ),
  });
  assert.deepEqual(results, { udp4: 'EACCES', udp6: 'EACCES' });
});

test('a bundle with the permission net sends, receives and asks for names', async (t) => {
  const results = await evaluate(t, {
    permissions: 'net',
    imports: `import dgram from 'node:dgram'; import dns from 'node:dns'; import net from 'node:net';`,
    expressions: {
      udp: `new Promise((resolve, reject) => {
        const socket = dgram.createSocket('udp4').on('error', reject).on('message', (text) => resolve(text));
        socket.bind(0, '127.0.0.1', () => dgram.createSocket('udp4').send('hello', socket.address().port, '127.0.0.1'));
      })`,
      tcp: `new Promise((resolve, reject) => {
        const server = net.createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1', () =>
          net.connect(server.address().port, '127.0.0.1').on('data', resolve).on('error', reject));
      })`,
      lookup: `dns.promises.lookup('localhost').then(({ address }) => /^(?:127|::1)/.test(address))`,
      descriptor: `new net.Socket({ fd: 0 })`,
    },
  });
  assert.deepEqual(results, {
    udp: 'hello',
    tcp: 'hello',
    lookup: 'true',
    descriptor: 'ERR_INVALID_FD_TYPE',
  });
});

test('a bundle with the permission child-process starts and ends a program', async (t) => {
  const results = await evaluate(t, {
    permissions: 'child-process',
    imports: `import { execFile, spawn } from 'node:child_process'; import { promisify } from 'node:util';`,
    expressions: {
      output: `promisify(execFile)('/bin/echo', Array.of('hello')).then(({ stdout }) => stdout.trim())`,
      signal: `new Promise((resolve, reject) => {
        const child = spawn('/bin/sleep', Array.of('30')).on('error', reject).on('exit', (status, signal) => resolve(signal));
        child.kill('SIGTERM');
      })`,
    },
  });
  assert.deepEqual(results, { output: 'hello', signal: 'SIGTERM' });
});
