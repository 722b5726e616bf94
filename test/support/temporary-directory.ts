import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

/** Makes an empty directory that only its owner may enter; it is removed with its content when the test ends. */
export function createTemporaryDirectory(t: Pick<TestContext, 'after'>): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'penstock-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
