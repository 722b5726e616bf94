import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';

import { FACT_KINDS } from '../../../support/attempts/attempt.ts';
import type { Verdict } from '../../../support/attempts/attempt.ts';
import { findNamespaceObstacle, runInNamespaces } from '../../../support/attempts/in-namespaces.ts';
import { createTemporaryDirectory } from '../../../support/temporary-directory.ts';
import type { Owner } from '../../../support/temporary-directory.ts';
import { ATTEMPT_GROUPS } from './attempts/attempt-groups.ts';

const TRIAL = path.resolve(import.meta.dirname, '../../../support/attempts/attempt-trial.ts');
const obstacle = findNamespaceObstacle();
const options = obstacle === undefined ? {} : { skip: obstacle };
const attempts = ATTEMPT_GROUPS.flatMap((group) => group.attempts);

let fenced: readonly Verdict[] = [];
let unfenced: readonly Verdict[] = [];

before(async (t) => {
  if (obstacle !== undefined) return;
  [fenced, unfenced] = await Promise.all([make(t as never, 'fenced'), make(t as never, 'open')]);
});

/** Makes all attempts in bundles of one kind, in namespaces of their own. */
async function make(owner: Owner, kind: 'fenced' | 'open'): Promise<readonly Verdict[]> {
  const root = createTemporaryDirectory(owner);
  const file = path.join(createTemporaryDirectory(owner), 'verdicts.json');
  const secret = `canary-${randomBytes(12).toString('hex')}`;
  const program = [process.execPath, '--disable-sigusr1', TRIAL, kind, root, file];
  const { status, errors } = await runInNamespaces(root, secret, program);
  assert.equal(status, 0, errors);
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Verdict[];
}

test('the attempts are at least 236, and no two have one title or one code', () => {
  assert.ok(attempts.length >= 236, String(attempts.length));
  assert.equal(new Set(attempts.map(({ code }) => code)).size, attempts.length);
  for (const { category, attempts: list } of ATTEMPT_GROUPS) {
    assert.equal(new Set(list.map(({ title }) => title)).size, list.length, category);
  }
});

for (const { category, attempts: list } of ATTEMPT_GROUPS) {
  test(
    `none of ${list.length} attempts of a bundle without permissions gets out: ${category}`,
    options,
    () => {
      const verdicts = fenced.filter((verdict) => verdict.category === category);
      assert.equal(verdicts.length, list.length);
      assert.deepEqual(
        verdicts.filter(({ facts }) => facts.length > 0),
        [],
      );
    },
  );
}

test('most attempts get out of a process without sandbox, and every kind of fact is found', options, () => {
  assert.equal(unfenced.length, attempts.length);
  const out = unfenced.filter(({ facts }) => facts.length > 0);
  assert.ok(out.length >= 500, `${out.length} of ${attempts.length}`);
  const kinds = new Set(out.flatMap(({ facts }) => facts.map(({ kind }) => kind)));
  assert.deepEqual([...kinds].sort(), [...FACT_KINDS].sort());
});
