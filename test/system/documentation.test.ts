import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { getClientCertificate } from '../support/certificate-authority.ts';
import { startGateway } from '../support/gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

/*
 * How pages are marked: `yaml` blocks begin with the file they belong to and are written there, `sh` blocks are run in
 * their order. The first `sh` block defines what the others use. `# 200` at the end of a command is the status that it
 * prints on a line of its own. After a block with `kill -HUP` the daemon has read its files.
 */

const NETRC = 'machine localhost login operator password operator-password\n';

test('the commands of docs/tokens.md give the statuses they say, up to another issuer', async (t) => {
  const blocks = readBlocks('docs/tokens.md');
  const directory = createTemporaryDirectory(t);
  const [first] = blocks;
  assert.equal(first?.language, 'yaml');
  writeProvision(directory, first);
  const gateway = await startGateway(t, { directory });
  const place = await preparePlace(t, gateway);
  for (const block of blocks.slice(1)) {
    if (block.language === 'yaml') writeProvision(directory, block);
    else await runBlock(block, blocks, gateway, place);
  }
  const replayed = gateway.lines.filter(({ auditEvent }) => auditEvent === 'TOKEN_REPLAYED');
  assert.deepEqual(
    replayed.map(({ level }) => level),
    ['warn'],
  );
  assert.equal(gateway.errors(), '');
});

test('the commands of docs/audit.md give the statuses they say', async (t) => {
  const blocks = readBlocks('docs/audit.md');
  const gateway = await startGateway(t, {
    config: {
      provision: {
        rest: { basicAuthenticationEnabled: true },
        identities: [{ name: 'operator', permissions: ['rest.admin'], password: 'operator-password' }],
      },
    },
  });
  const place = await preparePlace(t, gateway);
  writeFileSync(path.join(place, 'netrc'), NETRC);
  for (const block of blocks) await runBlock(block, blocks, gateway, place);
});

interface Block {
  readonly language: string;
  readonly text: string;
}

function readBlocks(page: string): readonly Block[] {
  const text = readFileSync(path.resolve(import.meta.dirname, '../..', page), 'utf8');
  return [...text.matchAll(/^```(sh|yaml)\n([^]*?)^```$/gm)].map(([, language = '', content = '']) => ({
    language,
    text: content,
  }));
}

/** Writes a block to the file that its first line names. */
function writeProvision(directory: string, { text }: Block): void {
  const [, name] = /^# \/etc\/penstock\/(\S+)\n/.exec(text) ?? [];
  assert.ok(name, 'a block of configuration does not begin with its file');
  const file = path.join(directory, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text.replaceAll('/etc/penstock/', `${directory}/`));
}

/** Makes the directory of a client, with the certificates that the pages speak of. */
async function preparePlace(t: Parameters<typeof startGateway>[0], gateway: RunningGateway): Promise<string> {
  const place = createTemporaryDirectory(t);
  copyFileSync(path.join(gateway.dataDirectory, 'tls/server.crt'), path.join(place, 'server.crt'));
  const { certificate, privateKey } = await getClientCertificate('historian');
  writeFileSync(path.join(place, 'historian.crt'), certificate);
  writeFileSync(path.join(place, 'historian.key'), privateKey, { mode: 0o600 });
  return place;
}

async function runBlock(
  { text }: Block,
  blocks: readonly Block[],
  gateway: RunningGateway,
  place: string,
): Promise<void> {
  const definitions = blocks.find(({ language }) => language === 'sh')?.text ?? '';
  const script = definitions === text ? text : `${definitions}${text}`;
  const seen = gateway.lines.length;
  const { output, errors, status } = await runShell(toLocal(script, gateway), place);
  assert.equal(status, 0, `${text}\n${output}\n${errors}`);
  const expected = [...text.matchAll(/ # (\d{3})$/gm)].map(([, code]) => code);
  assert.deepEqual(output.match(/^\d{3}$/gm) ?? [], expected, `${text}\n${output}\n${errors}`);
  if (text.includes('kill -HUP')) {
    const line = await Promise.race([gateway.line('reloaded', seen), gateway.line('reload.failed', seen)]);
    assert.equal(line.event, 'reloaded');
  }
}

/** Puts the ports, directories and the process of this gateway in the place of those that a page names. */
function toLocal(script: string, gateway: RunningGateway): string {
  return script
    .replaceAll('https://localhost:4443/', `https://localhost:${gateway.clientAuthPorts[0] ?? 0}/`)
    .replaceAll('https://localhost/', `https://localhost:${gateway.httpsPorts[0] ?? 0}/`)
    .replaceAll('/var/lib/penstock/', `${gateway.dataDirectory}/`)
    .replaceAll('/etc/penstock/', `${gateway.directory}/`)
    .replaceAll('$(pgrep -f daemon/main.ts)', String(gateway.process.pid));
}

async function runShell(script: string, directory: string) {
  const child = spawn('bash', ['-e', '-u', '-o', 'pipefail', '-c', script], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  await once(child, 'close');
  return { output, errors, status: child.exitCode };
}
