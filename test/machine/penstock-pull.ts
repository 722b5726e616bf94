import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { isShell, readBlocks } from '../support/documented-commands.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { APT, buildDebianPackage } from './built-package.ts';
import { bootContainer, findObstacle } from './container.ts';
import { MANAGED_PACKAGES } from './managed-gateways.ts';

const obstacle = findObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };

// A server for git, and an engineer who has a key for SSH signatures, one for OpenPGP, and one that the gateway does not trust.
const PREPARE = `
  useradd --create-home --home-dir /srv/git --shell /usr/bin/git-shell git
  su git -s /bin/sh -c 'git init --quiet --bare -b main /srv/git/hall-3.git'
  for name in id engineer unknown; do ssh-keygen -q -t ed25519 -N '' -C $name -f $name; done
  install -D -o git -g git -m 600 id.pub /srv/git/.ssh/authorized_keys
  gpg --quiet --batch --passphrase '' --quick-generate-key engineer@plant.example ed25519 sign never
  git config --global safe.directory '*'
  git config --global user.name Engineer
  git config --global user.email engineer@plant.example
  git clone --quiet /srv/git/hall-3.git plant && mkdir plant/provision.d
  systemd-run --quiet --unit=plant penstock simulate --protocols modbus-tcp --port 502`;

const KEYS = `
  sed -i 's#^REPOSITORY=.*#REPOSITORY=ssh://git@localhost/srv/git/hall-3.git#' /etc/penstock-pull/settings
  install -m 600 id /etc/penstock-pull/id
  ssh-keyscan -t ed25519 localhost 2>/dev/null >/etc/penstock-pull/known_hosts
  echo "engineer@plant.example $(cat engineer.pub)" >/etc/penstock-pull/allowed_signers
  install -d -m 700 /etc/penstock-pull/gnupg
  gpg --quiet --export engineer@plant.example | gpg --quiet --batch --homedir /etc/penstock-pull/gnupg --import`;

type Signature = 'SSH' | 'OPENPGP' | 'UNKNOWN' | 'NONE';

const SIGNING: Readonly<Record<Signature, string>> = {
  SSH: '-c gpg.format=ssh -c user.signingkey=/root/run/engineer.pub commit -S',
  OPENPGP: '-c gpg.format=openpgp -c user.signingkey=engineer@plant.example commit -S',
  UNKNOWN: '-c gpg.format=ssh -c user.signingkey=/root/run/unknown.pub commit -S',
  NONE: 'commit',
};

/** Provision file with a driver and an asset at a port of the machine. */
const describePlant = (pid: string, port: number): string =>
  `drivers: [{ pid: ${pid}Line, type: modbus, host: 127.0.0.1, port: ${port} }]
assets: [{ pid: ${pid}, driver: ${pid}Line, template: example-heating }]
`;

test('a gateway follows a git repository, and only to signed commits that work', options, async (t) => {
  const packageFile = await buildDebianPackage(createTemporaryDirectory(t));
  const container = await bootContainer(t, { packages: MANAGED_PACKAGES });
  await copyFile(packageFile, path.join(container.shared, 'penstock.deb'));
  await container.shell(`${APT} install ./penstock.deb >&2; ${PREPARE}`);
  const [failures = '', install = '', begin = ''] = readBlocks('docs/how-to/git.md')
    .filter(isShell)
    .map(({ text }) => text);

  const push = async (name: string, content: string, signature: Signature): Promise<string> => {
    await writeFile(path.join(container.shared, 'plant/provision.d', name), content);
    return (
      await container.shell(`cd plant && git add -A && git ${SIGNING[signature]} --quiet -m change >&2 &&
        git push --quiet origin HEAD:main >&2 && git rev-parse HEAD`)
    ).trim();
  };
  const drop = (): Promise<string> =>
    container.shell(
      'cd plant && git reset --quiet --hard HEAD~1 && git push --quiet --force origin HEAD:main',
    );
  const listAssets = async (): Promise<string> => (await container.shell('penstock asset list')).trim();
  const pull = () => container.run('systemctl start penstock-pull.service');
  const refuse = async (reason: RegExp): Promise<void> => {
    assert.notEqual((await pull()).status, 0);
    const alert = await container.shell(failures);
    assert.match(alert, /Active: failed/);
    assert.match(alert, reason);
    assert.match(
      await container.shell('systemctl --failed --plain --no-legend'),
      /^penstock-pull\.service /m,
    );
  };

  await t.test('the commands of the page install it, and a commit signed with SSH is applied', async () => {
    const commit = await push('plant.yaml', describePlant('heating', 502), 'SSH');
    await container.shell(install.replace('apt-get', APT));
    await container.shell(KEYS);
    await container.shell(begin);
    assert.match(
      await container.shell('journalctl -u penstock-pull.service -o cat'),
      new RegExp(`^applied the commit ${commit}$`, 'm'),
    );
    assert.equal(await listAssets(), 'heating');
    assert.match(await container.shell('penstock asset read heating'), /^flowTemperature +[\d.]+ +degC/m);
    assert.match(
      await container.shell(
        'systemctl is-enabled penstock-pull.timer; systemctl is-active penstock-pull.timer',
      ),
      /^enabled\nactive$/m,
    );
    // Only the service is tried from now on.
    await container.shell('systemctl stop penstock-pull.timer');
  });

  for (const signature of ['NONE', 'UNKNOWN'] as const) {
    await t.test(`a commit with the signature ${signature} changes nothing and is an alert`, async () => {
      const commit = await push('more.yaml', describePlant('pump', 502), signature);
      await refuse(new RegExp(`^the commit ${commit} has no signature of a trusted key$`, 'm'));
      assert.equal(await listAssets(), 'heating');
      await drop();
    });
  }

  await t.test('a commit with errors changes nothing and is an alert', async () => {
    const commit = await push('more.yaml', 'drivers: [{ pid: x, type: nothing }]\n', 'SSH');
    await refuse(new RegExp(`^the commit ${commit} has errors; nothing is changed$`, 'm'));
    assert.equal(await listAssets(), 'heating');
  });

  await t.test('a commit after which doctor finds a device missing is undone', async () => {
    const commit = await push('more.yaml', describePlant('pump', 503), 'SSH');
    await refuse(new RegExp(`^the commit ${commit} was undone: checks fail: .*pumpLine`, 'm'));
    assert.equal(await listAssets(), 'heating');
    assert.equal((await container.shell('ls /etc/penstock/provision.d')).trim(), 'plant.yaml');
  });

  await t.test('a commit signed with OpenPGP is applied by the timer', async () => {
    const commit = await push('more.yaml', describePlant('pump', 502), 'OPENPGP');
    await container.shell(`
      mkdir -p /etc/systemd/system/penstock-pull.timer.d
      printf '[Timer]\\nOnCalendar=\\nOnCalendar=*:*:0/2\\nRandomizedDelaySec=0\\nAccuracySec=1s\\n' \
        >/etc/systemd/system/penstock-pull.timer.d/often.conf
      systemctl daemon-reload; systemctl reset-failed penstock-pull.service; systemctl start penstock-pull.timer
      timeout 60 sh -c 'until journalctl -u penstock-pull.service -o cat | grep "applied the commit ${commit}"; do sleep 0.2; done'`);
    assert.equal(await listAssets(), 'heating\npump');
    assert.match(await container.shell('penstock asset read pump'), /^flowTemperature +[\d.]+ +degC/m);
    assert.notEqual((await container.run('systemctl is-failed penstock-pull.service')).status, 0);
  });
});
