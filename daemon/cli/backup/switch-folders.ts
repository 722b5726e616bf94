import { lstat, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory, writeFileAtomically } from '../../base/file/atomic-file.ts';
import { removeTree } from '../../base/file/remove-tree.ts';
import { check, z } from '../../base/schema.ts';
import { CommandError } from '../command-error.ts';

const journalSchema = z.array(z.string().startsWith('/')).max(8);

/** Returns the staging path for the new content of a directory. */
export function stagingPathOf(folder: string): string {
  return `${folder}.restoring`;
}

function replacedPathOf(folder: string): string {
  return `${folder}.replaced`;
}

/** Returns the journal file with the directories being replaced, from the decision to the end. */
export function journalPathOf(configuration: string): string {
  return `${configuration}.restore`;
}

/**
 * Replaces directories by the staged ones. After an interruption, even a power failure, either nothing has changed or
 * {@link finishSwitch} completes the switch.
 */
export async function switchFolders(journal: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) await syncDirectory(path.dirname(folder));
  // Point of no return.
  await writeFileAtomically(journal, `${JSON.stringify(folders)}\n`);
  await finishSwitch(journal);
}

/**
 * Completes a started switch; idempotent.
 *
 * @returns true if there was one
 * @throws {CommandError} `JOURNAL_INVALID`
 */
export async function finishSwitch(journal: string): Promise<boolean> {
  if (!(await exists(journal))) return false;
  const folders = await readJournal(journal);
  for (const folder of folders) await switchFolder(folder);
  for (const folder of folders) {
    await removeTree(replacedPathOf(folder));
    await syncDirectory(path.dirname(folder));
  }
  await rm(journal);
  await syncDirectory(path.dirname(journal));
  return true;
}

async function switchFolder(folder: string): Promise<void> {
  const waiting = stagingPathOf(folder);
  if (!(await exists(waiting))) return;
  if (await exists(folder)) {
    // Already moved away: the service manager has created an empty one since.
    if (await exists(replacedPathOf(folder))) await removeTree(folder);
    else await rename(folder, replacedPathOf(folder));
  }
  await rename(waiting, folder);
  await syncDirectory(path.dirname(folder));
}

async function readJournal(journal: string): Promise<readonly string[]> {
  const checked = check(journalSchema, parseJson(await readFile(journal, 'utf8')));
  if (checked.faults === undefined) return checked.value;
  const detail = `${journal} is damaged; the restored content is in directories that end with .restoring`;
  throw new CommandError({ code: 'JOURNAL_INVALID', detail });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns true if the path exists, including dangling links. */
export async function exists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return false;
    throw error;
  }
}
