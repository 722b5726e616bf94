import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { isShell, readBlocks } from '../support/documented-commands.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { APT, buildDebianPackage } from './built-package.ts';
import { bootContainer, findObstacle } from './container.ts';

const obstacle = findObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };

const STOP = 'systemctl stop penstock.socket penstock.service';
const RESTORE = 'penstock restore gateway.age --password-file passphrase';

test(
  'a backup makes another machine the gateway, also where systemd has to end the restore',
  options,
  async (t) => {
    const packageFile = await buildDebianPackage(createTemporaryDirectory(t));
    const container = await bootContainer(t);
    await copyFile(packageFile, path.join(container.shared, 'penstock.deb'));
    const curl = `sh -c "$(cat line) -sS --max-time 60 -o /dev/null -w '%{http_code}\\n'"`;
    await container.shell(`
    ${APT} install ./penstock.deb >&2
    echo 'a passphrase 77' >passphrase
    penstock setup --client scada --password-file passphrase >printed
    sed -n '/^curl /,/[^\\\\]$/p' printed >line
    printf 'drivers: [{ pid: plc, type: modbus, host: 127.0.0.1 }]\\n' >/etc/penstock/provision.d/plc.yaml
    systemctl reload penstock.service
    penstock backup gateway.age --password-file passphrase`);

    await t.test('the account of the daemon may have another number there', async () => {
      const output = await container.shell(`
      former=$(id -u penstock)
      ${APT} purge penstock >&2
      rm -rf /etc/penstock /var/lib/penstock /var/lib/private/penstock-bundles
      groupadd --gid 4243 penstock && useradd --uid 4242 --gid penstock --home-dir /nonexistent --no-create-home penstock
      ${APT} install ./penstock.deb >&2
      ${STOP}
      ${RESTORE} >&2
      test "$former" -ne 4242
      stat -c '%u:%g' /etc/penstock/tls/server.key /var/lib/penstock/penstock.db
      systemctl start penstock.socket penstock.service
      ${curl}
      penstock identity list; penstock config get drivers; find /etc/penstock /var/lib/penstock -uid "$former"`);
      assert.match(output, /^4242:4243\n4242:4243\n200$/m);
      assert.match(output, /^scada +none +rest\.assets$/m);
      assert.match(output, /^- pid: plc\n {2}type: modbus\n {2}host: 127\.0\.0\.1\n$/m);
    });

    await t.test('a restore that a loss of power cut off is ended before the daemon starts', async () => {
      // As the disk is between the two renames: the configuration is switched, the state still waits.
      const output = await container.shell(`
      ${STOP}
      cp -a /var/lib/penstock /var/lib/penstock.restoring
      cp -a /etc/penstock /etc/penstock.replaced
      systemctl start penstock.service
      penstock identity delete scada
      ${STOP}
      printf '["/etc/penstock","/var/lib/penstock"]\\n' >/etc/penstock.restore
      systemctl start penstock.socket penstock.service
      ${curl}
      penstock identity list; ls -d /etc/penstock.* /var/lib/penstock.* 2>/dev/null || echo 'nothing is left'`);
      assert.match(output, /^200$/m);
      assert.match(output, /^scada +none +rest\.assets$/m);
      assert.match(output, /^nothing is left$/m);
    });

    await t.test(
      'a journal of a restore that cannot be read keeps the daemon from starting, and says why',
      async () => {
        const { status } = await container.run(
          `${STOP}; echo spoilt >/etc/penstock.restore; systemctl start penstock.service`,
        );
        assert.notEqual(status, 0);
        assert.match(
          await container.shell('journalctl -u penstock-restore.service -o cat -n 20'),
          /penstock\.restore is damaged; the restored content is in directories that end with \.restoring/,
        );
        const output = await container.shell(`${STOP}; rm /etc/penstock.restore
      systemctl start penstock.socket penstock.service; ${curl}`);
        assert.match(output, /^200$/m);
      },
    );

    await t.test('a standby replaces the gateway with the commands of its page', async () => {
      const [prepare = '', replacement = ''] = readBlocks('docs/how-to/standby.md')
        .filter(isShell)
        .map(({ text }) => text);
      await container.shell(`
      mkdir -p /var/backups/penstock /etc/credstore
      cp gateway.age /var/backups/penstock/penstock.2026-01-01T00-00-00Z.age
      install -m 600 passphrase /root/backup-passphrase
      install -m 600 passphrase /etc/credstore/penstock-backup.passphrase
      ${APT} purge penstock >&2
      rm -rf /etc/penstock
      cp penstock.deb /root/penstock_1_amd64.deb
      cd /root
      ${prepare.replace('apt-get', APT)}`);
      const before = await container.run('systemctl is-active penstock.service penstock.socket');
      assert.notEqual(before.status, 0);
      const startMs = performance.now();
      // Its device is not there, which the checks say.
      await container.shell(replacement.replace('penstock doctor', 'penstock doctor || true'));
      const output = await container.shell(`${curl}; systemctl is-enabled penstock-backup.timer`);
      t.diagnostic(
        `from the restore to the first response: ${((performance.now() - startMs) / 1000).toFixed(1)} s`,
      );
      assert.match(output, /^200\nenabled$/m);
    });
  },
);
