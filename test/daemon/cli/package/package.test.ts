import assert from 'node:assert/strict';
import { once } from 'node:events';
import { truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'node:test';

import { startGateway } from '../../../support/gateway.ts';
import { buildPackage } from '../../../support/package-builder.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';
import { runCommand, startCommand } from '../command.ts';

const PASSWORD = 'turbine-password';
const LIMIT = 1_048_576;
const LOCK = { symbolicName: 'com.example.lock', main: 'export function activate() {}\n' };
const BUNDLE = { symbolicName: 'com.example.pump', main: 'export function activate() {}\n' };

/** Starts a gateway that accepts only small packages, from a folder. */
async function startBench(t: Owner) {
  const folder = createTemporaryDirectory(t);
  const gateway = await startGateway(t, {
    config: {
      deployment: { maximumPackageBytes: LIMIT, fileSourceDirectories: [folder] },
      provision: {
        rest: { basicAuthenticationEnabled: true },
        identities: ['reader', 'installer'].map((name) => ({
          name,
          permissions: [name === 'reader' ? 'rest.assets' : 'rest.deploy'],
          password: PASSWORD,
        })),
      },
    },
  });
  const socket = ['--socket', path.join(gateway.dataDirectory, 'penstock.sock')];
  const penstock = (...words: readonly string[]) => runCommand(t, [...words, ...socket]);
  const put = (name: string, content: string | Uint8Array): string => {
    writeFileSync(path.join(folder, name), content);
    return path.join(folder, name);
  };
  return { gateway, folder, penstock, put };
}

test('package and bundle in normal operation', async (t) => {
  const { penstock, put } = await startBench(t);
  const file = put('pumps.dp', buildPackage({ symbolicName: 'com.example.pumps', bundles: [BUNDLE] }));

  await t.test('install sends a file and waits until its bundles are running', async () => {
    const { status, output, errors } = await penstock('package', 'install', file);
    assert.deepEqual([status, output, errors], [0, 'com.example.pumps 1.0.0 installed\n', '']);
    assert.match((await penstock('package', 'list')).output, /^com\.example\.pumps +1\.0\.0 +1$/m);
    assert.match(
      (await penstock('bundle', 'list')).output,
      /^com\.example\.pumps +com\.example\.pump +1\.0\.0 +ACTIVE +0\.0 of 64\.0 MiB$/m,
    );
  });

  await t.test('bundle restart restarts a bundle, and refuses an unknown one', async () => {
    assert.equal((await penstock('bundle', 'restart', 'com.example.pump')).status, 0);
    assert.equal((await penstock('bundle', 'restart', 'com.example.none')).status, 1);
  });

  await t.test('bundle log shows what a bundle wrote, and refuses an unknown one', async () => {
    const talker = {
      symbolicName: 'com.example.talker',
      main: `export function activate({ logger }) { logger.warn('no line\\u001b[2J', { unit: 7 }); }\n`,
    };
    const content = buildPackage({ symbolicName: 'com.example.talkers', bundles: [talker] });
    assert.equal((await penstock('package', 'install', put('talkers.dp', content))).status, 0);
    const { status, output } = await penstock('bundle', 'log', 'com.example.talker');
    assert.equal(status, 0);
    assert.match(output, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}info {3}gateway: STARTING$/m);
    assert.match(output, / {2}warn {3}no line\\u001b\[2J unit=7$/m);
    const last = await penstock('bundle', 'log', 'com.example.talker', '--lines', '1', '--json');
    assert.partialDeepStrictEqual(JSON.parse(last.output), [{ source: 'GATEWAY', message: 'ACTIVE' }]);
    assert.equal((await penstock('bundle', 'log', 'com.example.none')).status, 1);
    assert.equal((await penstock('bundle', 'log', 'com.example.talker', '--lines', 'all')).status, 2);
    assert.equal((await penstock('package', 'remove', 'com.example.talkers')).status, 0);
  });

  await t.test('install has the gateway fetch a URL, and --json shows the operation', async () => {
    const update = { symbolicName: 'com.example.pumps', version: '1.1.0', bundles: [BUNDLE] };
    const { href } = pathToFileURL(put('update.dp', buildPackage(update)));
    const { status, output } = await penstock('package', 'install', href, '--json');
    const { state, version, url } = JSON.parse(output) as Readonly<Record<string, unknown>>;
    assert.deepEqual([status, state, version, url], [0, 'COMPLETED', '1.1.0', href]);
  });

  await t.test('install and bundle list show what the bundles may use', async () => {
    const keys = {
      ...BUNDLE,
      symbolicName: 'com.example.keys',
      permissions: 'net, authentication',
      identities: 'any',
    };
    const content = buildPackage({ symbolicName: 'com.example.locks', bundles: [keys, LOCK] });
    const { output } = await penstock('package', 'install', put('locks.dp', content));
    assert.equal(
      output,
      'com.example.locks 1.0.0 installed\ncom.example.keys may use: authentication, net, identities: any\n',
    );
    const listed = (await penstock('bundle', 'list')).output;
    assert.match(
      listed,
      /^com\.example\.locks +com\.example\.keys +1\.0\.0 +ACTIVE +authentication, net, identities: any +0\.0 of 64\.0 MiB$/m,
    );
    assert.match(listed, /^com\.example\.locks +com\.example\.lock +1\.0\.0 +ACTIVE +0\.0 of 64\.0 MiB$/m);
    assert.equal((await penstock('package', 'remove', 'com.example.locks')).status, 0);
  });

  await t.test('remove waits until the package is gone', async () => {
    const { status, output } = await penstock('package', 'remove', 'com.example.pumps');
    assert.deepEqual([status, output], [0, 'com.example.pumps 1.1.0 removed\n']);
    assert.equal((await penstock('package', 'list')).output, 'No packages are installed.\n');
    assert.equal((await penstock('package', 'remove', 'com.example.pumps')).status, 1);
  });
});

test('package with errors, and without waiting', async (t) => {
  const { gateway, folder, penstock, put } = await startBench(t);
  const file = put('empty.dp', buildPackage({ symbolicName: 'com.example.empty' }));

  await t.test('an installation that fails leads to exit status 1, its code and its message', async () => {
    const { status, output, errors } = await penstock('package', 'install', put('broken.dp', 'no archive'));
    assert.deepEqual([status, output], [1, '']);
    assert.match(errors, /the package was not installed: 404 the archive cannot be installed/);
    assert.match((await penstock('package', 'status')).output, / INSTALL .* FAILED .* 404 /);
  });

  await t.test('a package that is too large is refused with the message of the gateway', async () => {
    truncateSync(put('large.dp', ''), 64 * LIMIT);
    const { status, errors } = await penstock('package', 'install', path.join(folder, 'large.dp'));
    assert.equal(status, 1);
    assert.match(errors, /larger than 1048576 bytes/);
  });

  const remote = (name: string, ...words: readonly string[]) => {
    const url = `https://127.0.0.1:${gateway.httpsPorts[0]}`;
    const ca = path.join(gateway.dataDirectory, 'tls/server.crt');
    const who = ['--user', name, '--password-file', put('password', `${PASSWORD}\n`)];
    return runCommand(t, ['package', 'install', ...words, '--url', url, '--ca', ca, ...who]);
  };

  await t.test('a user without the permission to install gets exit status 4', async () => {
    const { status, errors } = await remote('reader', file);
    assert.equal(status, 4, errors);
  });

  await t.test('--no-wait leaves an installation to the gateway, here one over the network', async () => {
    const left = await remote('installer', file, '--no-wait');
    assert.match(left.output, /^accepted; "penstock package status [0-9a-f-]+" shows/, left.errors);
    const [, id = ''] = /status ([0-9a-f-]+)"/.exec(left.output) ?? [];
    assert.match((await penstock('package', 'status', id)).output, new RegExp(` INSTALL .* ${id}\n`));
  });

  await t.test('a missing file and a missing argument are distinguished', async () => {
    const { status, errors } = await penstock('package', 'install', path.join(folder, 'none.dp'));
    assert.equal(status, 1);
    assert.match(errors, /none\.dp cannot be read/);
    assert.equal((await penstock('package', 'install')).status, 2);
  });
});

test('package install stops sending on a signal', async (t) => {
  const folder = createTemporaryDirectory(t);
  const socket = path.join(folder, 'socket');
  const file = path.join(folder, 'large.dp');
  writeFileSync(file, '');
  truncateSync(file, 64 * LIMIT);
  // Accepts the request, and reads nothing of its body.
  const server = createServer(() => undefined).listen(socket);
  t.after(() => server.close());
  await once(server, 'listening');
  const command = startCommand(t, ['package', 'install', file, '--socket', socket]);
  await once(server, 'request');
  command.process.kill('SIGINT');
  assert.equal(await command.ended, 1);
  assert.match(command.errors(), /the upload of .*large\.dp was stopped/);
});
