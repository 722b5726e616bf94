import path from 'node:path';

import { describeFileFault } from '../../base/file/file-fault.ts';
import { openRegularFile } from '../../base/file/regular-file.ts';
import { formatPath } from '../../base/schema.ts';
import { YamlError } from '../../settings/yaml-document.ts';
import type { YamlReader } from '../../settings/yaml-reader.ts';
import { findPosition } from '../../settings/yaml-positions.ts';
import { parseTemplate } from './template.ts';
import type { Template } from './template.ts';

/** File name extension of templates. */
export const TEMPLATE_FILE_ENDING = '.yaml';

// Many times the longest register list of a manufacturer.
const MAXIMUM_BYTES = 262_144;

/** A template and the content of its file; or the errors of the file, line by line. */
export type ReadTemplate =
  | { readonly template: Template; readonly content: unknown; readonly faults?: undefined }
  | { readonly template?: undefined; readonly faults: readonly string[] };

/**
 * Reads a template file, whose name must match the template.
 *
 * @returns the template; or its errors, each with the line if there is one
 * @throws {Unavailable} `YAML_QUEUE_FULL`
 */
export async function readTemplateFile(file: string, yaml: Pick<YamlReader, 'read'>): Promise<ReadTemplate> {
  try {
    const { value, positions } = await yaml.read(await readBounded(file));
    const { value: template, faults } = parseTemplate(value);
    if (faults !== undefined) {
      const lines = faults.map(({ path: place, message }) => {
        const { line } = findPosition(value, positions, place);
        return `line ${line}: ${formatPath(place)}: ${message}`;
      });
      return { faults: lines };
    }
    const expected = `${template.name}${TEMPLATE_FILE_ENDING}`;
    if (path.basename(file) === expected) return { template, content: value };
    return { faults: [`expected the file to be called ${expected}, as the template in it`] };
  } catch (error) {
    if (error instanceof YamlError) return { faults: [`line ${error.position.line}: ${error.reason}`] };
    if (isFileError(error)) return { faults: [`cannot be read: ${describeFileFault(error)}`] };
    throw error;
  }
}

async function readBounded(file: string): Promise<Uint8Array> {
  await using handle = await openRegularFile(file);
  const { size } = await handle.stat();
  if (size > MAXIMUM_BYTES) throw new YamlError({ line: 1, column: 1 }, `longer than ${MAXIMUM_BYTES} bytes`);
  return await handle.readFile();
}

function isFileError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
