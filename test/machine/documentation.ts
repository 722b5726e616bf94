import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';

import { readRelease } from '../../packaging/release.ts';
import { isShell, nameBlock, readBlocks } from '../support/documented-commands.ts';
import type { Block } from '../support/documented-commands.ts';
import { DAMAGE_A_PACKAGE } from '../support/documented-commands-field.ts';
import { isLeftOut } from '../support/documented-commands-left-out.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';
import { buildDebianPackage, ROOT } from './built-package.ts';
import { bootContainer, findObstacle } from './container.ts';
import type { Container } from './container.ts';

const obstacle = findObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };

/** How a page is typed on a machine. */
interface Typing {
  /** Also what a test on its own gateway leaves out. */
  readonly isWhole?: boolean;
  /** Input that a user types into the commands of a block, by a part of the block. */
  readonly typed?: Readonly<Record<string, string>>;
  /** Actions on the machine before a block, by a part of the block. */
  readonly before?: Readonly<Record<string, string>>;
}

// The figures of the documentation are of these: from a bare Debian to the first read.
const FIRST_COMMANDS = 5;

test('statements of the documentation about a machine hold on a booted Debian', options, async (t) => {
  const packageFile = await buildDebianPackage(createTemporaryDirectory(t));
  const container = await bootContainer(t);
  const { version } = readRelease(ROOT);
  await copyFile(packageFile, path.join(container.shared, 'penstock.deb'));
  await container.shell(`cp penstock.deb /root/penstock_${version}_amd64.deb
    printf 'silent\nshow-error\n' > /root/.curlrc`);

  const hour = await typePage(t, container, 'docs/tutorial/first-hour.md', {
    isWhole: true,
    typed: { 'setup --client scada\n': 'a password of its own\n' },
    before: {
      'driver add plc':
        'systemd-run --quiet --unit=plant penstock simulate --protocols modbus-tcp --port 502 && sleep 2',
      '\'{"channels":["setpoint"]}\'': 'systemctl kill --signal=STOP plant',
      'until penstock asset read': 'systemctl kill --signal=CONT plant',
    },
  });
  const first = hour.slice(0, FIRST_COMMANDS);
  await t.test('the first read is what setup has printed, with an asset behind it', () => {
    const [, setUp, , , read] = first;
    const [printed = ''] = /^curl [^]*?[^\\]$/m.exec(setUp?.output ?? '') ?? [];
    assert.equal(read?.block.text, `${printed}/heating/_read\n`);
    assert.match(read.output, /"value":60/);
  });
  const commands = first.map(({ block }) => block.text.replaceAll('\\\n', '').trim().split('\n').length);
  const seconds = first.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  t.diagnostic(
    `from a bare Debian to the first read: ${commands.reduce((sum, count) => sum + count, 0)} commands, ` +
      `${seconds.toFixed(1)} s (${first.map(({ durationMs }) => (durationMs / 1000).toFixed(1)).join(' + ')})`,
  );

  for (const page of ['docs/how-to/back-up-and-restore.md', 'docs/how-to/upgrade.md'])
    await typePage(t, container, page, {});

  await typePage(t, container, 'docs/how-to/troubleshoot.md', {
    typed: { 'reset-password': 'another password\n' },
    before: {
      'penstock bundle list': `cd /root
${DAMAGE_A_PACKAGE}`,
    },
  });

  await typePage(t, container, 'docs/how-to/monitor.md', {
    before: {
      'http://127.0.0.1:9464':
        // The page before has removed the state, and with it what the first hour has made.
        "(penstock driver add plc --type modbus --host 127.0.0.1 || true) && penstock asset add heating --driver plc --template example-heating && echo 'metrics: { port: 9464 }' >> /etc/penstock/penstock.yaml && systemctl restart penstock",
    },
  });

  await typePage(t, container, 'docs/how-to/hardening.md', {
    typed: { 'create panel': 'the password of the panel\n' },
    before: {
      'update operator': "echo 'a first password' | penstock identity create operator --password",
      'revoke scada': 'penstock certificate issue scada',
    },
  });
});

/** A block that was typed. */
interface TypedBlock {
  readonly block: Block;
  readonly output: string;
  /** Without what was done before it. */
  readonly durationMs: number;
}

/** Types the commands of a page one block after the other; each has to succeed. */
async function typePage(
  t: TestContext,
  container: Container,
  page: string,
  typing: Typing,
): Promise<readonly TypedBlock[]> {
  const blocks: TypedBlock[] = [];
  for (const block of readBlocks(page)) {
    if (isLeftOut(block) && typing.isWhole !== true) continue;
    if (block.language === 'yaml') await writeConfiguration(container, block);
    if (!isShell(block)) continue;
    await t.test(nameBlock(block), async () => {
      blocks.push(await typeBlock(container, block, typing));
    });
  }
  return blocks;
}

async function typeBlock(container: Container, block: Block, { typed, before }: Typing): Promise<TypedBlock> {
  const happening = findPart(before, block);
  if (happening !== undefined) await container.shell(happening);
  // The plant of the pages is at another address, and one page goes on with the asset of the other.
  const script = block.text
    .replaceAll('--host 192.0.2.20', '--host 127.0.0.1')
    .replaceAll('assets meter', 'assets heating')
    .replaceAll('asset read boiler', 'asset read heating');
  await writeFile(path.join(container.shared, 'block.sh'), `cd /root\n${script}`);
  await writeFile(path.join(container.shared, 'typed'), findPart(typed, block) ?? '');
  const startMs = performance.now();
  const output = await container.shell('bash -e -o pipefail block.sh < typed 2>&1');
  const durationMs = performance.now() - startMs;
  const expected = [...block.text.matchAll(/ # (\d{3})$/gm)].map(([, code]) => code);
  if (expected.length > 0) assert.deepEqual(output.match(/^\d{3}$/gm), expected, output);
  return { block, output, durationMs };
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
