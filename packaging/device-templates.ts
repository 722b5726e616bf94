import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Lays out the device templates of the gateway, readable for everybody.
 *
 * @param root folder of the project
 * @param folder where the templates go
 */
export async function layDeviceTemplates(root: string, folder: string): Promise<void> {
  const templates = path.join(root, 'packaging/templates');
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(templates)) {
    await writeFile(path.join(folder, name), await readFile(path.join(templates, name)), { mode: 0o644 });
  }
}
