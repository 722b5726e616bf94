import assert from 'node:assert/strict';
import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { issueServerCertificate } from '../../daemon/security/certificate/certificate-issuer.ts';
import { readRelease } from '../../packaging/release.ts';
import { run } from '../../packaging/run.ts';
import { Ansible } from '../support/ansible.ts';
import { getCertificateAuthority } from '../support/certificate-authority.ts';
import { makeRepositoryKey } from '../support/repository-key.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { describeMissing } from '../support/tools.ts';
import { buildDebianPackage, ROOT } from './built-package.ts';
import { findObstacle } from './container.ts';
import type { Container } from './container.ts';
import { bootManagedHosts, StartedPrograms } from './managed-gateways.ts';

const obstacle =
  findObstacle() ??
  describeMissing(['ansible-playbook', 'ansible-vault', 'apt-ftparchive', 'gpg', 'socat', 'ssh', 'strace']);
const options = obstacle === undefined ? {} : { skip: obstacle };

const CLIENT_PORT = 4443;
const NAMES = ['hall-1', 'hall-2', 'hall-3'] as const;
const DAYS = 365;
const CONFIRM_SECONDS = 15;
const SECRETS = {
  setup_password: 'crane-secret-2201',
  identities_passwords: { operator: 'ladder-secret-2202' },
  drivers_secrets: { 'drivers/press/password': 'hammer-secret-2203' },
};
const PENDING =
  'curl -sS --unix-socket /run/penstock/penstock.sock http://localhost/services/configuration/v1/_confirm';
// Another authority than that of setup.
const ISSUE = `test -e /root/plant/ca.crt || penstock certificate init Plant --authority /root/plant
  penstock certificate server localhost press.plant.example --authority /root/plant`;
const ROLES = [
  'install',
  'setup',
  'identities',
  'packages',
  'drivers',
  'assets',
  'recorders',
  'certificates',
] as const;

const useRoles = (roles: readonly string[]) =>
  roles.map((role) => ({ 'ansible.builtin.include_role': { name: `penstock.gateway.${role}` } }));

/** Returns the line of a host in the recap of a playbook. */
function recap(output: string, name: string): string {
  return new RegExp(`^${name} +: (.+)$`, 'm').exec(output)?.[1] ?? `nothing of ${name} in ${output}`;
}

const listConfiguration = (container: Container): Promise<string> =>
  container.shell('penstock config get drivers; penstock config get assets');

const startDevice = (container: Container, port: number): Promise<string> =>
  container.shell(
    `systemd-run --quiet --unit=plant-${port} penstock simulate --protocols modbus-tcp --port ${port}`,
  );

/** Waits until a change is made that nothing has confirmed. */
const untilPending = (container: Container): Promise<string> =>
  container.shell(`until ${PENDING} | grep -q snapshot; do sleep 0.1; done`);

/** Waits until no change is to be confirmed, and returns the seconds that it took. */
async function measurePending(container: Container): Promise<number> {
  const startMs = performance.now();
  await container.shell(`while ${PENDING} | grep -q snapshot; do sleep 0.1; done`);
  return (performance.now() - startMs) / 1000;
}

