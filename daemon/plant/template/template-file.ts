import path from 'node:path';

import { createFault, createReason, prefixFault } from '../../base/fault-reason.ts';
import type { FaultReason } from '../../base/fault-reason.ts';
import { BASE_FAULTS } from '../../base/fault-sentences.ts';
import { TEMPLATE_FAULTS } from './fault-sentences.ts';
import { explainFileFault } from '../../base/file/file-fault.ts';
import { openRegularFile } from '../../base/file/regular-file.ts';
import { formatPath } from '../../base/schema.ts';
import type { Fault } from '../../base/schema.ts';
import { YamlError } from '../../settings/yaml-document.ts';
import type { YamlReader } from '../../settings/yaml-reader.ts';
import { findPosition } from '../../settings/yaml-positions.ts';
import { parseTemplate } from './template.ts';
import type { Template } from './template.ts';

/** File name extension of templates. */
export const TEMPLATE_FILE_ENDING = '.yaml';

// Many times the longest register list of a manufacturer.
const MAXIMUM_BYTES = 262_144;

/** A template and the content of its file; or the errors of the file, whose messages begin with the line if there is one. */
export type ReadTemplate =
  | { readonly template: Template; readonly content: unknown; readonly faults?: undefined }
  | { readonly template?: undefined; readonly faults: readonly Fault[] };

/**
 * Reads a template file, whose name must match the template.
 *
 * @returns the template; or its errors, each with the line if there is one
 * @throws {Unavailable} `YAML_QUEUE_FULL`
 */
export async function readTemplateFile(file: string, yaml: Pick<YamlReader, 'read'>): Promise<ReadTemplate> {
  try {
    const bytes = await readBounded(file);
    if (bytes === undefined)
      return refuse(createReason(BASE_FAULTS, 'EXPECTED_AT_MOST_BYTES', { bound: MAXIMUM_BYTES }));
    const { value, positions } = await yaml.read(bytes);
    const { value: template, faults } = parseTemplate(value);
    if (faults !== undefined) {
      const placed = faults.map((fault) => {
        const { line } = findPosition(value, positions, fault.path);
        const place = formatPath(fault.path);
        return prefixFault(fault, createReason(TEMPLATE_FAULTS, 'IN_LINE', { line, place }));
      });
      return { faults: placed };
    }
    const expected = `${template.name}${TEMPLATE_FILE_ENDING}`;
    if (path.basename(file) === expected) return { template, content: value };
    return refuse(createReason(TEMPLATE_FAULTS, 'FILE_NAME_DIFFERENT', { file: expected }));
  } catch (error) {
    if (error instanceof YamlError)
      return refuse(createReason(TEMPLATE_FAULTS, 'NO_YAML', { line: error.position.line }), error.reason);
    if (isFileError(error)) return refuse(...explainFileFault(error));
    throw error;
  }
}

function refuse(...reasons: readonly FaultReason[]): ReadTemplate {
  return { faults: [createFault([], ...reasons)] };
}

/** @returns undefined if the file is too large */
async function readBounded(file: string): Promise<Uint8Array | undefined> {
  await using handle = await openRegularFile(file);
  const { size } = await handle.stat();
  return size > MAXIMUM_BYTES ? undefined : await handle.readFile();
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
