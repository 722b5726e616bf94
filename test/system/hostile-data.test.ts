import assert from 'node:assert/strict';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

import { startGateway } from '../support/gateway.ts';
import type { GatewayOptions, LogLine } from '../support/gateway.ts';
import { SessionClient } from '../support/https-client.ts';
import { buildPackage } from '../support/package-builder.ts';
import { removePackage, uploadPackage } from '../support/package-upload.ts';
import { IS_ROOT } from '../support/root.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { findProgram } from '../support/programs.ts';

const MAIN = findProgram('daemon/main');
const PASSWORD = 'turbine-password';
const NOBODY = 65_534;
// Root ignores the modes of directories.
const command = IS_ROOT
  ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', process.execPath, MAIN]
  : [process.execPath, MAIN];

// Names that are not UTF-8; a pipe; a link; two paths that together are longer than the system allows.
const SCRIPT = `
  cd "$1" && mkdir -p closed/inner/innermost && touch closed/inner/file && mkfifo pipe && ln -s /etc link
  mkdir "$(printf 'a\\377\\376')" && touch "$(printf '\\303\\050')"`;

const MODULE = `
  import { execFileSync } from 'node:child_process';
  import { chmodSync, mkdirSync, renameSync } from 'node:fs';
  import path from 'node:path';
  const PART = Array(15).fill('d'.repeat(200)).join('/');
  let context;
  export function activate(given) {
    context = given;
    const { dataDirectory } = context.bundle;
    execFileSync('/bin/sh', ['-c', ${JSON.stringify(SCRIPT)}, 'sh', dataDirectory], { env: { PATH: '/usr/bin:/bin' } });
    for (const name of ['upper', 'lower']) mkdirSync(path.join(dataDirectory, name, PART), { recursive: true });
  }
  // At the end, because a bundle whose data cannot be measured is stopped; and quick, because its time is limited.
  export function deactivate() {
    const of = (name) => path.join(context.bundle.dataDirectory, name);
    renameSync(of('lower'), of('upper/' + PART + '/lower'));
    for (const name of ['closed/inner/innermost', 'closed/inner']) chmodSync(of(name), 0);
    for (const name of ['closed', '.']) chmodSync(of(name), 0o555);
    context.logger.info('closed');
  }`;

test('a package whose bundle made its data hard to remove is removed by an ordinary user, and blocks nothing', async (t) => {
  const directory = createTemporaryDirectory(t);
  chmodSync(directory, 0o755);
  const data = path.join(directory, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (IS_ROOT) chownSync(data, NOBODY, NOBODY);
  const identities = [{ name: 'operator', permissions: ['rest.deploy'], password: PASSWORD }];
  const options: GatewayOptions = { directory, command, config: { provision: { identities } } };
  const login = async (port: number | undefined) => {
    const client = new SessionClient({ port: port ?? 0 });
    await client.login('operator', PASSWORD);
    return client;
  };
  const build = (name: string, main: string) =>
    buildPackage({
      symbolicName: name,
      bundles: [{ symbolicName: `${name}.bundle`, main, permissions: 'child-process' }],
    });

  const first = await startGateway(t, options);
  const client = await login(first.httpsPorts[0]);
  const packages = path.join(first.dataDirectory, 'packages');
  // On a busy machine the time of `deactivate` may end before the data is closed; then the round is repeated.
  for (let round = 1, closed = 0; closed < 2; round += 1) {
    const installed = await uploadPackage(client, build('hostile', MODULE));
    assert.equal(installed.state, 'COMPLETED', `${round}: ${installed.message}`);
    const removed = await removePackage(client, 'hostile');
    // The lines reach this process by another way than the answer.
    const count = (isCounted: (line: LogLine) => boolean): number => first.lines.filter(isCounted).length;
    const countClosed = (): number =>
      count(({ event, message }) => event === 'bundle.logged' && message === 'closed');
    const countFailed = (): number => count(({ event }) => event === 'bundle.deactivationFailed');
    while (countClosed() + countFailed() < round) await wait(20);
    closed = countClosed();
    assert.deepEqual([removed.state, removed.message], ['COMPLETED', undefined], `${round}`);
    assert.ok(!existsSync(path.join(packages, 'data/hostile.bundle')));
  }
  assert.equal(await first.stop(), 0);

  const second = await startGateway(t, { ...options, isConfigured: true });
  const again = await login(second.httpsPorts[0]);
  const idle = build('idle', 'export function activate() {}');
  assert.equal((await uploadPackage(again, idle)).state, 'COMPLETED');
  while (readdirSync(path.join(packages, 'trash')).length > 0) {
    await wait(20);
  }
  assert.ok(!second.lines.some(({ event }) => event.startsWith('package.')));
});
