import path from 'node:path';

import { listInstalledResources } from '../software/deployment/installed-resources.ts';
import type { YamlReader } from '../settings/yaml-reader.ts';
import { TemplateLibrary, SHIPPED_TEMPLATES } from '../plant/template/template-library.ts';

// A resource of a package with this path is a template.
const TEMPLATE_RESOURCE = /^templates\/[^/]+\.yaml$/;

interface TemplateOptions {
  readonly dataDirectory: string;
  readonly yaml: Pick<YamlReader, 'read'>;
}

/** Constructs the template library; templates of the operator precede built-in ones, which precede packages. */
export function composeTemplates({ dataDirectory, yaml }: TemplateOptions): TemplateLibrary {
  return new TemplateLibrary({
    directories: [path.join(dataDirectory, 'templates'), ...SHIPPED_TEMPLATES],
    async listPackagedFiles() {
      const resources = await listInstalledResources(path.join(dataDirectory, 'packages'));
      return resources.filter((resource) => TEMPLATE_RESOURCE.test(resource.path)).map(({ file }) => file);
    },
    yaml,
  });
}