test('machines become gateways, and a change that is cut off is undone', options, async (t) => {
  const folder = createTemporaryDirectory(t);
  const packageFile = await buildDebianPackage(folder);
  const site = path.join(createTemporaryDirectory(t), 'apt');
  const key = makeRepositoryKey(t);
  await run('npm', ['run', '-s', 'apt-repository', '--', '--key', key, '--out', site, '--packages', folder], {
    cwd: ROOT,
  });
  const { hosts, inventory } = await bootManagedHosts(t, NAMES, CLIENT_PORT);
  const [first, cut, last] = hosts;
  assert.ok(first !== undefined && cut !== undefined && last !== undefined);
  await cp(site, path.join(last.container.shared, 'apt'), { recursive: true });
  await last.container.shell('cp -r apt /srv/apt');

  const authority = await getCertificateAuthority();
  const names = { hostNames: ['localhost'], addresses: ['127.0.0.1'] };
  const pair = await issueServerCertificate(authority, names, DAYS);
  const files = {
    'authority.pem': authority.certificate,
    'server.crt': pair.certificate,
    'server.key': pair.privateKey,
  };
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(folder, name), content);

  const { version } = readRelease(ROOT);
  const ansible = new Ansible(t);
  const secret = await ansible.encrypt(SECRETS, 'the password of the vault');
  const byFile = {
    install_file: packageFile,
    certificates_certificate_file: path.join(folder, 'server.crt'),
    certificates_key_file: path.join(folder, 'server.key'),
  };
  const variables = {
    setup_clients: ['engineer'],
    setup_fetch_folder: path.join(folder, 'clients'),
    identities_items: [
      { name: 'engineer', permissions: ['rest.admin'] },
      { name: 'operator', permissions: ['rest.assets.read'] },
    ],
    packages_items: [{ src: `/usr/share/penstock/packages/penstock-mqtt_${version}.dp` }],
    drivers_items: [
      { pid: 'plc', type: 'modbus', host: '127.0.0.1' },
      { pid: 'press', type: 'opcua', endpointUrl: 'opc.tcp://127.0.0.1:4840', userName: 'reader' },
    ],
    assets_items: [{ pid: 'heating', driver: 'plc', template: 'example-heating' }],
    recorders_items: [{ pid: 'minute', intervalMs: 60_000, assets: [{ asset: 'heating' }] }],
  };
  const play = (hostNames: string, own: object, roles: readonly string[] = ROLES) => ({
    hosts: hostNames,
    gather_facts: false,
    vars: { ...variables, ...own },
    tasks: useRoles(roles),
  });
  const plays = [
    play('hall-1,hall-2', byFile),
    play('hall-3', {
      install_repository: 'file:/srv/apt',
      install_keyring_file: path.join(site, 'penstock-archive-keyring.gpg'),
      certificates_command: ['sh', '-c', ISSUE],
      certificates_names: ['press.plant.example'],
    }),
  ];
  const secrets = [
    'crane-secret-2201',
    'ladder-secret-2202',
    'hammer-secret-2203',
    'the password of the vault',
    pair.privateKey.split('\n')[1] ?? '',
  ];

  // Before the first connection, whose process serves later ones as well.
  const programs = new StartedPrograms(t);
  for (const host of hosts) await programs.watch(host);

  await t.test('check mode installs nothing', async () => {
    const checks = [play('hall-1,hall-2', byFile, ['install', 'setup'])];
    const { status, output } = await ansible.playOn(inventory, checks, [...secret, '--check']);
    assert.equal(status, 0, output);
    assert.match(recap(output, 'hall-1'), /changed=[1-9]/);
    assert.notEqual((await first.container.run('dpkg-query -W penstock')).status, 0);
  });

  await t.test('from nothing to gateways, without a secret in an argument or an output', async () => {
    const { status, output } = await ansible.playOn(
      inventory,
      plays,
      [...secret, '-vvv', '--diff'],
      programs.entrance,
    );
    await programs.stop();
    assert.equal(status, 0, output.slice(-6000));
    for (const host of hosts) {
      assert.match(recap(output, host.name), /failed=0/);
      assert.match(await host.container.shell('systemctl is-active penstock.service'), /^active$/m);
      assert.match(
        await host.container.shell('penstock identity list'),
        /^operator +set +rest\.assets\.read$/m,
      );
      await writeFile(path.join(host.container.shared, 'secrets'), `${secrets.join('\n')}\n`);
      const left = await host.container.run(
        'grep -rlF -f secrets --exclude-dir=run /tmp /var/tmp /var/log /root',
      );
      assert.deepEqual(left, { status: 1, output: '' });
    }
    // What is recorded is whole.
    assert.match(programs.read('here'), /execve\("[^"]*\/ssh", \["ssh", /);
    for (const name of NAMES) {
      assert.match(
        programs.read(name),
        /execve\("[^"]*", \["penstock", "setup", "--yes", .*"--password-file"/,
      );
    }
    const logs = await Promise.all(hosts.map(({ container }) => container.shell('journalctl -o cat')));
    const places = [output, ...['here', ...NAMES].map((place) => programs.read(place)), ...logs];
    for (const text of secrets)
      assert.deepEqual(
        places.map((place) => place.includes(text)),
        places.map(() => false),
      );
  });

  await t.test('the second run changes nothing', async () => {
    const { status, output } = await ansible.playOn(inventory, plays, secret);
    assert.equal(status, 0, output);
    for (const name of NAMES) assert.match(recap(output, name), /changed=0 .*failed=0/, output);
  });

  const tank = {
    'penstock.gateway.configuration': {
      url: 'https://localhost:{{ gateway_port }}',
      ca_file: '{{ trusted }}',
      cert_file: '{{ client }}.crt',
      key_file: '{{ client }}.key',
      sections: {
        drivers: [{ pid: 'second', type: 'modbus', host: '127.0.0.1', port: 503 }],
        assets: [{ pid: 'tank', driver: 'second', template: 'example-heating' }],
      },
      probe_assets: ['tank'],
      probe_seconds: CONFIRM_SECONDS - 5,
      confirm_within: CONFIRM_SECONDS,
    },
  };
  const client = `${folder}/clients/{{ inventory_hostname }}/engineer/engineer`;
  const change = (hostNames: string, authorityFile: string) => ({
    hosts: hostNames,
    connection: 'local',
    gather_facts: false,
    vars: { client, trusted: authorityFile },
    tasks: [tank],
  });
  const changes = [
    change('hall-3', path.join(folder, 'plant.crt')),
    change('hall-1,hall-2', path.join(folder, 'authority.pem')),
  ];
  await t.test('one that is cut off goes back, and the others have the change', async () => {
    await writeFile(path.join(folder, 'plant.crt'), await last.container.shell('cat /root/plant/ca.crt'));
    for (const host of hosts) await host.open();
    for (const { container } of [first, last]) await startDevice(container, 503);
    const before = await listConfiguration(cut.container);
    const running = ansible.playOn(inventory, changes);
    await untilPending(cut.container);
    assert.match(await listConfiguration(cut.container), /pid: tank/);
    await cut.cutOff();
    // From now on the probe would succeed.
    await startDevice(cut.container, 503);
    const seconds = await measurePending(cut.container);
    assert.ok(seconds < CONFIRM_SECONDS + 5, `${seconds} s`);
    assert.equal(await listConfiguration(cut.container), before);
    const { output } = await running;
    assert.match(output, /hall-2.*the probe failed: .*the gateway goes back at most 15 s after the change/);
    for (const { name, container } of [first, last]) {
      assert.match(recap(output, name), /changed=1 .*failed=0/, output);
      assert.match(await container.shell(PENDING), /^\{\}/);
      assert.match(await container.shell('penstock asset read tank'), /^flowTemperature +[\d.]+ +degC/m);
    }
  });

  await t.test('the next run brings the change there too', async () => {
    await cut.open();
    const { status, output } = await ansible.playOn(inventory, changes);
    assert.equal(status, 0, output);
    for (const { name } of [first, last]) assert.match(recap(output, name), /changed=0 .*failed=0/, output);
    assert.match(recap(output, cut.name), /changed=1 .*failed=0/, output);
    assert.match(await cut.container.shell('penstock asset read tank'), /^flowTemperature +[\d.]+ +degC/m);
  });

  await t.test('one whose connection by ssh ends goes back, though the module there goes on', async () => {
    const { name, container } = first;
    const before = await listConfiguration(container);
    const remove = {
      'penstock.gateway.configuration': {
        sections: { assets: ['tank'] },
        state: 'absent',
        probe_assets: ['heating'],
        probe_seconds: CONFIRM_SECONDS - 5,
        confirm_within: CONFIRM_SECONDS,
      },
    };
    const running = ansible.playOn(inventory, [{ hosts: name, gather_facts: false, tasks: [remove] }]);
    await untilPending(container);
    assert.doesNotMatch(await listConfiguration(container), /pid: tank/);
    await container.shell("pkill -KILL -f '^sshd: root@'");
    await startDevice(container, 502);
    const seconds = await measurePending(container);
    assert.ok(seconds < CONFIRM_SECONDS + 5, `${seconds} s`);
    assert.equal(await listConfiguration(container), before);
    const { output } = await running;
    assert.match(recap(output, name), /unreachable=1/, output);
  });
});
