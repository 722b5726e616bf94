import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { buildPackage } from './package-builder.ts';
import type { BundleDescription } from './package-builder.ts';

const FURTHER_HEADERS = ['Penstock-Interface', 'Penstock-Settings', 'Penstock-Memory'];
const EXAMPLES = path.resolve(import.meta.dirname, '../../docs/examples');

/** Builds a package with one bundle, an example of the documentation. */
export function buildExamplePackage(example: string): Buffer {
  return buildPackage({ symbolicName: `example.${example}`, bundles: [describeExample(example)] });
}

function describeExample(example: string): BundleDescription {
  const folder = path.join(EXAMPLES, example);
  const manifest = readFileSync(path.join(folder, 'META-INF/MANIFEST.MF'), 'utf8');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(manifest)?.[1];
  const files = readdirSync(folder).filter((file) => file !== 'META-INF' && file !== 'main.mjs');
  const permissions = header('Penstock-Permissions');
  const identities = header('Penstock-Identities');
  return {
    symbolicName: header('Bundle-SymbolicName') ?? '',
    main: readFileSync(path.join(folder, 'main.mjs'), 'utf8'),
    ...(permissions === undefined ? {} : { permissions }),
    ...(identities === undefined ? {} : { identities }),
    headers: Object.fromEntries(
      FURTHER_HEADERS.flatMap((name) => {
        const value = header(name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    files: Object.fromEntries(files.map((file) => [file, readFileSync(path.join(folder, file))])),
  };
}
