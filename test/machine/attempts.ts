import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';

import { ATTEMPT_GROUPS } from '../daemon/software/bundle/attempts/attempt-groups.ts';
import { nameAttemptBundle } from '../support/attempts/attempt-bundle.ts';
import { buildAttemptPackage } from '../support/attempts/attempt-packages.ts';
import type { FactKind, Verdict } from '../support/attempts/attempt.ts';
import { getCertificateAuthority } from '../support/certificate-authority.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { APT, buildDebianPackage, ROOT } from './built-package.ts';
import { bootContainer, findObstacle } from './container.ts';
import type { Container } from './container.ts';

const obstacle = findObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };

// All of them take many minutes; `ATTEMPT_CATEGORIES=signals,handles` makes those of some categories.
const only = process.env['ATTEMPT_CATEGORIES']?.split(',');
const GROUPS = ATTEMPT_GROUPS.filter(({ category }) => only?.includes(category) ?? true);

// A process, an address or a limit inside of its own sandbox is no way out of it.
const INSIDE: ReadonlySet<FactKind> = new Set(['started', 'listening', 'outgrown']);

// The kernel has an error of its own for a process id that nobody has, and everybody may read the names of users and groups.
const TOLD_BY_THE_SYSTEM: ReadonlySet<string> = new Set([
  'os.getPriority tells whether a process is there',
  'process.kill with 0 tells whether a process is there',
  'process.setuid tells whether a user is there',
  'process.setgroups tells whether a group is there',
]);

/** Runs bundles without the inner sandbox: by Node.js alone, with everything that it can do. */
const OPEN = `
  runner=/usr/lib/penstock/daemon/software/bundle/runner/runner.js
  grep -q ';enterSandbox({' $runner || exit 1
  grep -q 'const{permission:[[:alnum:]_$]*}=process;' $runner || exit 1
  sed -i -e 's/;enterSandbox({/;void ({/' \\
    -e 's/const{permission:\\([[:alnum:]_$]*\\)}=process;/const \\1 = { has: () => true };/' $runner
  mkdir -p /etc/systemd/system/penstock-bundle@.service.d
  printf '[Service]\\nExecStart=\\nExecStart=/usr/lib/penstock/bin/node $PENSTOCK_NOTHING %s net child-process link=/run/penstock-bundle/link\\n' \\
    $runner >/etc/systemd/system/penstock-bundle@.service.d/open.conf
  systemctl daemon-reload
  systemctl restart penstock.service`;

async function makeAttempts(container: Container, kind: string): Promise<readonly Verdict[]> {
  const categories = GROUPS.map(({ category }) => category);
  const secret = `canary-${randomBytes(12).toString('hex')}`;
  await container.shell(`
    mkdir /opt/${kind}
    CANARY=${secret} /usr/lib/penstock/bin/node /root/run/test/support/attempts/unit-trial.ts \\
      ${kind} /opt/${kind} /root/run/${kind}.json /root/run/ca.pem ${categories.join(' ')}`);
  const text = await readFile(path.join(container.shared, `${kind}.json`), 'utf8');
  return JSON.parse(text) as readonly Verdict[];
}

/** Finds the attempts that the inner sandbox refused. */
function findRefused(verdicts: readonly Verdict[]): readonly Verdict[] {
  return verdicts.filter(({ outcome }) => outcome.includes('ERR_ACCESS_DENIED'));
}

test(
  'no attempt of a bundle gets out of its unit, with and without the inner sandbox',
  options,
  async (t) => {
    const packageFile = await buildDebianPackage(createTemporaryDirectory(t));
    const container = await bootContainer(t);
    await copyFile(packageFile, path.join(container.shared, 'penstock.deb'));
    await writeFile(path.join(container.shared, 'package.json'), '{ "type": "module" }');
    await writeFile(path.join(container.shared, 'ca.pem'), (await getCertificateAuthority()).certificate);
    for (const folder of ['test/support/attempts', 'test/daemon/software/bundle/attempts']) {
      await mkdir(path.join(container.shared, path.dirname(folder)), { recursive: true });
      await cp(path.join(ROOT, folder), path.join(container.shared, folder), { recursive: true });
    }
    await container.shell(`${APT} install ./penstock.deb`);
    for (const group of GROUPS) {
      const file = `${nameAttemptBundle(group.category)}.dp`;
      await writeFile(path.join(container.shared, file), buildAttemptPackage(group));
      await container.shell(`penstock package install ${file}`);
    }
    const total = GROUPS.flatMap(({ attempts }) => attempts).length;

    await t.test('with both sandboxes nothing at all is found', async () => {
      const verdicts = await makeAttempts(container, 'fenced');
      assert.equal(verdicts.length, total);
      assert.deepEqual(
        verdicts.filter(({ facts }) => facts.length > 0),
        [],
      );
      assert.notEqual(findRefused(verdicts).length, 0);
    });

    await t.test('without the inner sandbox the unit alone keeps everything inside', async () => {
      await container.shell(OPEN);
      const verdicts = await makeAttempts(container, 'open');
      assert.equal(verdicts.length, total);
      const out = verdicts.map((verdict) => ({
        ...verdict,
        facts: verdict.facts.filter(
          ({ kind }) => !INSIDE.has(kind) && !(kind === 'told' && TOLD_BY_THE_SYSTEM.has(verdict.title)),
        ),
      }));
      assert.deepEqual(
        out.filter(({ facts }) => facts.length > 0),
        [],
      );
      assert.deepEqual(findRefused(verdicts), []);
    });
  },
);
