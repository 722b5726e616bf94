import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { parse } from 'yaml';

import { assertOutput, isShell, nameBlock, readBlocks } from './documented-commands.ts';
import type { Block } from './documented-commands.ts';
import { toDocumented, toLocal } from './documented-commands-names.ts';
import type { LocalNames } from './documented-commands-names.ts';
import { runShell } from './documented-commands-shell.ts';
import { COMPILE_CACHE, startDocumentedService } from './documented-commands-service.ts';
import type { DocumentedService } from './documented-commands-service.ts';
import { findFreePorts } from './free-ports.ts';
import type { RunningGateway } from './gateway.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';

/** A page whose commands are run, and their surroundings. */
export interface PlayedPage {
  readonly page: string;
  /** Blocks of commands that are left out. */
  readonly leftOut?: (block: Block) => boolean;
  /** `penstock.yaml` before the first command, without ports and directories; a page may replace it. */
  readonly configuration?: Readonly<Record<string, unknown>>;
  /** The first block defines the functions and variables of the others. */
  readonly hasDefinitions?: boolean;
  /** Files in the directory of the user who types the commands, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Input that a user types into the commands of a block, by a part of the block. */
  readonly typed?: Readonly<Record<string, string>>;
  /** Commands that do not end by themselves, by a part of the block: they are stopped when they have printed this. */
  readonly until?: Readonly<Record<string, RegExp>>;
  /** Actions before a block, by a part of it: events outside, or commands that a user types. */
  readonly before?: Readonly<Record<string, string | (() => void | Promise<void>)>>;
  /** Further names of the page with their replacements. */
  readonly names?: readonly (readonly [documented: string, local: string])[];
}

/**
 * Runs the commands of a page in their order, against their own gateway. Blocks of `yaml` begin with the file that they
 * are, and are written to it. Commands succeed, print the statuses that stand behind `#`, each on its own line, and print
 * the output that the next block shows.
 *
 * @returns the gateway as the page leaves it
 */
export async function playPage(t: TestContext, played: PlayedPage): Promise<RunningGateway> {
  const directory = createTemporaryDirectory(t);
  const configuration = path.join(directory, 'etc');
  const home = path.join(directory, 'home');
  for (const folder of ['etc/provision.d', 'etc/tls', 'home/backups', 'home/tmp'])
    mkdirSync(path.join(directory, folder), { recursive: true });
  const [httpsPort = 0, clientAuthPort = 0] = await findFreePorts(2);
  const names: LocalNames = {
    configuration,
    data: path.join(directory, 'data'),
    home,
    httpsPort,
    clientAuthPort,
    others: played.names ?? [],
  };
  writeConfiguration(played.configuration ?? {}, names);
  for (const [name, content] of Object.entries(played.files ?? {}))
    writeFileSync(path.join(home, name), content, { mode: 0o600 });

  const blocks = readBlocks(played.page).filter((block) => played.leftOut?.(block) !== true);
  const definitions = played.hasDefinitions === true ? blocks.find(isShell) : undefined;
  let service: DocumentedService | undefined;
  for (const block of blocks) {
    const happening = findPart(played.before, block);
    if (typeof happening === 'function') await happening();
    if (block.language === 'yaml') writeFile(block, names);
    if (!isShell(block)) continue;
    service ??= await startDocumentedService(t, configuration);
    const surroundings = { played, names, service, definitions };
    if (typeof happening === 'string')
      await runBlock({ ...block, text: `${happening}\n`, output: undefined }, surroundings);
    await t.test(nameBlock(block), () => runBlock(block, surroundings));
  }
  service ??= await startDocumentedService(t, configuration);
  return service.gateway();
}

interface Surroundings {
  readonly played: PlayedPage;
  readonly names: LocalNames;
  readonly service: DocumentedService;
  readonly definitions: Block | undefined;
}

async function runBlock(block: Block, { played, names, service, definitions }: Surroundings): Promise<void> {
  const { home } = names;
  const gateway = service.gateway();
  const script =
    definitions === undefined || definitions === block ? block.text : definitions.text + block.text;
  const local = toLocal(script, names);
  const seen = gateway.lines.length;
  writeFileSync(path.join(home, '.curlrc'), 'silent\nshow-error\nnoproxy = localhost\n');
  const environment = {
    HOME: home,
    PATH: `${service.programs}:${process.env['PATH'] ?? ''}`,
    PENSTOCK_SOCKET: path.join(names.data, 'penstock.sock'),
    NODE_COMPILE_CACHE: COMPILE_CACHE,
  };
  const { printed, status } = await runShell(local, {
    home,
    environment,
    typed: findPart(played.typed, block) ?? '',
    until: findPart(played.until, block),
  });
  const shown = toDocumented(printed, readPage(played.page), names);
  assert.equal(status, 0, `${block.text}\n${shown}`);
  const expected = [...block.text.matchAll(/ # (\d{3})$/gm)].map(([, code]) => code);
  assert.deepEqual(expected.length > 0 ? shown.match(/^\d{3}$/gm) : [], expected, `${block.text}\n${shown}`);
  if (block.output !== undefined) assertOutput(block.output, shown);
  if (!block.text.includes('kill -HUP')) return;
  const line = await Promise.race([gateway.line('reloaded', seen), gateway.line('reload.failed', seen)]);
  assert.equal(line.event, 'reloaded');
}

/** Writes a block to the file that its first line names. */
function writeFile(block: Block, names: LocalNames): void {
  const [, name] = /^# \/etc\/penstock\/(\S+)\n/.exec(block.text) ?? [];
  if (name === undefined) return;
  const text = toLocal(block.text, names);
  if (name === 'penstock.yaml') writeConfiguration(parse(text) as Record<string, unknown>, names);
  else writeFileSync(path.join(names.configuration, name), text);
}

/** Writes `penstock.yaml` with the ports and the directory of this gateway; JSON is YAML. */
function writeConfiguration(content: Readonly<Record<string, unknown>>, names: LocalNames): void {
  const { httpsPort, clientAuthPort } = names;
  const http = { host: '127.0.0.1', httpsPorts: [httpsPort], httpsClientAuthPorts: [clientAuthPort] };
  const whole = { ...content, dataDirectory: '../data', http };
  writeFileSync(path.join(names.configuration, 'penstock.yaml'), JSON.stringify(whole, null, 2));
}

function findPart<T>(parts: Readonly<Record<string, T>> | undefined, { text }: Block): T | undefined {
  return Object.entries(parts ?? {}).find(([part]) => text.includes(part))?.[1];
}

function readPage(page: string): string {
  return readFileSync(path.resolve(import.meta.dirname, '../..', page), 'utf8');
}
