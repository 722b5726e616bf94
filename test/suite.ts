/** Runs the tests: `quick` for those of `npm test`, `all` for every test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { planSuite, ROOT } from './support/suite-plan.ts';
import type { Selection } from './support/suite-plan.ts';

const FOLDER = 'build/tests';

const { shared, own } = planSuite(process.argv[2] as Selection);
mkdirSync(path.join(ROOT, FOLDER), { recursive: true });
const units = shared.map((files, index) => writeProgram(`${FOLDER}/units-${index + 1}.mjs`, files));

const parameters = ['run', '-s', 'test:files', '--', ...units, ...own];
const tests = spawn('npm', parameters, { cwd: ROOT, stdio: 'inherit' });
const [status] = (await once(tests, 'close')) as [number | null];
process.exitCode = status === 0 ? 0 : 1;

/** Writes a program that runs these files in its process, where it has changed; returns its path. */
function writeProgram(file: string, files: readonly string[]): string {
  const program = path.join(ROOT, file);
  const list = JSON.stringify(files, undefined, 2);
  const text = `import { runFiles } from '../../test/support/shared-process.ts';\n\nrunFiles(${list});\n`;
  if (!existsSync(program) || readFileSync(program, 'utf8') !== text) writeFileSync(program, text);
  return file;
}
