import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { writeFileAtomically } from './atomic-file.ts';
import { check, z } from '../schema.ts';

/** Result of reading a stored file. */
export type CheckedContent<T> =
  | { readonly state: 'INTACT'; readonly value: T }
  | { readonly state: 'ABSENT' | 'DAMAGED' };

const envelope = z.strictObject({ sha256: z.string(), content: z.string() });

/** Replaces a file atomically with a value and its digest, which later detects damage. */
export async function writeChecksummedFile(file: string, value: unknown): Promise<void> {
  const content = JSON.stringify(value);
  await writeFileAtomically(file, JSON.stringify({ sha256: digest(content), content }));
}

/**
 * Reads a file of {@link writeChecksummedFile}. A torn or altered file, or one with another shape, is DAMAGED.
 *
 * @throws when the file cannot be read
 */
export async function readChecksummedFile<T>(file: string, schema: z.ZodType<T>): Promise<CheckedContent<T>> {
  const text = await findText(file);
  if (text === undefined) return { state: 'ABSENT' };
  const stored = check(envelope, findJson(text)).value;
  if (stored === undefined || stored.sha256 !== digest(stored.content)) return { state: 'DAMAGED' };
  const checked = check(schema, findJson(stored.content));
  return checked.faults === undefined ? { state: 'INTACT', value: checked.value } : { state: 'DAMAGED' };
}

async function findText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
}

function findJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function digest(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
