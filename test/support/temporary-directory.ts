import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The owner of the resources that a test opens: a test context, or a suite that releases them itself. */
export interface Owner {
  after(cleanUp: () => void | Promise<void>): void;
}

/** Creates an empty directory that only its owner may enter; it is removed with its content when the test ends. */
export function createTemporaryDirectory(t: Owner): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'penstock-'));
  // A program of the test may still write there: hooks run in the order in which they were added.
  t.after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return directory;
}
