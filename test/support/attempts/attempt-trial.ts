import { openSync, writeFileSync } from 'node:fs';
import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { ATTEMPT_GROUPS } from '../../daemon/software/bundle/attempts/attempt-groups.ts';
import { getCertificateAuthority } from '../certificate-authority.ts';
import { createFencedProcess, createOpenProcess } from './attempt-process.ts';
import { AttemptRun } from './attempt-run.ts';
import type { Verdict } from './attempt.ts';

// A program that makes all attempts of one kind of bundle, `fenced` or `open`, below a directory that nobody else uses, and writes the verdicts
// as JSON into a file. It must run in namespaces of its own: attempts send signals to any process.
const [kind = '', root = '', verdictFile = '', only = ''] = process.argv.slice(2);
const inheritedSecret = process.env['CANARY'] ?? '';
if (process.pid !== 1) throw new Error('runs only as the first process of a PID namespace');

const canaryDirectory = path.join(root, 'canary');
mkdirSync(canaryDirectory);
const inheritedFile = path.join(root, 'inherited');
writeFileSync(inheritedFile, inheritedSecret);
const descriptor = openSync(inheritedFile, 'r');
const { certificate } = await getCertificateAuthority();
const run = await AttemptRun.prepare({ canaryDirectory, certificate, inheritedSecret });
const verdicts: Verdict[] = [];
for (const group of ATTEMPT_GROUPS) {
  if (only !== '' && group.category !== only) continue;
  const layout = { root: path.join(root, group.category), group };
  const bundle = kind === 'open' ? createOpenProcess(layout, descriptor) : createFencedProcess(layout);
  verdicts.push(...(await run.run(group, bundle)));
}
await run.close();
writeFileSync(verdictFile, JSON.stringify(verdicts));
process.exit(0);
