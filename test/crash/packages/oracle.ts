import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Report } from '../subject.ts';

/** The last report of a run of the program. */
export interface PackagesReport extends Report {
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
}

/** The state expected before a scenario, or after it. */
export interface PackagesState {
  readonly packages: readonly string[];
  /** Digests of the installed files, by their path without the name of the version. */
  readonly files: Readonly<Record<string, string>>;
  readonly running: readonly string[];
}

/** Describes the installed files; random parts of names are left out. */
export function describePackages(directory: string, { list, running }: PackagesReport): PackagesState {
  const store = path.join(directory, 'packages', 'store');
  return {
    packages: list.map(({ name, version }) => `${name} ${version}`),
    files: Object.fromEntries(
      listFiles(store).map((file) => [hideIds(file), digestFile(path.join(store, file))]),
    ),
    running,
  };
}

/** Names files that are left over, damaged, or not where they belong. */
export function inspectPackages(directory: string, { list }: PackagesReport): readonly string[] {
  const violations: string[] = [];
  const root = path.join(directory, 'packages');
  for (const place of ['spool', 'staging']) {
    const left = readdirSync(path.join(root, place));
    if (left.length > 0) violations.push(`left in ${place}: ${left.join(', ')}`);
  }
  const strays = readdirSync(root).filter(
    (name) => !['data', 'ledger', 'spool', 'staging', 'store', 'trash'].includes(name),
  );
  if (strays.length > 0) violations.push(`left beside: ${strays.join(', ')}`);
  const broken = list.flatMap(({ bundles }) => bundles).filter(({ state }) => state === 'FAILED');
  for (const { name } of broken) violations.push(`the bundle ${name} is damaged`);
  if (existsSync(path.join(directory, 'canary-outside'))) violations.push('something was written outside');
  return violations;
}

function digestFile(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
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
