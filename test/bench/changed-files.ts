import { execFileSync } from 'node:child_process';
import path from 'node:path';

import { listNeededFiles } from './imported-files.ts';
import { isIn } from './measured.ts';
import type { Scenario } from './scenario.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Scenarios import it, and it takes no part in what they measure. */
const LISTS = 'test/bench/measured.ts';
const OUTPUT_BYTES = 64 * 2 ** 20;
/** Follows a commit that the measured files differ from. */
const WITH_CHANGES = '+';

/** Lists the files that differ from a commit in the work tree, new ones included; undefined: there is no such commit. */
export function listChangedFiles(commit: string, root = ROOT): readonly string[] | undefined {
  const run = (words: readonly string[]): readonly string[] =>
    execFileSync('git', words, {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: OUTPUT_BYTES,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .split('\0')
      .filter((name) => name !== '');
  try {
    return [
      ...run(['diff', '--name-only', '--no-renames', '-z', '--end-of-options', `${commit}^{commit}`, '--']),
      ...run(['ls-files', '--others', '--exclude-standard', '-z']),
    ];
  } catch {
    return undefined;
  }
}

/** Returns those of some files that a scenario measures, or needs to measure. */
export function selectMeasured(
  { name, measures }: Pick<Scenario, 'name' | 'measures'>,
  files: readonly string[],
  root = ROOT,
): readonly string[] {
  const needed = new Set(listNeededFiles(`test/bench/scenarios/${name}.ts`, root));
  needed.delete(LISTS);
  return files.filter((file) => needed.has(file) || isIn(measures, file));
}

/** Names what a scenario measures now: the commit, with `+` when its files differ from it; empty without a repository. */
export function nameMeasuredCommit(scenario: Pick<Scenario, 'name' | 'measures'>, root = ROOT): string {
  const changed = listChangedFiles('HEAD', root);
  if (changed === undefined) return '';
  const words = ['rev-parse', '--short=10', 'HEAD'];
  const commit = execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
  return selectMeasured(scenario, changed, root).length === 0 ? commit : `${commit}${WITH_CHANGES}`;
}

/**
 * Says why the last run of a scenario does not show these sources.
 *
 * @param commit of that run, as `nameMeasuredCommit` returns it; undefined: there was none
 * @param filesSince what differs from a commit: `listChangedFiles`
 * @returns undefined when it does
 */
export function explainChange(
  scenario: Pick<Scenario, 'name' | 'measures'>,
  commit: string | undefined,
  filesSince: (commit: string) => readonly string[] | undefined,
  root = ROOT,
): string | undefined {
  if (commit === undefined || commit === '') return 'no run of a commit is stored';
  if (commit.endsWith(WITH_CHANGES)) return `the run at ${commit} was of files that no commit has`;
  const files = filesSince(commit);
  if (files === undefined) return `there is no commit ${commit} in this repository`;
  const [first, ...others] = selectMeasured(scenario, files, root);
  if (first === undefined) return undefined;
  return `${first}${others.length === 0 ? '' : ` and ${others.length} more files`} changed since ${commit}`;
}
