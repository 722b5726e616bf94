import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { before, test } from 'node:test';

import { listBundledFolders } from '../../packaging/build-console.ts';
import { buildBundlePackages } from '../../packaging/bundle-packages.ts';
import { listProgramModules } from '../../packaging/bundle-programs.ts';
import { run } from '../../packaging/run.ts';
import {
  getCertificateAuthority,
  getClientCertificate,
  getServerCertificate,
} from '../support/certificate-authority.ts';
import { buildExamplePackage } from '../support/example-package.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { APT, buildDebianPackage } from './built-package.ts';
import { bootContainer, findObstacle } from './container.ts';
import type { Container } from './container.ts';
import { programOf } from '../support/tools.ts';

const obstacle = findObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };
// The description of a module, not of a folder in it.
const MODULE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/;

let packageFile = '';

before(async (t) => {
  if (obstacle !== undefined) return;
  packageFile = await buildDebianPackage(createTemporaryDirectory(t as never));
});

/** Has another program open port 443. */
const OCCUPY = `systemd-run --quiet --collect --unit=occupant perl -MIO::Socket::INET \\
  -e '@open = IO::Socket::INET->new(LocalPort => 443, Listen => 5, ReuseAddr => 1) or die; sleep'
  until grep -q ':01BB 00000000:0000 0A' /proc/net/tcp; do sleep 0.1; done`;

const PASSPHRASE = '/etc/credstore/penstock-backup.passphrase';

async function install(container: Container): Promise<void> {
  await copyFile(packageFile, path.join(container.shared, 'penstock.deb'));
  const output = await container.shell(`${APT} install ./penstock.deb`);
  assert.match(output, /^Penstock is installed\. Next, as root:\n {2}penstock setup --client NAME$/m);
}

test('lintian finds nothing that is not argued in an override', options, async () => {
  // The fast build is compressed in a way that Debian's archive does not take.
  await run(programOf('lintian'), [
    '--suppress-tags=malformed-deb-archive',
    '--fail-on=error,warning',
    packageFile,
  ]);
});

test('the same commit builds the same bytes', options, async (t) => {
  const folder = createTemporaryDirectory(t);
  const again = await buildDebianPackage(folder);
  // Not compared by an assertion, which would list every byte that differs.
  assert.ok((await readFile(again)).equals(await readFile(packageFile)), 'the packages differ');
});

test('the package is small', options, async (t) => {
  const tree = createTemporaryDirectory(t);
  await run('dpkg-deb', ['-x', packageFile, tree]);
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(path.join(parentPath, name))).size),
  );
  const mebibytes = sizes.reduce((sum, size) => sum + size, 0) / 2 ** 20;
  // Pages, templates and packages are as many as there is to describe and to send to.
  const described = ['doc', 'man', 'penstock/templates', 'penstock/packages', 'penstock/monitoring'].map(
    (folder) => path.join(tree, 'usr/share', folder),
  );
  const programs = files.filter(
    ({ parentPath }) => !described.some((folder) => parentPath.startsWith(folder)),
  );
  t.diagnostic(`${files.length} files, ${programs.length} of them programs, ${mebibytes.toFixed(1)} MiB`);
  assert.ok(programs.length <= 250, `${programs.length} files of programs`);
  assert.ok(files.length <= 400, `${files.length} files`);
  assert.ok(mebibytes <= 135, `${mebibytes} MiB`);
});

test('the package has every device template', options, async (t) => {
  const tree = createTemporaryDirectory(t);
  await run('dpkg-deb', ['-x', packageFile, tree]);
  assert.deepEqual(
    (await readdir(path.join(tree, 'usr/share/penstock/templates'))).toSorted(),
    (await readdir(path.resolve(import.meta.dirname, '../../packaging/templates'))).toSorted(),
  );
});

