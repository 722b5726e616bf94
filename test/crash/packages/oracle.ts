import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import type { Report } from '../subject.ts';

/** What a run of the program says at its end. */
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

/** What is to be found before a scenario, or after it. */
export interface PackagesState {
  readonly packages: readonly string[];
  /** Digests of the installed files by their place without the name of the version. */
  readonly files: Readonly<Record<string, string>>;
  readonly running: readonly string[];
}

/** Describes what is installed; random parts of names are left out. */
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

/** Says what is left over, damaged, or not where it belongs. */
export function inspectPackages(directory: string, { list }: PackagesReport): readonly string[] {
  const violations: string[] = [];
  const root = path.join(directory, 'packages');
  for (const place of ['spool', 'staging']) {
    const left = readdirSync(path.join(root, place));
    if (left.length > 0) violations.push(`left in ${place}: ${left.join(', ')}`);
  }
  const strays = readdirSync(root).filter(
    (name) => !['data', 'ledger', 'spool', 'staging', 'store'].includes(name),
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
