import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * Lays out the files of a folder, readable for everybody.
 *
 * @param source folder with files alone
 * @param folder where the files go
 */
export async function layDataFiles(source: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(source)) {
    await writeFile(path.join(folder, name), await readFile(path.join(source, name)), { mode: 0o644 });
  }
}
