import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { createFault, createReason } from '../../base/fault-reason.ts';
import type { Fault } from '../../base/schema.ts';
import { TEMPLATE_FAULTS } from './fault-sentences.ts';
import { NotFound } from '../../base/errors.ts';
import { explainFileFault } from '../../base/file/file-fault.ts';
import type { YamlReader } from '../../settings/yaml-reader.ts';
import { explainUnknown } from './expand-template.ts';
import { LoadedTemplates } from './loaded-templates.ts';
import type { TemplateContents } from './loaded-templates.ts';
import { listIncluded, parseTemplate } from './template.ts';
import type { Template } from './template.ts';
import { readTemplateFile, TEMPLATE_FILE_ENDING } from './template-file.ts';
import type { ReadTemplate } from './template-file.ts';
import { TEMPLATE_NAME } from './template-outline.ts';

interface TemplateLibraryOptions {
  /** Directories with template files; the first with a template of a name is used. They need not exist. */
  readonly directories: readonly string[];
  /** Lists the template files of installed packages, which are searched after the directories. */
  readonly listPackagedFiles: () => Promise<readonly string[]>;
  readonly yaml: Pick<YamlReader, 'read'>;
}

/** A file, or a directory of files, without a valid template, and the errors. */
interface UnusableTemplate {
  /** File name, without its directory. */
  readonly file: string;
  readonly faults: readonly Fault[];
}

/** All current templates. */
interface TemplateListing {
  /** In the order of their names. */
  readonly templates: readonly Template[];
  readonly unusable: readonly UnusableTemplate[];
}

// Templates include few others; a longer chain is a mistake.
const MAXIMUM_LOADED = 100;

/** Finds templates in their directories and in packages; reads a file on each request. */
export class TemplateLibrary {
  readonly #options: TemplateLibraryOptions;

  constructor(options: TemplateLibraryOptions) {
    this.#options = options;
  }

  /** Reads every template; a file with errors does not hide the others. */
  async list(): Promise<TemplateListing> {
    const { files, unusable } = await this.#findFiles();
    const templates: Template[] = [];
    for (const file of [...files.values()].sort(compareNames)) {
      const { template, faults } = await this.#read(file);
      if (template === undefined) unusable.push({ file: path.basename(file), faults });
      else templates.push(template);
    }
    return { templates, unusable };
  }

  /** Returns the names of templates by subject; the first by name is used. */
  async listDescribed(): Promise<ReadonlyMap<string, string>> {
    const { templates } = await this.list();
    const named = templates.flatMap(({ name, describes }) =>
      [describes ?? []].flat().map((subject) => [subject, name] as const),
    );
    return new Map(named.toReversed());
  }

  /**
   * Reads one template, and those that it includes.
   *
   * @throws {NotFound} `TEMPLATE_UNKNOWN`, with the errors of its file if there is one
   */
  async get(name: string): Promise<{ readonly template: Template; readonly loaded: LoadedTemplates }> {
    const loaded = await this.load([name], {});
    const template = loaded.find(name);
    if (template !== undefined) return { template, loaded };
    throw new NotFound({ code: 'TEMPLATE_UNKNOWN', detail: loaded.getFault(name).message });
  }

  /**
   * Reads templates by name, and those that they include.
   *
   * @param kept stored contents of templates
   * @param first source to prefer: files or stored contents; the other one is used for a template that is missing in the first, or
   *   has errors there
   */
  async load(
    names: readonly string[],
    kept: TemplateContents,
    first: 'FILES' | 'KEPT' = 'FILES',
  ): Promise<LoadedTemplates> {
    const { files } = await this.#findFiles();
    const loaded = new LoadedTemplates([...files.keys()]);
    const waiting = [...names];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (loaded.has(name) || loaded.size >= MAXIMUM_LOADED) continue;
      const found =
        (first === 'KEPT' ? findKept(name, kept) : undefined) ??
        (await this.#findTemplate(name, files, kept));
      loaded.add(name, found);
      if (found.template !== undefined) waiting.push(...listIncluded(found.template.items));
    }
    return loaded;
  }

  async #findTemplate(
    name: string,
    files: ReadonlyMap<string, string>,
    kept: TemplateContents,
  ): Promise<ReadTemplate & { readonly isKept?: boolean }> {
    const file = files.get(name);
    const read =
      file === undefined
        ? { faults: [createFault([], ...explainUnknown(name, [...files.keys()]))] }
        : await this.#read(file);
    if (read.template !== undefined) return read;
    const found = findKept(name, kept);
    return found === undefined ? read : { ...found, isKept: true };
  }

  #read(file: string): Promise<ReadTemplate> {
    return readTemplateFile(file, this.#options.yaml);
  }

  /** Finds the file of each name. */
  async #findFiles(): Promise<{
    readonly files: Map<string, string>;
    readonly unusable: UnusableTemplate[];
  }> {
    const files = new Map<string, string>();
    const unusable: UnusableTemplate[] = [];
    const add = (file: string): void => {
      const name = path.basename(file, TEMPLATE_FILE_ENDING);
      if (!TEMPLATE_NAME.test(name)) {
        const unsuitable = createFault([], createReason(TEMPLATE_FAULTS, 'FILE_NAME_UNSUITABLE', {}));
        unusable.push({ file: path.basename(file), faults: [unsuitable] });
      } else if (!files.has(name)) files.set(name, file);
    };
    for (const directory of this.#options.directories) {
      try {
        for (const entry of await readdir(directory)) {
          if (entry.endsWith(TEMPLATE_FILE_ENDING) && !entry.startsWith('.'))
            add(path.join(directory, entry));
        }
      } catch (error) {
        if ((error as { readonly code?: unknown }).code === 'ENOENT') continue;
        unusable.push({
          file: path.basename(directory),
          faults: [createFault([], ...explainFileFault(error))],
        });
      }
    }
    for (const file of await this.#options.listPackagedFiles()) add(file);
    return { files, unusable };
  }
}

function findKept(name: string, kept: TemplateContents): ReadTemplate | undefined {
  if (!Object.hasOwn(kept, name)) return undefined;
  const { value: template } = parseTemplate(kept[name]);
  return template === undefined ? undefined : { template, content: kept[name] };
}

function compareNames(a: string, b: string): number {
  return path.basename(a) < path.basename(b) ? -1 : 1;
}

/** Directories of the built-in templates: those of the sources, if it runs from there, and those of the package. */
export const SHIPPED_TEMPLATES: readonly string[] = [
  path.resolve(import.meta.dirname, '../../../packaging/templates'),
  '/usr/share/penstock/templates',
];
