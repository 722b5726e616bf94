import { lstat, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';

import { syncDirectory, writeFileAtomically } from '../../base/file/atomic-file.ts';
import { removeTree } from '../../base/file/remove-tree.ts';
import { check, z } from '../../base/schema.ts';
import { CommandError } from '../command-error.ts';

const journalSchema = z.array(z.string().startsWith('/')).max(8);

/** Returns where the new content of a folder waits. */
export function stagingPathOf(folder: string): string {
  return `${folder}.restoring`;
}

function replacedPathOf(folder: string): string {
  return `${folder}.replaced`;
}

/** Returns the file that tells, from the decision to the end, which folders are being switched. */
export function journalPathOf(configuration: string): string {
  return `${configuration}.restore`;
}

/**
 * Replaces folders by those that wait beside them. When this ends early, also by a loss of power, either nothing has changed or
 * {@link finishSwitch} does the rest.
 */
export async function switchFolders(journal: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) await syncDirectory(path.dirname(folder));
  // This decides.
  await writeFileAtomically(journal, `${JSON.stringify(folders)}\n`);
  await finishSwitch(journal);
}

/**
 * Does what is left of a switch that was decided; may be repeated.
 *
 * @returns whether there was one
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
    // Moved away before already: the service manager has made an empty one since.
    if (await exists(replacedPathOf(folder))) await removeTree(folder);
    else await rename(folder, replacedPathOf(folder));
  }
  await rename(waiting, folder);
  await syncDirectory(path.dirname(folder));
}

async function readJournal(journal: string): Promise<readonly string[]> {
  const checked = check(journalSchema, parseJson(await readFile(journal, 'utf8')));
  if (checked.faults === undefined) return checked.value;
  const detail = `${journal} is damaged; what it switches waits in folders that end with .restoring`;
  throw new CommandError({ code: 'JOURNAL_INVALID', detail });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether there is anything of this name. */
export async function exists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return false;
    throw error;
  }
}
