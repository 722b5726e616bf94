import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Whoever ends what a test opened: a test context, or a suite that collects what it has to undo. */
export interface Owner {
  after(cleanUp: () => void | Promise<void>): void;
}

/** Makes an empty directory that only its owner may enter; it is removed with its content when the test ends. */
export function createTemporaryDirectory(t: Owner): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'penstock-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
