import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { run } from '../../packaging/run.ts';
import { getServerCertificate } from '../support/certificate-authority.ts';
import { send } from '../support/https-client.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { buildDebianPackage } from './built-package.ts';
import { findMirrors, RELEASE } from './mirror.ts';
import { programOf } from '../support/tools.ts';
import { needs } from '../support/tests-that-need.ts';

test(
  'the package for arm64 starts and answers a request',
  needs('mmdebstrap', 'qemu-aarch64-static'),
  async (t) => {
    const folder = createTemporaryDirectory(t);
    const tree = path.join(folder, 'tree');
    const packageFile = await buildDebianPackage(folder, 'arm64');
    const libraries = ['libc6', 'libgcc-s1', 'libstdc++6'];
    const install = [
      '--quiet',
      '--variant=extract',
      '--architectures=arm64',
      `--include=${libraries.join(',')}`,
    ];
    await run(programOf('mmdebstrap'), [...install, RELEASE, tree, ...findMirrors()]);
    await run('dpkg-deb', ['-x', packageFile, tree]);

    // Emulated, the daemon cannot start the child that would create a certificate.
    const { certificate, privateKey } = await getServerCertificate();
    const configFile = path.join(folder, 'penstock.yaml');
    await mkdir(path.join(folder, 'data'), { mode: 0o700 });
    await writeFile(path.join(folder, 'server.crt'), certificate);
    await writeFile(path.join(folder, 'server.key'), privateKey, { mode: 0o600 });
    const http = { host: '127.0.0.1', httpsPorts: [0], httpsClientAuthPorts: [] };
    const tls = { certificateFile: 'server.crt', privateKeyFile: 'server.key' };
    await writeFile(configFile, JSON.stringify({ dataDirectory: 'data', http, tls }));

    const library = path.join(tree, 'usr/lib/penstock');
    const daemon = spawn(
      programOf('qemu-aarch64-static'),
      [
        '-L',
        tree,
        path.join(library, 'bin/node'),
        path.join(library, 'daemon/main.js'),
        '--config',
        configFile,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    t.after(async () => {
      if (daemon.exitCode !== null) return;
      const exited = once(daemon, 'exit');
      daemon.kill('SIGKILL');
      await exited;
    });
    for await (const line of createInterface({ input: daemon.stdout })) {
      const { event, https } = JSON.parse(line) as {
        readonly event: string;
        readonly https?: readonly number[];
      };
      if (event !== 'ready') continue;
      const answer = await send({ port: https?.[0] ?? 0 }, 'GET', '/services/session/v1/authenticationInfo');
      assert.equal(answer.status, 200);
      return;
    }
    assert.fail('the daemon ended before it was ready');
  },
);
