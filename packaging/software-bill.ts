import { existsSync } from 'node:fs';
import path from 'node:path';

import type { Release } from './release.ts';
import { run } from './run.ts';

interface Property {
  readonly name: string;
  readonly value: string;
}

interface Component {
  readonly 'bom-ref': string;
  readonly properties?: readonly Property[];
}

interface Bill {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const PATH_PROPERTY = 'cdx:npm:package:path';

/**
 * Writes the bill of materials (CycloneDX 1.5) of the modules that are in the package, and of the runtime.
 *
 * @param installed folder that npm installed the modules into
 * @param library folder of the package that holds them
 */
export async function writeSoftwareBill(
  installed: string,
  library: string,
  release: Release,
): Promise<string> {
  const output = await run(
    'npm',
    [
      'sbom',
      '--sbom-format=cyclonedx',
      '--loglevel=error',
      '--package-lock-only',
      '--omit=dev',
      '--sbom-type=application',
    ],
    {
      cwd: installed,
    },
  );
  const { metadata, components, dependencies, ...rest } = JSON.parse(output) as Bill & {
    serialNumber?: string;
  };
  delete rest.serialNumber;
  const isThere = (component: Component): boolean => {
    const place = component.properties?.find(({ name }) => name === PATH_PROPERTY)?.value ?? '';
    return place.includes('node-linux-')
      ? existsSync(path.join(installed, place))
      : existsSync(path.join(library, place));
  };
  const present = components.filter(isThere);
  const references = new Set([
    ...present.map((component) => component['bom-ref']),
    ...dependencies.slice(0, 1).map(({ ref }) => ref),
  ]);
  const timestamp = new Date(release.epochSeconds * 1000).toISOString();
  const bill = {
    ...rest,
    metadata: { ...metadata, timestamp },
    components: present,
    dependencies: dependencies
      .filter(({ ref }) => references.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => references.has(other)) })),
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}
