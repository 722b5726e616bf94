import path from 'node:path';

import { messageOf } from '../../base/errors.ts';
import { recordingSchema } from '../../settings/recorder-settings.ts';
import { loadSettingsFile } from '../../settings/settings-file.ts';
import { promptNewSecret } from '../terminal/prompt.ts';
import { CONFIG_OPTION, CLIENT_OPTIONS, createClient } from '../client/client-options.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { LocalInvocation } from '../client/client-commands.ts';
import { readConfiguration } from '../../interface/configuration/configuration.ts';
import { CommandError, isNotFound, UsageError } from '../command-error.ts';
import type { OptionValue } from '../command-line.ts';
import { readSecretFile } from '../terminal/text-file.ts';
import { recordBackup } from '../../interface/configuration/backup.ts';
import type { RestClient } from '../client/rest-client.ts';
import type { Terminal } from '../command-group.ts';
import { readWholeNumber } from '../terminal/whole-number.ts';
import { BackupSeries } from './backup-series.ts';
import { resolvePaths, isBelow, listOutside } from './paths.ts';

const OPTIONS = {
  keep: {
    value: 'N',
    help: 'add the time to the name of FILE, and delete all but the newest N of these files',
  },
  history: { help: 'include recorded samples' },
  'password-file': { value: 'FILE', help: 'read the passphrase from a file', names: 'file' },
  config: CONFIG_OPTION,
  socket: CLIENT_OPTIONS.socket,
} as const;

// More than one per day of a year.
const MAXIMUM_KEPT = 400;

/** Writes an encrypted backup of a running gateway. */
export const backup = createCommandGroup('backup', 'write an encrypted backup of the gateway', {
  '': {
    parameters: 'FILE',
    summary: 'write an encrypted backup of the gateway on this machine, as root',
    text: 'Contains configuration, certificates and keys, identities, packages and their data; recorded samples only with --history. The gateway keeps running. The command prompts for a passphrase to encrypt the file; the program age can decrypt it too.',
    options: OPTIONS,
    names: ['file'],
    examples: [
      'penstock backup /var/backups/penstock.age',
      'penstock backup /var/backups/gateway/penstock.age --keep 7',
      'penstock backup /var/backups/penstock.age --history',
    ],
    runHere: backUp,
  },
});

async function backUp({ words, options, terminal, show, command }: LocalInvocation): Promise<void> {
  const named = path.resolve(words[0] ?? '');
  const kept = readWholeNumber(options, 'keep', { unit: 'backups', minimum: 1, maximum: MAXIMUM_KEPT });
  const series = kept === undefined ? undefined : new BackupSeries(named, kept);
  const file = series?.nameAt(new Date()) ?? named;
  const config = String(options['config']);
  const { settings } = await loadSettingsFile(config);
  const paths = resolvePaths(config, settings);
  const folder = Object.values(paths).find((place) => isBelow(file, place));
  if (folder !== undefined)
    throw new UsageError(`${file} is in ${folder}, which is part of the backup; choose another directory`);
  const client = await createClient({ socket: options['socket'] }, terminal, command);
  // Requested first: a failure after the backup would make a complete one look failed.
  const { body } = await client.exchange(readConfiguration, {});
  const passphrase = await choosePassphrase(options['password-file'], terminal);
  const signal = terminal.stopSignal;
  const hasHistory = options['history'] === true;
  const historyReservedBytes = hasHistory ? reservedBytesOf(body) : undefined;
  const work = { file, paths, passphrase, client, historyReservedBytes, signal };
  // Lazy: no other command needs the encryption library.
  const { writeBackup } = await import('./write-backup.ts');
  const { entries, leftOut } = await writeBackup(work).catch((error: unknown) => {
    throw explain(error, file, signal);
  });
  await recordAtGateway(client, terminal);
  const removed = (await series?.prune()) ?? [];
  const missing = listOutside(paths, settings, body);
  const { describeLeftOut } = await import('./left-out.ts');
  terminal.note(describeLeftOut(leftOut));
  if (!hasHistory && hasRecorders(body))
    terminal.note('not in the backup, include them with --history: recorded samples\n');
  for (const each of missing) terminal.note(`not in the backup, copy it separately: ${each}\n`);
  show({ file, entries, missing, leftOut, ...(series === undefined ? {} : { removed }) }, () => {
    const lines = removed.map((each) => `${each}: deleted\n`);
    return `${file}: ${entries} entries\n${lines.join('')}`;
  });
}

function reservedBytesOf(configuration: unknown): number {
  const { recording } = configuration as { readonly recording?: { readonly reservedBytes?: unknown } };
  return recordingSchema.parse({ reservedBytes: recording?.reservedBytes }).reservedBytes;
}

function hasRecorders(configuration: unknown): boolean {
  const { recorders } = configuration as { readonly recorders?: unknown };
  return Array.isArray(recorders) && recorders.length > 0;
}

/** Records the backup at the gateway, whose metrics show the age of the newest one; the backup is already complete. */
async function recordAtGateway(client: RestClient, terminal: Terminal): Promise<void> {
  try {
    await client.call(recordBackup);
  } catch (error) {
    // Gateways of earlier releases have no such record.
    if (isNotFound(error)) return;
    terminal.note(`the gateway has not recorded this backup: ${messageOf(error)}\n`);
  }
}

async function choosePassphrase(file: OptionValue, terminal: Terminal): Promise<string> {
  const passphrase =
    typeof file === 'string'
      ? await readSecretFile(file, 'passphrase file')
      : await promptNewSecret('Passphrase', terminal);
  if (passphrase !== '') return passphrase;
  throw new CommandError({ code: 'NO_INPUT', detail: 'the passphrase is empty' });
}

/** Describes a failure, after which the file is absent or unchanged. */
function explain(error: unknown, file: string, signal: AbortSignal): unknown {
  if (signal.aborted) return new CommandError({ code: 'STOPPED', detail: 'stopped; nothing was written' });
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  if (syscall === undefined) return error;
  const reason = code === 'ENOSPC' ? 'the disk is full' : String(code);
  const detail = `${file} cannot be written: ${reason}; nothing was written`;
  return new CommandError({ code: 'FILE_UNWRITABLE', detail, cause: error });
}
