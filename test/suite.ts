/** Runs the checks and the tests side by side: `quick` for those of `npm test`, `all` for every test. */
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

const check = spawn('npm', ['run', '-s', 'check'], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
let found = '';
for (const stream of [check.stdout, check.stderr]) {
  stream.setEncoding('utf8').on('data', (text: string) => (found += text));
}
const checked = once(check, 'close');
const parameters = ['run', '-s', 'test:files', '--', ...units, ...own];
const tests = spawn('npm', parameters, { cwd: ROOT, stdio: 'inherit' });
const [testStatus] = (await once(tests, 'close')) as [number | null];
const [checkStatus] = (await checked) as [number | null];
if (checkStatus !== 0) console.error(`\n${found}\nnpm run check failed; what it found is above.`);
process.exitCode = testStatus === 0 && checkStatus === 0 ? 0 : 1;

/** Writes a program that runs these files in its process, where it has changed; returns its path. */
function writeProgram(file: string, files: readonly string[]): string {
  const program = path.join(ROOT, file);
  const list = JSON.stringify(files, undefined, 2);
  const text = `import { runFiles } from '../../test/support/shared-process.ts';\n\nrunFiles(${list});\n`;
  if (!existsSync(program) || readFileSync(program, 'utf8') !== text) writeFileSync(program, text);
  return file;
}
