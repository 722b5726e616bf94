import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { createReason, describeReasons } from '../base/fault-reason.ts';
import type { FaultReason } from '../base/fault-reason.ts';
import { explainFileFault } from '../base/file/file-fault.ts';
import { openRegularFile } from '../base/file/regular-file.ts';
import { YAML_FAULTS } from './fault-sentences.ts';
import { SettingsError } from './settings-error.ts';
import type { LocatedFault } from './settings-error.ts';
import { MAXIMUM_YAML_BYTES, YamlError } from './yaml-document.ts';
import type { YamlDocument } from './yaml-document.ts';
import type { YamlReader } from './yaml-reader.ts';

/** A YAML document and its file. */
export interface SettingsDocument extends YamlDocument {
  readonly file: string;
  /** SHA-256 of its bytes, base64. */
  readonly digest: string;
}

const PROVISION_DIRECTORY = 'provision.d';

// A power failure during a save can leave an empty file.
const EMPTY = createReason(YAML_FAULTS, 'YAML_EMPTY', {});

/**
 * Reads one file of the static configuration.
 *
 * @returns the document, or the error that prevents it; without line if the file cannot be read
 */
export async function readSettingsDocument(
  file: string,
  yaml: YamlReader,
): Promise<{
  readonly document?: SettingsDocument;
  readonly faults: readonly LocatedFault[];
}> {
  try {
    const bytes = await readBounded(file);
    if (bytes.length === 0) return { faults: [describeAt({ file, line: 1 }, EMPTY)] };
    const digest = createHash('sha256').update(bytes).digest('base64');
    return { document: { file, digest, ...(await yaml.readFile(bytes)) }, faults: [] };
  } catch (error) {
    if (error instanceof YamlError) {
      return { faults: [describeAt({ file, line: error.position.line }, error.reason)] };
    }
    return { faults: [describeUnreadable(file, error)] };
  }
}

/**
 * Lists the files of `provision.d` in the order of their names: every `*.yaml` that does not begin with a dot.
 *
 * @param directory directory of `penstock.yaml`
 * @returns empty without a `provision.d`
 * @throws {SettingsError} `SETTINGS_UNREADABLE`
 */
export async function listProvisionFiles(directory: string): Promise<readonly string[]> {
  const folder = path.join(directory, PROVISION_DIRECTORY);
  try {
    const names = await readdir(folder);
    return names
      .filter((name) => name.endsWith('.yaml') && !name.startsWith('.'))
      .sort()
      .map((name) => path.join(folder, name));
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return [];
    throw new SettingsError('SETTINGS_UNREADABLE', [describeUnreadable(folder, error)]);
  }
}

async function readBounded(file: string): Promise<Uint8Array> {
  await using handle = await openRegularFile(file);
  const chunks: Uint8Array[] = [];
  // With one byte beyond the limit, the parser refuses the text.
  for await (const chunk of handle.createReadStream({ end: MAXIMUM_YAML_BYTES })) {
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks);
}

function describeUnreadable(file: string, error: unknown): LocatedFault {
  return describeAt({ file }, ...explainFileFault(error));
}

function describeAt(
  place: Pick<LocatedFault, 'file' | 'line'>,
  ...reasons: readonly FaultReason[]
): LocatedFault {
  return { ...place, message: describeReasons(reasons), reasons };
}
