import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, suite, test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FILE_TIMEOUT_MS = 200_000;
const LISTENED = ['uncaughtException', 'unhandledRejection', 'SIGHUP', 'SIGINT', 'SIGTERM'];

/**
 * Runs files of tests in this process, one after the other, each as a suite with its path as name: its hooks are for its own
 * tests alone. A file that cannot be loaded, that takes too long, or that leaves the process in another state than it
 * found it in fails, and the others run all the same.
 *
 * @param files paths from the root of the repository; none of them awaits anything outside of its tests
 * @param timeoutMs how long a file may take
 */
export function runFiles(files: readonly string[], timeoutMs = FILE_TIMEOUT_MS): void {
  // A dynamic import would register tests and hooks with the process instead of the suite.
  const load = createRequire(import.meta.url);
  let finished = 0;
  // A test that waits for what never comes would end the process, and with it the files after it.
  const alive = setInterval(() => undefined, timeoutMs);
  for (const file of files) {
    suite(file, { timeout: timeoutMs }, () => {
      let former: object;
      before(() => {
        former = describeProcess();
      });
      try {
        load(path.resolve(ROOT, file));
      } catch (error) {
        test(`${file} is loaded`, () => {
          throw error;
        });
      }
      after(() => {
        finished += 1;
        if (finished === files.length) clearInterval(alive);
        assert.deepEqual(describeProcess(), former, `${file} leaves the process in another state`);
      });
    });
  }
  process.once('exit', () => {
    if (finished === files.length) return;
    process.exitCode = 1;
    console.error(`only ${finished} of ${files.length} files of tests were run to their end`);
  });
}

/** What every part of a process shares, and a test can change. */
function describeProcess(): object {
  return {
    environment: { ...process.env },
    directory: process.cwd(),
    mask: process.umask(),
    exitCode: process.exitCode,
    title: process.title,
    listeners: LISTENED.map((name) => [name, process.listenerCount(name)]),
  };
}
