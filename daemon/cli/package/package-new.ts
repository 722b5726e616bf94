import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describeFileFault } from '../../base/file/file-fault.ts';
import type { LocalInvocation } from '../client/client-commands.ts';
import { CommandError, UsageError } from '../command-error.ts';
import { listSenderFiles } from './sender-template.ts';

const SYMBOLIC_NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;
const MAXIMUM_NAME_LENGTH = 200;

export const NEW_OPTIONS = {
  output: { value: 'DIRECTORY', help: 'directory to create (default: NAME)', names: 'file' },
} as const;

/** Writes a new bundle, which sends the samples of a recorder to a URL. */
export async function createBundle({ words, options, terminal, show }: LocalInvocation): Promise<void> {
  const [name = ''] = words;
  if (!SYMBOLIC_NAME.test(name) || name.length > MAXIMUM_NAME_LENGTH)
    throw new UsageError(`"${name}": expected a symbolic name such as com.example.sender`);
  const { output } = options;
  const directory = typeof output === 'string' ? output : name;
  const files = listSenderFiles(name);
  try {
    // A directory that exists is left alone.
    await mkdir(directory);
    await mkdir(path.join(directory, 'META-INF'));
    for (const { path: file, text } of files)
      await writeFile(path.join(directory, file), text, { flag: 'wx' });
  } catch (cause) {
    const isThere = (cause as { readonly code?: unknown }).code === 'EEXIST';
    const reason = isThere ? 'it already exists' : describeFileFault(cause, 'this user');
    throw new CommandError({
      code: 'BUNDLE_NOT_CREATED',
      detail: `cannot create ${directory}: ${reason}`,
      cause,
    });
  }
  show({ directory, files: files.map(({ path: file }) => file) }, () => `${directory}\n`);
  terminal.note(
    `test it with "node --test ${directory}/sender.test.mjs", then "penstock package build ${directory} --name ${name} --version 1.0.0"\n`,
  );
}