test('the bill of materials names exactly the modules that are in the package', options, async (t) => {
  const tree = createTemporaryDirectory(t);
  await run('dpkg-deb', ['-x', packageFile, tree]);
  const text = await readFile(path.join(tree, 'usr/share/doc/penstock/sbom.cdx.json'), 'utf8');
  const { components } = JSON.parse(text) as {
    readonly components: readonly { readonly name: string; readonly version: string }[];
  };
  const named = components
    .map(({ name, version }) => `${name}@${version}`)
    .filter((name) => !name.startsWith('node-linux-'));
  const library = path.join(tree, 'usr/lib/penstock');
  const files = (await readdir(library, { recursive: true })).filter((file) => MODULE.test(file));
  const present = await Promise.all(
    files.map(async (file) => {
      const { name, version } = JSON.parse(await readFile(path.join(library, file), 'utf8')) as Readonly<
        Record<string, string>
      >;
      return `${name ?? ''}@${version ?? ''}`;
    }),
  );
  const packages = await buildBundlePackages(createTemporaryDirectory(t));
  const folders = [
    ...(await listBundledFolders()),
    ...(await listProgramModules()),
    ...packages.flatMap(({ modules }) => modules),
  ];
  const bundled = await Promise.all(
    [...new Set(folders)].map(async (folder) => {
      const description = await readFile(path.join(folder, 'package.json'), 'utf8');
      const { name, version } = JSON.parse(description) as Readonly<Record<string, string>>;
      return `${name ?? ''}@${version ?? ''}`;
    }),
  );
  assert.deepEqual([...new Set(named)].sort(), [...new Set([...present, ...bundled])].sort());
  const copyright = await readFile(path.join(tree, 'usr/share/doc/penstock/copyright'), 'utf8');
  for (const name of bundled) assert.ok(copyright.includes(`\n - ${name.replace(/@[^@]*$/, '')}\n`), name);
  assert.ok(bundled.length > 100);
});

