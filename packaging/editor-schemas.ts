import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { describeDocument } from '../daemon/configuration/document-schema.ts';
import { describeProvisionFile, describeSettingsFile } from '../daemon/settings/editor-schema.ts';
import { describeTemplateFile } from '../daemon/plant/template/template-schema.ts';
import { createDriverFactories } from '../drivers/index.ts';

/** Gives the JSON Schemas for editors by the names of their files, with the drivers that the gateway brings. */
export function describeForEditors(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const configuration = describeDocument(createDriverFactories());
  return {
    'penstock.schema.json': describeSettingsFile(configuration),
    'provision.schema.json': describeProvisionFile(configuration),
    'template.schema.json': describeTemplateFile(),
  };
}

/** Lays out the JSON Schemas for editors, readable for everybody. */
export async function layEditorSchemas(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, schema] of Object.entries(describeForEditors())) {
    await writeFile(path.join(folder, name), `${JSON.stringify(schema, null, 2)}\n`, { mode: 0o644 });
  }
}
