import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { buildPackage } from '../../support/package-builder.ts';
import type { Scenario } from '../subject.ts';

const MODULE = 'export function activate() {}\n';

const pump = { symbolicName: 'com.example.pump', main: MODULE, files: { 'lib/curve.mjs': MODULE } };
const valve = { symbolicName: 'com.example.valve', main: MODULE };
const java = { symbolicName: 'org.example.java', files: { 'org/example/A.class': 'class' } };
const resources = { 'conf/settings.xml': '<settings/>' };

/** Writes the packages of all scenarios, and returns the scenarios. */
export function preparePackages(directory: string): readonly Scenario[] {
  mkdirSync(directory, { recursive: true });
  const write = (name: string, description: Parameters<typeof buildPackage>[0]): string => {
    const file = path.join(directory, name);
    writeFileSync(file, buildPackage(description));
    return file;
  };
  const other = write('other.dp', {
    symbolicName: 'other',
    bundles: [{ symbolicName: 'other.bundle', main: MODULE }],
  });
  const first = write('first.dp', { symbolicName: 'demo', bundles: [pump, valve, java], resources });
  const second = write('second.dp', {
    symbolicName: 'demo',
    version: '2.0.0',
    bundles: [{ ...pump, version: '2.0.0', main: `${MODULE}// 2` }],
    resources,
  });
  const fix = write('fix.dp', {
    symbolicName: 'demo',
    version: '1.0.1',
    headers: { 'DeploymentPackage-FixPack': '[1.0,1.1)' },
    bundles: [{ ...pump, version: '1.0.1', main: `${MODULE}// fixed` }],
    missingBundles: [valve, java],
    missingResources: Object.keys(resources),
  });
  const install = (file: string): readonly string[] => ['install', pathToFileURL(file).href];
  return [
    { name: 'install', preparation: [install(other)], operation: install(first) },
    { name: 'send', preparation: [install(other)], operation: ['send', first] },
    { name: 'update', preparation: [install(other), install(first)], operation: install(second) },
    { name: 'fix pack', preparation: [install(other), install(first)], operation: install(fix) },
    { name: 'uninstall', preparation: [install(other), install(first)], operation: ['uninstall', 'demo'] },
  ];
}
