import path from 'node:path';

import { CONFIG_OPTION } from '../client/client-options.ts';
import { promptSecret } from '../terminal/prompt.ts';
import { createCommandGroup } from '../client/client-commands.ts';
import type { LocalInvocation } from '../client/client-commands.ts';
import { formatLocalTime } from '../terminal/local-time.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { readSecretFile } from '../terminal/text-file.ts';
import { finishSwitch, switchFolders, journalPathOf } from './switch-folders.ts';

const OPTIONS = {
  'password-file': { value: 'FILE', help: 'read the passphrase from a file', names: 'file' },
  replace: { help: 'replace the existing gateway on this machine' },
  resume: { help: 'complete an interrupted restore, as the service does when it starts' },
  config: CONFIG_OPTION,
} as const;

/** Restores a gateway from an encrypted backup. */
export const restore = createCommandGroup('restore', 'restore a backup onto this machine', {
  '': {
    parameters: '[FILE]',
    summary: 'restore a backup onto this machine, as root, while the service is stopped',
    text: 'Restores everything or nothing. An existing gateway is replaced only with --replace.',
    options: OPTIONS,
    names: ['file'],
    examples: ['penstock restore /var/backups/penstock.age', 'penstock restore --resume'],
    runHere: restoreGateway,
  },
});

async function restoreGateway({ words, options, terminal, show }: LocalInvocation): Promise<void> {
  const [name] = words;
  const configFile = String(options['config']);
  const journal = journalPathOf(path.dirname(path.resolve(configFile)));
  if (options['resume'] === true) {
    if (name !== undefined) throw new UsageError('--resume takes no file');
    const finished = await finishSwitch(journal);
    const text = finished ? 'the restore is complete\n' : 'no interrupted restore\n';
    return show({ finished }, () => text);
  }
  if (name === undefined) throw new UsageError('FILE is missing');
  const file = path.resolve(name);
  const passwordFile = options['password-file'];
  const passphrase =
    typeof passwordFile === 'string'
      ? await readSecretFile(passwordFile, 'password file')
      : await promptSecret('Passphrase: ', terminal);
  await finishSwitch(journal);
  const signal = terminal.stopSignal;
  const work = { file, configFile, passphrase, isReplacing: options['replace'] === true, signal };
  // Lazy: no other command needs the decryption library.
  const { unpackBackup } = await import('./read-backup.ts');
  const { manifest, folders, leftOut } = await unpackBackup(work).catch((error: unknown) => {
    throw explain(error, file, signal);
  });
  terminal.note(`replacing: ${folders.join(', ')}\n`);
  await switchFolders(journal, folders);
  if (leftOut !== undefined) {
    const { describeLeftOut } = await import('./left-out.ts');
    terminal.note(describeLeftOut(leftOut));
  }
  const { host, release, timeMs } = manifest;
  const time = new Date(timeMs).toISOString();
  const next = 'next: systemctl start penstock.socket penstock.service\n';
  show(
    { host, release, time, folders, leftOut: leftOut ?? { count: 0, entries: [] } },
    () => `restored ${host} as of ${formatLocalTime(timeMs)}: ${folders.join(', ')}\n${next}`,
  );
}

function explain(error: unknown, file: string, signal: AbortSignal): unknown {
  if (signal.aborted) return new CommandError({ code: 'STOPPED', detail: 'stopped; nothing was changed' });
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const reason = code === 'ENOSPC' ? 'the disk is full' : code;
  const detail = `${file} cannot be restored: ${reason} (${syscall}); nothing was changed`;
  return new CommandError({ code: 'RESTORE_FAILED', detail, cause: error });
}
