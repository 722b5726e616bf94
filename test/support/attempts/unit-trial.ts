import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { ATTEMPT_GROUPS } from '../../daemon/software/bundle/attempts/attempt-groups.ts';
import { nameAttemptBundle } from './attempt-bundle.ts';
import { AttemptRun } from './attempt-run.ts';
import type { Verdict } from './attempt.ts';
import { UnitProcess } from './unit-process.ts';

// A program that makes the attempts in bundles of the installed gateway, `fenced` or `open`, as root on a machine that is made for this, and writes the verdicts as
// JSON into a file. The packages of the categories that follow the arguments are installed.
const [kind = '', root = '', verdictFile = '', certificateFile = '', ...categories] = process.argv.slice(2);
const inheritedSecret = process.env['CANARY'] ?? '';
const canaryDirectory = path.join(root, 'canary');
mkdirSync(canaryDirectory);
execFileSync('mount', ['-t', 'tmpfs', '-o', 'strictatime,size=256m,mode=700', 'none', canaryDirectory]);
const [uid = 0, gid = 0] = ['-u', '-g'].map((what) =>
  Number(execFileSync('id', [what, 'penstock'], { encoding: 'utf8' })),
);
chownSync(canaryDirectory, uid, gid);
const run = await AttemptRun.prepare({
  canaryDirectory,
  certificate: readFileSync(certificateFile, 'utf8'),
  inheritedSecret,
  account: { uid, gid },
});
const verdicts: Verdict[] = [];
for (const group of ATTEMPT_GROUPS.filter(({ category }) => categories.includes(category))) {
  const bundle = new UnitProcess(
    nameAttemptBundle(group.category),
    path.join(root, `${group.category}.cursor`),
    kind === 'fenced',
  );
  verdicts.push(...(await run.run(group, bundle)));
}
await run.close();
writeFileSync(verdictFile, JSON.stringify(verdicts));
process.exit(0);
