import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { run } from '../../packaging/run.ts';
import { makeRepositoryKey } from '../support/repository-key.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { readBlocks } from '../support/documented-commands.ts';
import { describeMissing } from '../support/tools.ts';
import { APT, buildDebianPackage, ROOT } from './built-package.ts';
import { bootContainer, findObstacle } from './container.ts';
import { buildOtherRelease } from './other-release.ts';

const obstacle = findObstacle() ?? describeMissing(['apt-ftparchive', 'gpg', 'gpgconf', 'xz']);
const options = obstacle === undefined ? {} : { skip: obstacle };

/** The commands of the page for those who install, with the repository on this machine. */
function readCommands(): string {
  const block = readBlocks('docs/how-to/installation.md').find(({ text }) => text.includes('sources.list.d'));
  return (block?.text ?? '').replaceAll('https://packages.example.org', 'http://localhost:8088');
}

/** Serves a folder, with what every Debian has. */
const SERVER = `use IO::Socket::INET;
$open = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 8088, Listen => 9, ReuseAddr => 1) or die;
while ($client = $open->accept) {
  while (defined($line = <$client>) && $line =~ m{^GET (/\\S*)}) {
    $path = "/root/run/apt$1";
    while (defined($line = <$client>) && $line !~ /^\\r?$/) {}
    if (-f $path && open my $file, '<:raw', $path) {
      local $/; my $body = <$file>;
      print $client "HTTP/1.1 200 OK\\r\\nContent-Length: " . length($body) . "\\r\\n\\r\\n" . $body;
    } else { print $client "HTTP/1.1 404 Not Found\\r\\nContent-Length: 0\\r\\n\\r\\n"; }
  }
}
`;

test(
  'apt installs and upgrades from the repository, and refuses what was tampered with',
  options,
  async (t) => {
    const folder = createTemporaryDirectory(t);
    const first = await buildDebianPackage(folder);
    const key = makeRepositoryKey(t);
    const site = path.join(createTemporaryDirectory(t), 'apt');
    const publish = (packages: string): Promise<string> =>
      run('npm', ['run', '-s', 'apt-repository', '--', '--key', key, '--out', site, '--packages', packages], {
        cwd: ROOT,
      });
    await publish(folder);

    const container = await bootContainer(t);
    const served = path.join(container.shared, 'apt');
    const serve = async (): Promise<void> => {
      await container.shell('rm -rf apt');
      await cp(site, served, { recursive: true });
    };
    await serve();
    await writeFile(path.join(container.shared, 'server.pl'), SERVER);
    // The mirrors of Debian are not reached from there.
    await container.shell(`rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*
    systemd-run --quiet --unit=site perl /root/run/server.pl; sleep 1`);

    await t.test('without the key nothing is installed', async () => {
      const [, addSource = '', install = ''] = readCommands().split(/(?<!\\)\n/);
      assert.match(addSource, /sources\.list\.d/);
      await container.shell(addSource);
      assert.notEqual((await container.run(install)).status, 0);
      assert.notEqual((await container.run('dpkg-query -W penstock')).status, 0);
    });

    await t.test('with the commands of the page the gateway runs', async () => {
      await container.shell(readCommands());
      const output = await container.shell(`
      systemctl is-active penstock.service; apt-cache policy penstock`);
      assert.match(output, /^active$/m);
      assert.match(output, /8088 stable\/main amd64 Packages/);
    });

    const next = createTemporaryDirectory(t);
    await buildOtherRelease(first, next, {
      version: '9.0.0',
      configuration: '# 9.0.0\n',
      hasNewerStore: false,
    });

    await t.test('a package whose bytes were changed is refused', async () => {
      await publish(next);
      await serve();
      const file = path.join(served, 'pool/main/p/penstock/penstock_9.0.0_amd64.deb');
      const bytes = await readFile(file);
      bytes.writeUInt8(bytes.readUInt8(bytes.length - 100) ^ 1, bytes.length - 100);
      await writeFile(file, bytes);
      const { status, output } = await container.run(
        `${APT} update && ${APT} install --only-upgrade penstock`,
      );
      assert.notEqual(status, 0);
      assert.match(output, /Hash Sum mismatch/);
      assert.doesNotMatch(await container.shell('dpkg-query -W penstock'), /9\.0\.0/);
    });

    await t.test('a list that was changed is refused', async () => {
      await serve();
      const file = path.join(served, 'dists/stable/InRelease');
      await writeFile(file, (await readFile(file, 'utf8')).replace('Suite: stable', 'Suite: stalbe'));
      const { status, output } = await container.run(`${APT} --error-on=any update`);
      assert.notEqual(status, 0);
      assert.match(output, /BADSIG|invalid/);
    });

    await t.test('the next release is an upgrade, and the gateway runs on', async () => {
      await serve();
      const output = await container.shell(`
      ${APT} --error-on=any update >&2 && ${APT} upgrade >&2
      dpkg-query -W -f '\${Version}\\n' penstock; systemctl is-active penstock.service; penstock --version`);
      assert.match(output, /^9\.0\.0\nactive\n/m);
    });

    await t.test('the release before is still there', async () => {
      const { version } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
        readonly version: string;
      };
      await container.shell(`${APT} install --allow-downgrades penstock=${version}`);
      assert.match(
        await container.shell('dpkg-query -W penstock'),
        new RegExp(version.replaceAll('.', String.raw`\.`)),
      );
    });
  },
);
