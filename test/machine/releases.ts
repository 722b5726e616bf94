import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { APT, buildDebianPackage } from './built-package.ts';
import { bootContainer, findObstacle } from './container.ts';
import { buildOtherRelease } from './other-release.ts';

const obstacle = findObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };
const KEEP_CONFIGURATION = '-o Dpkg::Options::=--force-confold';
const IDENTITIES = 'http://localhost/services/identity/v1/identities';

test('releases are changed upwards and downwards without loss', options, async (t) => {
  const folder = createTemporaryDirectory(t);
  const packageFile = await buildDebianPackage(folder);
  const former = await buildOtherRelease(packageFile, folder, {
    version: '0.0.9',
    configuration: '# as it was\n',
    hasNewerStore: false,
  });
  const later = await buildOtherRelease(packageFile, folder, {
    version: '9.0.0',
    configuration: '# as it will be\n',
    hasNewerStore: true,
  });
  const container = await bootContainer(t);
  await copyFile(former, path.join(container.shared, 'former.deb'));
  await copyFile(packageFile, path.join(container.shared, 'penstock.deb'));
  await copyFile(later, path.join(container.shared, 'later.deb'));
  const property = async (name: string): Promise<string> =>
    (await container.shell(`systemctl show -P ${name} penstock.service`)).trim();
  const askIdentities = (request: string): Promise<string> =>
    container.shell(
      `curl -sS --fail-with-body --unix-socket /run/penstock/penstock.sock ${request} ${IDENTITIES}`,
    );

  await t.test(
    'an upgrade keeps an edited configuration beside that of the new release, and the state',
    async () => {
      await container.shell(`
      ${APT} install ./former.deb
      printf 'log: { level: debug }\\n' >>/etc/penstock/penstock.yaml
      systemctl reload penstock.service`);
      await askIdentities(`-H 'Content-Type: application/json' -d '{"userName":"kept"}'`);
      await container.shell(`${APT} ${KEEP_CONFIGURATION} install ./penstock.deb`);
      const text = await container.shell('cat /etc/penstock/penstock.yaml');
      assert.match(text, /# as it was\nlog: \{ level: debug \}\n$/);
      await container.shell('test -e /etc/penstock/penstock.yaml.dpkg-dist && penstockd --check-config');
      assert.equal(await property('ActiveState'), 'active');
      assert.match(await askIdentities(''), /"kept"/);
    },
  );

  await t.test(
    'a release that does not know the state refuses it with status 78, and does not try again',
    async () => {
      await container.shell(`
      ${APT} ${KEEP_CONFIGURATION} install ./later.deb
      systemctl is-active penstock.service
      ${APT} ${KEEP_CONFIGURATION} --allow-downgrades install ./penstock.deb`);
      assert.deepEqual(
        [await property('ActiveState'), await property('ExecMainStatus'), await property('NRestarts')],
        ['failed', '78', '0'],
      );
      assert.match(
        await container.shell('journalctl -u penstock.service -o cat -n 20'),
        /the tables of configuration have version \d+, this release supports up to \d+; reinstall the newer release/,
      );
    },
  );

  await t.test('clients that go on trying are given up, and the newer release works again', async () => {
    await container.shell(`
      for try in $(seq 30); do curl -sk --max-time 5 -o /dev/null https://localhost/ || true; done
      systemctl is-failed penstock.service`);
    await container.shell(`${APT} ${KEEP_CONFIGURATION} install ./later.deb`);
    assert.equal(await property('ActiveState'), 'active');
    assert.equal(
      await container.shell(
        'curl -sko /dev/null -w "%{http_code}" https://localhost/services/session/v1/authenticationInfo',
      ),
      '200',
    );
    assert.match(await askIdentities(''), /"kept"/);
  });
});
