import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { generateApi } from 'swagger-typescript-api';

import { writeDescription } from './interface-description.ts';

const TARGET = path.resolve(import.meta.dirname, '../daemon/console/api/types.ts');

// Bounds of every whole number say nothing.
const BOUNDS = /^ *\* @(?:min|max) -?9007199254740991\n/gm;

if (import.meta.main) await writeFile(TARGET, await writeConsoleTypes());

/** Gives the types of what the REST interface takes and answers, as its own description has them. */
export async function writeConsoleTypes(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'penstock-types-'));
  try {
    const spec = JSON.parse(await writeDescription(directory)) as object;
    const { files } = await generateApi({
      spec,
      output: false,
      generateClient: false,
      addReadonly: true,
      silent: true,
    });
    const types = files.map(({ fileContent }) => fileContent).join('\n');
    const plain = types.replaceAll(BOUNDS, '').replaceAll(/\/\*\*\s*\*\/\n/g, '');
    return `// Made from the description of the REST interface by "npm run build:console-types".\n\n${plain.replaceAll(/\bany(?=[;>\]])/g, 'unknown')}`;
  } finally {
    await rm(directory, { recursive: true });
  }
}
