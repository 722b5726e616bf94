import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import type { Architecture } from './architecture.ts';
import type { Release } from './release.ts';

/** Description of a module in its `package.json`. */
interface ModuleDescription {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type?: string };
  readonly licenses?: readonly { readonly type?: string }[];
}

export interface SoftwareBillOptions {
  /** Folder of the package that holds `node_modules`. */
  readonly library: string;
  /** Folders of the modules whose code is part of the console. */
  readonly bundled: readonly string[];
  /** Folder that npm installed into; the runtime comes from there. */
  readonly installed: string;
  readonly architecture: Architecture;
  readonly release: Release;
}

// The description of a module, not of a folder in it.
const MODULE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/;

/**
 * Returns the bill of materials (CycloneDX 1.6) of the package: its modules, those in the console, and the runtime.
 *
 * It is read from the installed files: `npm sbom` reads the lock file, and omits some of what is installed.
 */
export async function writeSoftwareBill({
  library,
  bundled,
  installed,
  architecture,
  release,
}: SoftwareBillOptions): Promise<string> {
  const modules = await readModules(library);
  const runtime = await readDescription(
    path.join(installed, 'node_modules', `node-linux-${architecture.node}`, 'package.json'),
  );
  const inConsole = await Promise.all(
    bundled.map((folder) => readDescription(path.join(folder, 'package.json'))),
  );
  const byReference = new Map(
    [runtime, ...modules, ...inConsole].map((module) => [toPackageUrl(module), module]),
  );
  const components = [...byReference]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([url, module]) => toComponent(url, module));
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: new Date(release.epochSeconds * 1000).toISOString(),
      component: { type: 'application', name: 'penstock', version: release.version, 'bom-ref': 'penstock' },
    },
    components,
    dependencies: [{ ref: 'penstock', dependsOn: components.map((component) => component['bom-ref']) }],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

async function readModules(library: string): Promise<readonly ModuleDescription[]> {
  const files = (await readdir(library, { recursive: true })).filter((file) => MODULE.test(file));
  return Promise.all(files.map((file) => readDescription(path.join(library, file))));
}

async function readDescription(file: string): Promise<ModuleDescription> {
  return JSON.parse(await readFile(file, 'utf8')) as ModuleDescription;
}

/** Gives the name of a module in the form that vulnerability databases use (package-url). */
function toPackageUrl({ name, version }: ModuleDescription): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function toComponent(purl: string, { name, version, license, licenses = [] }: ModuleDescription) {
  const terms = [license, ...licenses].map((term) => (typeof term === 'string' ? term : term?.type));
  const expressions = terms.filter((term) => term !== undefined);
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(expressions.length === 0 ? {} : { licenses: [{ expression: expressions.join(' OR ') }] }),
  };
}
