import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { isShell, nameBlock, readBlocks } from '../support/documented-commands.ts';
import type { Block } from '../support/documented-commands.ts';
import { DAMAGE_A_PACKAGE } from '../support/documented-commands-field.ts';
import { isLeftOut } from '../support/documented-commands-left-out.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { APT, buildDebianPackage } from './built-package.ts';
import { bootContainer, findObstacle } from './container.ts';
import type { Container } from './container.ts';

const obstacle = findObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };

/** How a page is typed on a machine. */
interface Typing {
  /** Input that a user types into the commands of a block, by a part of the block. */
  readonly typed?: Readonly<Record<string, string>>;
  /** Actions on the machine before a block, by a part of the block. */
  readonly before?: Readonly<Record<string, string>>;
}

test('statements of the documentation about a machine hold on a booted Debian', options, async (t) => {
  const packageFile = await buildDebianPackage(createTemporaryDirectory(t));
  const container = await bootContainer(t);
  await copyFile(packageFile, path.join(container.shared, 'penstock.deb'));
  await container.shell(`${APT} install ./penstock.deb && printf 'silent\nshow-error\n' > /root/.curlrc`);
  await container.shell(
    'systemd-run --quiet --unit=plant penstock simulate --protocols modbus-tcp --port 502 && sleep 2',
  );

  await typePage(t, container, 'docs/first-hour.md', {
    typed: { 'New password': 'a password of its own\n' },
    before: {
      '\'{"channels":["setpoint"]}\'': 'systemctl kill --signal=STOP plant',
      'until penstock asset read': 'systemctl kill --signal=CONT plant',
    },
  });

  await typePage(t, container, 'docs/operations.md', {
    typed: { 'reset-password': 'another password\n' },
    before: {
      'penstock bundle list': `cd /root
${DAMAGE_A_PACKAGE}`,
      'http://127.0.0.1:9464':
        "echo 'metrics: { port: 9464 }' >> /etc/penstock/penstock.yaml && systemctl restart penstock",
    },
  });

  await typePage(t, container, 'docs/hardening.md', {
    typed: { 'create panel': 'the password of the panel\n' },
    before: {
      'update operator': "echo 'a first password' | penstock identity create operator --password",
      'revoke scada': 'penstock certificate issue scada',
    },
  });
});

/** Types the commands of a page one block after the other; each has to succeed. */
async function typePage(t: TestContext, container: Container, page: string, typing: Typing): Promise<void> {
  for (const block of readBlocks(page)) {
    if (isLeftOut(block)) continue;
    if (block.language === 'yaml') await writeConfiguration(container, block);
    if (isShell(block)) await t.test(nameBlock(block), () => typeBlock(container, block, typing));
  }
}

async function typeBlock(container: Container, block: Block, { typed, before }: Typing): Promise<void> {
  const happening = findPart(before, block);
  if (happening !== undefined) await container.shell(happening);
  // The plant of the pages is at another address, and one page goes on with the asset of the other.
  const script = block.text
    .replaceAll('--host 192.0.2.20', '--host 127.0.0.1')
    .replaceAll('assets meter', 'assets heating');
  await writeFile(path.join(container.shared, 'block.sh'), `cd /root\n${script}`);
  await writeFile(path.join(container.shared, 'typed'), findPart(typed, block) ?? '');
  const output = await container.shell('bash -e -o pipefail block.sh < typed 2>&1');
  const expected = [...block.text.matchAll(/ # (\d{3})$/gm)].map(([, code]) => code);
  if (expected.length > 0) assert.deepEqual(output.match(/^\d{3}$/gm), expected, output);
}

/** Writes a block to the file that its first line names. */
async function writeConfiguration(container: Container, { text }: Block): Promise<void> {
  const [, file] = /^# (\/etc\/penstock\/\S+)\n/.exec(text) ?? [];
  if (file === undefined) return;
  await writeFile(path.join(container.shared, 'configuration'), text);
  await container.shell(`cat configuration > ${file}`);
}

function findPart(parts: Readonly<Record<string, string>> | undefined, { text }: Block): string | undefined {
  return Object.entries(parts ?? {}).find(([part]) => text.includes(part))?.[1];
}
