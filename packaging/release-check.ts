import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** State of a checkout that decides whether it can be released. */
export interface ReleaseState {
  /** Version in `package.json`. */
  readonly version: string;
  /** Version in `package-lock.json`. */
  readonly lockVersion: string;
  /** Text of `CHANGELOG.md`. */
  readonly changelog: string;
  /** Lines of `git status --porcelain`: files that differ from the commit. */
  readonly changes: readonly string[];
  /** Commit of the checkout. */
  readonly commit: string;
  /** Commit of the tag `v<version>`; undefined: no such tag. */
  readonly taggedCommit: string | undefined;
}

// https://semver.org, without build metadata, which Debian sorts as part of the version.
const VERSION = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?$/;
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const SHOWN_CHANGES = 5;

/**
 * Lists everything that prevents a release of a checkout, each with its remedy.
 *
 * @param isRehearsal true: the tag may be missing
 * @returns empty if the release can be made
 */
export function listObstacles(state: ReleaseState, isRehearsal: boolean): readonly string[] {
  return [...checkVersions(state), ...checkChangelog(state), ...checkCheckout(state, isRehearsal)];
}

/**
 * Reads the state of a checkout.
 *
 * @throws {Error} if the directory is not a git checkout with `package.json`, `package-lock.json` and `CHANGELOG.md`
 */
export function readReleaseState(root: string): ReleaseState {
  const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
  const versionIn = (name: string): string =>
    (JSON.parse(read(name)) as { readonly version: string }).version;
  const version = versionIn('package.json');
  return {
    version,
    lockVersion: versionIn('package-lock.json'),
    changelog: read('CHANGELOG.md'),
    changes: git(root, ['status', '--porcelain'])
      .split('\n')
      .filter((line) => line !== ''),
    commit: git(root, ['rev-parse', 'HEAD']).trim(),
    taggedCommit: findTaggedCommit(root, version),
  };
}

function checkVersions({ version, lockVersion }: ReleaseState): readonly string[] {
  if (!VERSION.test(version)) return [`package.json: version "${version}" is not a semantic version`];
  if (lockVersion === version) return [];
  return [
    `package-lock.json has version ${lockVersion}, package.json has ${version}; run npm install --package-lock-only`,
  ];
}

function checkChangelog({ version, changelog }: ReleaseState): readonly string[] {
  const sections = changelog.split(/^## /m).slice(1);
  const [unreleased, newest] = sections;
  const obstacles = [];
  if (unreleased?.startsWith('[Unreleased]') !== true) {
    obstacles.push('CHANGELOG.md: the first section is not "## [Unreleased]"');
  } else if (unreleased.slice('[Unreleased]'.length).trim() !== '') {
    obstacles.push(`CHANGELOG.md: [Unreleased] is not empty; move its entries to [${version}]`);
  }
  const [, named = '', date = ''] = /^\[([^\]]+)\] - (\S+)$/m.exec(newest?.split('\n')[0] ?? '') ?? [];
  if (named !== version) {
    obstacles.push(`CHANGELOG.md: the section after [Unreleased] is not "## [${version}] - DATE"`);
  } else if (!DATE.test(date)) {
    obstacles.push(`CHANGELOG.md: the date of [${version}] is "${date}"; expected YYYY-MM-DD`);
  }
  return obstacles;
}

function checkCheckout({ version, changes, commit, taggedCommit }: ReleaseState, isRehearsal: boolean) {
  const obstacles = [];
  if (changes.length > 0) {
    const names = changes.slice(0, SHOWN_CHANGES).map((line) => line.slice(3));
    const more = changes.length > SHOWN_CHANGES ? ` and ${changes.length - SHOWN_CHANGES} more` : '';
    obstacles.push(`uncommitted changes: ${names.join(', ')}${more}; commit or remove them`);
  }
  if (taggedCommit === undefined) {
    if (!isRehearsal) obstacles.push(`no tag v${version}; create it with: git tag --sign v${version}`);
  } else if (taggedCommit !== commit) {
    obstacles.push(`tag v${version} is on another commit, ${taggedCommit.slice(0, 12)}; check it out`);
  }
  return obstacles;
}

function findTaggedCommit(root: string, version: string): string | undefined {
  const tag = git(root, ['tag', '--list', `v${version}`]).trim();
  return tag === '' ? undefined : git(root, ['rev-list', '-n', '1', tag]).trim();
}

function git(root: string, words: readonly string[]): string {
  try {
    return execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (cause) {
    throw new Error(`cannot read the git checkout ${root}`, { cause });
  }
}