test('setup makes a gateway of an installed package, and a reload fails aloud', options, async (t) => {
  const container = await bootContainer(t);
  await install(container);

  await t.test('one command leads to a client that is let in', async () => {
    const output = await container.shell(`
      printf 'a better one 77\\n' >new-password
      penstock setup --client scada --name gateway.example --password-file new-password >printed
      sed -n '/^curl /,/[^\\\\]$/p' printed >line
      sh -c "$(cat line) -sS -w '%{http_code}\\n'"
      stat -c '%U %a' /etc/penstock/tls/server.key
      penstock setup --client scada | grep -c '^kept'
      penstock doctor >findings; grep -v GOOD findings
      penstock log --event listening --json | head -n 1`);
    assert.match(output, /^\[\]200\npenstock 600\n7\nCHECK/m);
    assert.match(output, /^\{"time":"[^"]+","level":"info","event":"listening"/m);
    assert.doesNotMatch(output, /WRONG/);
  });

  await t.test('systemctl reload fails when the reload fails, and doctor says why', async () => {
    const { status } = await container.run(
      "echo 'drivrs: []' >/etc/penstock/provision.d/typo.yaml; systemctl reload penstock.service",
    );
    assert.notEqual(status, 0);
    const found = await container.shell('systemctl is-active penstock.service; penstock doctor || true');
    assert.match(found, /^active\n/);
    assert.match(found, /^files +WRONG .*typo\.yaml:1/m);
    await container.shell(
      'rm /etc/penstock/provision.d/typo.yaml; systemctl reload penstock.service || { journalctl -u penstock -o cat -n 12; false; }',
    );
    const taken =
      await container.run(`systemd-run --quiet --collect --unit=occupant perl -MIO::Socket::INET \\
      -e '@open = IO::Socket::INET->new(LocalPort => 8080, Listen => 5) or die; sleep'
      until grep -q ':1F90 00000000:0000 0A' /proc/net/tcp; do sleep 0.1; done
      cp /etc/penstock/penstock.yaml saved.yaml
      echo 'http: { ports: [8080] }' >>/etc/penstock/penstock.yaml; systemctl reload penstock.service`);
    assert.notEqual(taken.status, 0);
    assert.match(await container.shell('penstock doctor || true'), /^reload +WRONG .*port 8080 is in use/m);
    await container.shell('cat saved.yaml >/etc/penstock/penstock.yaml; systemctl reload penstock.service');
  });

  const dropIn = '/etc/systemd/system/penstock.service.d';
  for (const [lie, plant, found, cure] of [
    [
      'a unit that is disabled',
      'systemctl disable penstock.service',
      /^services +WRONG +penstock\.service: disabled/m,
      'systemctl enable penstock.service',
    ],
    [
      'a drop-in with a second command',
      `mkdir -p ${dropIn}; printf '[Service]\\nExecStart=/usr/sbin/penstockd\\n' >${dropIn}/twice.conf; systemctl daemon-reload`,
      /^services +WRONG +penstock\.service does not start again: .*twice\.conf/m,
      `rm -r ${dropIn}; systemctl daemon-reload`,
    ],
    [
      "a launcher's socket that is stopped",
      'systemctl stop penstock-launcher.socket',
      /^services +WRONG +penstock-launcher\.socket is inactive/m,
      'systemctl start penstock-launcher.socket',
    ],
    [
      'restarts in a row',
      `for count in 1 2 3; do
         kill -KILL "$(systemctl show -P MainPID penstock.service)"
         until [ "$(systemctl show -P NRestarts penstock.service)" = $count ] && systemctl is-active -q penstock.service
         do sleep 0.1; done
       done`,
      /^services +WRONG +the daemon exited unexpectedly 3 times in a row/m,
      'systemctl restart penstock.service',
    ],
  ] as const) {
    await t.test(`doctor names ${lie}`, async () => {
      await container.shell(plant);
      assert.match(await container.shell('penstock doctor || true'), found);
      await container.shell(cure);
      assert.doesNotMatch(await container.shell('penstock doctor || true'), /^services +WRONG/m);
    });
  }

  await t.test('the unit makes a backup that is private and restores, and says when it fails', async () => {
    const made = await container.shell(`
      echo 'metrics: { port: 9464 }' >>/etc/penstock/penstock.yaml; systemctl restart penstock.service
      install -d -m 0700 /etc/credstore
      (umask 077; echo 'a passphrase 77' >${PASSPHRASE})
      systemctl enable --now penstock-backup.timer 2>&1
      systemctl start penstock-backup.service || { journalctl -u penstock-backup -o cat; false; }
      stat -c '%U %a' /var/backups/penstock /var/backups/penstock/*.age
      curl -s http://localhost:9464/metrics | grep '^penstock_backup_timestamp_seconds 1'
      systemctl list-timers --no-pager | grep -c 'penstock-backup.timer *penstock-backup.service'
      (penstock doctor || true) | grep '^backup'
      systemctl status --no-pager penstock.service penstock-backup.service penstock-backup.timer || true
      journalctl --no-pager -u penstock-backup.service`);
    assert.match(
      made,
      /^root 700\nroot 600\npenstock_backup_timestamp_seconds 1[\d.]+\n1\nbackup +GOOD +daily; the last one/m,
    );
    assert.match(
      made,
      /penstock\[\d+\]: \/var\/backups\/penstock\/penstock-\d{8}T\d{6}Z\.age: \d+ entries$/m,
    );

    const restored = await container.shell(`
      penstock identity create later --permission rest.assets >&2
      systemctl stop penstock.socket penstock.service
      penstock restore /var/backups/penstock/*.age --password-file ${PASSPHRASE} --replace
      systemctl start penstock.socket penstock.service
      sh -c "$(cat line) -sS -w '%{http_code}\\n'"
      penstock identity list`);
    assert.match(restored, /^\[\]200\nNAME .*\nadmin .*\nscada .*\n$/m);

    const failed = await container.shell(`
      : >${PASSPHRASE}
      systemctl start penstock-backup.service 2>&1 && exit 1
      systemctl status --no-pager penstock-backup.service || true
      (penstock doctor || true) | grep '^backup'
      ls /var/backups/penstock | wc -l
      rm ${PASSPHRASE}
      systemctl reset-failed penstock-backup.service; systemctl start penstock-backup.service
      (penstock doctor || true) | grep '^backup'`);
    assert.match(failed, /Active: failed \(Result: exit-code\)/);
    assert.match(failed, /penstock backup: .*passphrase/m);
    assert.match(failed, /^backup +WRONG +the last backup failed at .*: exit status 1/m);
    assert.match(
      failed,
      /^1\n(?:penstock doctor: .*\n)?backup +WRONG +no backup is made: .*penstock-backup\.passphrase does not exist/m,
    );
  });
});

test('a package is installed, used, upgraded, removed and purged on a booted Debian', options, async (t) => {
  const container = await bootContainer(t);
  const property = async (name: string): Promise<string> =>
    (await container.shell(`systemctl show -P ${name} penstock.service`)).trim();

  await t.test('apt installs it, and it is active only after its ports answer', async () => {
    await install(container);
    const answer = await container.shell(
      'systemctl is-active penstock.service && curl -sk https://localhost/services/session/v1/authenticationInfo',
    );
    assert.match(answer, /^active\n\{"passwordAuthenticationEnabled":true/);
    assert.equal(await property('StatusText'), 'Serving on ports 443');
    const page = await container.shell('curl -sk https://localhost/');
    assert.match(page, /^<!doctype html>/i);
    const script = /type="module"[^>]* src="\.\/(assets\/[^"]+)"/.exec(page)?.[1] ?? '';
    const head = await container.shell(`curl -skI -H 'Accept-Encoding: br' https://localhost/${script}`);
    assert.match(head, /content-encoding: br\r\n/i);
  });

  await t.test('the journal holds structured lines with priorities', async () => {
    const text = await container.shell('journalctl -u penstock.service -o json --no-pager');
    const entries = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, string>>)
      .filter(({ MESSAGE = '' }) => MESSAGE.startsWith('{'));
    const ready = entries.find(({ MESSAGE = '' }) => MESSAGE.includes('"event":"ready"'));
    assert.equal(ready?.['PRIORITY'], '6');
    assert.equal(entries.find(({ MESSAGE = '' }) => MESSAGE.includes('"level":"warn"'))?.['PRIORITY'], '4');
  });

  await t.test('the first login works with the generated password, which has to be changed', async () => {
    const output = await container.shell(`
      password=$(cat /var/lib/penstock/initial-admin-password)
      api=https://localhost/services/session/v1
      curl -sk -c jar -H 'Content-Type: application/json' \\
        -d "{\\"username\\":\\"admin\\",\\"password\\":\\"$password\\"}" $api/login/password; echo
      token=$(curl -sk -b jar $api/xsrfToken | sed 's/.*:"\\(.*\\)".*/\\1/')
      curl -sk -b jar -H "X-XSRF-Token: $token" -o /dev/null -w '%{http_code}\\n' https://localhost/services/assets/
      curl -sk -b jar -H "X-XSRF-Token: $token" -H 'Content-Type: application/json' -w '%{http_code}\\n' \\
        -d "{\\"currentPassword\\":\\"$password\\",\\"newPassword\\":\\"a better one 77\\"}" $api/changePassword
      ls /var/lib/penstock/initial-admin-password 2>&1 | grep -c 'No such file'
      rm jar`);
    assert.deepEqual(output.trim().split('\n'), ['{"passwordChangeNeeded":true}', '401', '204', '1']);
  });

  await t.test(
    'a device is read over mTLS after a reload that brings authority, certificate and plant',
    async () => {
      const authority = await getCertificateAuthority();
      const client = await getClientCertificate('scada');
      await writeFile(path.join(container.shared, 'client-ca.pem'), authority.certificate);
      await writeFile(path.join(container.shared, 'client.pem'), client.certificate);
      await writeFile(path.join(container.shared, 'client.key'), client.privateKey);
      const server = await getServerCertificate();
      await writeFile(path.join(container.shared, 'server.crt'), server.certificate);
      await writeFile(path.join(container.shared, 'server.key'), server.privateKey);
      await writeFile(path.join(container.shared, 'plant.yaml'), PLANT);
      await container.shell(`
      systemd-run --quiet --unit=plant /usr/bin/penstock simulate --port 1502
      install -o penstock -g penstock -m 600 client-ca.pem server.crt server.key /etc/penstock/tls/
      install -o root -g penstock -m 640 plant.yaml /etc/penstock/provision.d/
      systemctl reload penstock.service`);
      const output = await container.shell(`
      for i in $(seq 100); do
        curl -sk --cert client.pem --key client.key https://localhost:4443/services/assets/boiler/_read >answer && grep -q SUCCESS answer && break
        sleep 0.1
      done
      cat answer; echo; echo | openssl s_client -connect localhost:443 2>/dev/null | openssl x509 -noout -subject`);
      assert.match(output, /"channelFlag":"SUCCESS"/);
      assert.match(output, /CN ?= ?localhost/);
    },
  );

  await t.test('systemd starts it again after kill -9 and when it is stuck, while clients wait', async () => {
    for (const signal of ['KILL', 'STOP']) {
      const previous = await property('MainPID');
      await container.shell(`kill -${signal} ${previous}`);
      const answer = await container.shell(
        'curl -sk --max-time 40 --retry 3 --retry-all-errors https://localhost/services/session/v1/authenticationInfo',
      );
      assert.match(answer, /passwordAuthenticationEnabled/);
      assert.notEqual(await property('MainPID'), previous);
    }
  });

  await t.test('a bundle runs inside the sandbox of the unit, and ends with it', async () => {
    await writeFile(path.join(container.shared, 'api-key.dp'), buildExamplePackage('api-key'));
    const output = await container.shell(`
      penstock package install api-key.dp >&2
      penstock bundle list --json
      bundle=penstock-bundle@org.example.api-key.service
      systemctl is-active $bundle
      test "$(ps -o ni= -p "$(systemctl show -P MainPID $bundle)")" -eq 19
      # Priorities of bundles count against the daemon where the unit has its own share of the processor.
      if grep -qsw cpu /sys/fs/cgroup/cgroup.controllers; then
        test -e /sys/fs/cgroup/system.slice/penstock.service/cpu.weight
      fi
      systemctl restart penstock.service
      until systemctl is-active --quiet $bundle; do sleep 0.1; done
      pgrep -c -f 'bundl[e]/runner'`);
    assert.match(output, /"state": "ACTIVE"/);
    assert.equal(output.trim().split('\n').at(-1), '1');
  });

  await t.test(
    'a typing error ends with exit status 78 and no loop of restarts; one restart after the fix is enough',
    async () => {
      const { status } = await container.run(
        "cp /etc/penstock/penstock.yaml saved.yaml; echo 'httpx: 1' >>/etc/penstock/penstock.yaml; systemctl restart penstock.service",
      );
      assert.notEqual(status, 0);
      assert.deepEqual([await property('ExecMainStatus'), await property('NRestarts')], ['78', '0']);
      assert.match(
        await container.shell('journalctl -u penstock.service -o cat -n 20'),
        /penstock\.yaml:\d+: httpx: is not a known key/,
      );
      // Clients do not start it again and again, and are refused at once.
      await container.shell(`
      until [ "$(systemctl is-active penstock.socket)" = inactive ]; do sleep 0.1; done
      start=$(systemctl show -P InvocationID penstock.service)
      for try in $(seq 20); do curl -sk --max-time 20 -o /dev/null https://localhost/ && exit 1; done
      test "$(systemctl show -P InvocationID penstock.service)" = "$start"
      for try in $(seq 7); do systemctl restart penstock.service 2>/dev/null || true; done
      cat saved.yaml >/etc/penstock/penstock.yaml; systemctl restart penstock.service
      curl -sk -o /dev/null https://localhost/services/session/v1/authenticationInfo`);
    },
  );

  await t.test('systemctl status says why a start failed, between two tries as well', async () => {
    await container.shell('systemctl stop penstock.socket penstock.service');
    const failures = [
      {
        break: OCCUPY,
        status: '1',
        says: /^port 443 is in use by a program of the user root; to find it, .*ss -ltnp/,
        repair: 'systemctl stop occupant',
      },
      {
        break: 'chmod 0000 /etc/penstock/tls/server.key',
        status: '78',
        says: /^cannot read \/etc\/penstock\/tls\/server\.key: the user of the daemon has no permission$/,
        repair: 'chmod 0600 /etc/penstock/tls/server.key',
      },
      {
        break: `cp -a /etc/penstock/tls/server.key saved.key
          openssl ecparam -name prime256v1 -genkey -noout >/etc/penstock/tls/server.key`,
        status: '78',
        says: /^private key .*server\.key does not match certificate .*server\.crt$/,
        repair: 'cp -a saved.key /etc/penstock/tls/server.key',
      },
      {
        break: `cp -a /var/lib/penstock/penstock.db saved.db
          dd if=/dev/urandom of=/var/lib/penstock/penstock.db bs=4096 count=4 conv=notrunc status=none`,
        status: '78',
        says: /^\/var\/lib\/penstock\/penstock\.db is not an intact database; restore a backup/,
        repair: 'cp -a saved.db /var/lib/penstock/penstock.db',
      },
      {
        break: `mount -t tmpfs -o size=100k,mode=0700 tmpfs /var/lib/penstock
          chown penstock: /var/lib/penstock; cat /dev/zero >/var/lib/penstock/zeros 2>/dev/null || true`,
        status: '1',
        says: /^cannot use \/var\/lib\/penstock\/penstock\.db: .*disk is full$/,
        repair: 'umount /var/lib/penstock',
      },
    ];
    for (const failure of failures) {
      await container.shell(failure.break);
      assert.notEqual((await container.run('systemctl start penstock.service')).status, 0, failure.break);
      assert.equal(await property('ExecMainStatus'), failure.status);
      assert.match(await property('StatusText'), failure.says);
      await container.shell(`systemctl stop penstock.service; ${failure.repair}`);
    }
    await container.shell(
      'systemctl start penstock.socket penstock.service || { journalctl -o cat -n 40; false; }',
    );
    assert.match(await property('StatusText'), /^Serving on ports 443, 4443$/);
  });

  await t.test('an upgrade keeps an edited configuration and refuses no connection', async () => {
    await container.shell(`
      install -d -o penstock /var/cache/penstock/v1.0.0-x64-of-an-earlier-release
      printf 'log: { level: debug }\\n' >>/etc/penstock/penstock.yaml
      (while sleep 0.05; do
        curl -sSk --max-time 30 -o /dev/null -w '%{http_code}\\n' https://localhost/services/session/v1/authenticationInfo
      done) >codes 2>&1 &
      loop=$!
      ${APT} -o Dpkg::Options::=--force-confold --reinstall install ./penstock.deb
      kill $loop`);
    const codes = new Set((await readFile(path.join(container.shared, 'codes'), 'utf8')).trim().split('\n'));
    assert.deepEqual([...codes], ['200']);
    const compiled = await container.shell(`
      list() { find /var/cache/penstock/v* -type f -size +0 -printf '%h\\n'; }
      until list | grep -q .; do sleep 0.1; done
      list | sort -u`);
    assert.match(compiled, /^\/var\/cache\/penstock\/v24\.\S+\n$/);
    assert.match(await container.shell('cat /etc/penstock/penstock.yaml'), /level: debug/);
    assert.equal(await property('ActiveState'), 'active');
  });

  await t.test('the sandbox scores as the unit file promises', async () => {
    const text = await container.shell('systemd-analyze security penstock.service --no-pager | tail -1');
    assert.ok(Number(/level for penstock.service: ([\d.]+)/.exec(text)?.[1]) <= 1.5, text);
  });

  await t.test('remove keeps configuration and state, purge all but an authority with its key', async () => {
    await container.shell('penstock certificate init Plant && cp -a /etc/penstock/ca authority');
    await container.shell(`${APT} remove penstock`);
    await container.shell('test -e /var/lib/penstock/penstock.db -a -e /etc/penstock/penstock.yaml');
    const output = await container.shell(`${APT} purge penstock`);
    assert.match(output, /authority in \/etc\/penstock\/ca is kept: .*: rm -r \/etc\/penstock\/ca$/m);
    await container.shell('diff -r authority /etc/penstock/ca');
    assert.equal(await container.shell("find /etc/penstock -type f -not -path '*/ca/*'"), '');
    assert.equal(await container.shell('stat -c %U:%G:%a /etc/penstock/ca/ca.key'), 'root:root:600\n');
  });

  await t.test('a start that fails does not fail the installation, which says why', async () => {
    const output = await container.shell(`
      ${OCCUPY}
      ${APT} install ./penstock.deb 2>&1`);
    assert.match(output, /the gateway does not start: port 443 is in use by a program of the user root/);
    assert.doesNotMatch(output, /deb-systemd|\.pm |line \d+\.$/m);
    await container.shell('systemctl stop occupant; systemctl restart penstock');
    assert.match(await property('StatusText'), /^Serving on ports 443$/);
  });

  await t.test('purge leaves nothing once the authority is gone', async () => {
    await container.shell('rm -r /etc/penstock/ca');
    const output = await container.shell(`${APT} purge penstock`);
    assert.doesNotMatch(output, /authority|warning/i);
    const left = await container.shell(
      "find / -xdev -name '*penstock*' -not -path '/proc/*' -not -path '/root/run/*' -not -path '/var/log/*'",
    );
    assert.equal(left, '');
    assert.equal((await container.run('getent passwd penstock || getent group penstock')).status, 2);
  });
});

const PLANT = `rest: { statelessCertificateAuthenticationEnabled: true }
identities:
  - { name: scada, permissions: [rest.assets] }
drivers:
  - { pid: plant, type: modbus, host: 127.0.0.1, port: 1502 }
assets:
  - pid: boiler
    driver: plant
    channels:
      - name: first
        type: READ
        valueType: INTEGER
        address: { unitId: 1, table: HOLDING_REGISTERS, offset: 0, dataType: UINT16 }
`;
