import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What a run of `operation.ts` says at its end. */
export interface RunReport {
  readonly list: readonly {
    readonly name: string;
    readonly version: string;
    readonly bundles: readonly {
      readonly name: string;
      readonly version: string;
      readonly state: string;
    }[];
  }[];
  readonly running: readonly string[];
  readonly outcome: string;
}

/** What is to be found after a scenario, or before it. */
export interface ExpectedState {
  readonly packages: readonly string[];
  /** Digests of the installed files by their place without the name of the version. */
  readonly files: ReadonlyMap<string, string>;
  readonly running: readonly string[];
}

/** Describes what is installed, so that two states can be compared; random parts of names are left out. */
export function describeState(directory: string, report: RunReport): ExpectedState {
  return {
    packages: report.list.map(({ name, version }) => `${name} ${version}`),
    files: new Map(
      listFiles(path.join(directory, 'packages', 'store')).map((file) => {
        const bytes = readFileSync(path.join(directory, 'packages', 'store', file));
        return [hideIds(file), createHash('sha256').update(bytes).digest('hex')];
      }),
    ),
    running: report.running,
  };
}

/**
 * Judges what a start after a fault has found.
 *
 * @returns what is wrong; empty when it is the state before or the one after, whole, and nothing is left over
 */
export function judge(
  directory: string,
  report: RunReport,
  before: ExpectedState,
  after: ExpectedState,
): readonly string[] {
  const found = describeState(directory, report);
  const violations: string[] = [];
  if (!isSame(found, before) && !isSame(found, after)) {
    violations.push(`neither old nor new: ${JSON.stringify({ ...found, files: [...found.files] })}`);
  }
  const root = path.join(directory, 'packages');
  for (const place of ['spool', 'staging']) {
    const left = readdirSync(path.join(root, place));
    if (left.length > 0) violations.push(`left in ${place}: ${left.join(', ')}`);
  }
  const strays = readdirSync(root).filter(
    (name) => !['data', 'ledger', 'spool', 'staging', 'store'].includes(name),
  );
  if (strays.length > 0) violations.push(`left beside: ${strays.join(', ')}`);
  const broken = report.list.flatMap(({ bundles }) => bundles).filter(({ state }) => state === 'FAILED');
  for (const { name } of broken) violations.push(`the bundle ${name} is damaged`);
  if (existsSync(path.join(directory, 'canary-outside'))) violations.push('something was written outside');
  return violations;
}

function isSame(a: ExpectedState, b: ExpectedState): boolean {
  const [left, right] = [a, b].map(({ packages, files, running }) =>
    JSON.stringify([packages, Object.fromEntries(files), running]),
  );
  return left === right;
}

function hideIds(file: string): string {
  return file.replaceAll(/-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '');
}

function listFiles(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .sort();
}
