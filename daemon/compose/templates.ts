import path from 'node:path';

import type { YamlReader } from '../settings/yaml-reader.ts';
import { TemplateLibrary } from '../template/template-library.ts';
import type { InstalledTemplates } from './installed-templates.ts';

/** Where the package of the gateway has its templates. */
const SHIPPED = '/usr/share/penstock/templates';

/** Where a gateway that runs from its sources has them. */
const SOURCES = path.resolve(import.meta.dirname, '../../packaging/templates');

interface TemplateOptions {
  readonly dataDirectory: string;
  readonly yaml: Pick<YamlReader, 'read'>;
  readonly installedTemplates: Pick<InstalledTemplates, 'listFiles'>;
}

/** Constructs what finds templates; those of the operator count before those of the gateway, these before packages. */
export function composeTemplates({
  dataDirectory,
  yaml,
  installedTemplates,
}: TemplateOptions): TemplateLibrary {
  return new TemplateLibrary({
    directories: [path.join(dataDirectory, 'templates'), SOURCES, SHIPPED],
    packagedFiles: () => installedTemplates.listFiles(),
    yaml,
  });
}
