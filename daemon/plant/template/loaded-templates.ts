import { createFault, createReason, prefixFault } from '../../base/fault-reason.ts';
import { TEMPLATE_FAULTS } from './fault-sentences.ts';
import type { Checked, Fault } from '../../base/schema.ts';
import { explainUnknown, expandTemplate } from './expand-template.ts';
import type { ExpandedChannel } from './expand-template.ts';
import type { Template } from './template.ts';
import type { ReadTemplate } from './template-file.ts';

/** Contents of template files by the name of the template, as plain data. */
export type TemplateContents = Readonly<Record<string, unknown>>;

/** Snapshot of the templates. */
export class LoadedTemplates {
  readonly #known: readonly string[];
  readonly #templates = new Map<string, Template>();
  readonly #contents = new Map<string, unknown>();
  readonly #faults = new Map<string, readonly Fault[]>();
  readonly #kept: string[] = [];

  /** @param known names of all templates, for suggestions */
  constructor(known: readonly string[]) {
    this.#known = known;
  }

  get size(): number {
    return this.#templates.size + this.#faults.size;
  }

  /** Returns true if a name was looked up, with or without a result. */
  has(name: string): boolean {
    return this.#templates.has(name) || this.#faults.has(name);
  }

  /** Adds the result for a name. */
  add(name: string, read: ReadTemplate & { readonly isKept?: boolean }): void {
    if (read.template === undefined) {
      this.#faults.set(name, read.faults);
      return;
    }
    this.#templates.set(name, read.template);
    this.#contents.set(name, read.content);
    if (read.isKept === true) this.#kept.push(name);
  }

  /** Returns a template; undefined if unknown, or if its file has errors. */
  find(name: string): Template | undefined {
    return this.#templates.get(name);
  }

  /** Contents of all templates found, for storage. */
  get contents(): TemplateContents {
    return Object.fromEntries([...this.#contents].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Names of the templates for which the stored content is used. */
  get keptNames(): readonly string[] {
    return this.#kept;
  }

  /**
   * Expands a template to channels.
   *
   * @param parameters values by name, unchecked
   * @returns errors whose paths begin with `template` or `parameters`, the keys of an asset
   */
  expand(name: string, parameters: unknown): Checked<readonly ExpandedChannel[]> {
    const template = this.#templates.get(name);
    if (template === undefined) return { faults: [this.getFault(name)] };
    const { value, faults } = expandTemplate({ template, parameters, templates: this.#templates });
    if (faults === undefined) return { value };
    const see = createReason(TEMPLATE_FAULTS, 'SEE_TEMPLATE', { template: name });
    return {
      faults: faults.map(({ path, reasons }) =>
        path.length === 0 ? createFault(['template'], ...reasons) : createFault(path, ...reasons, see),
      ),
    };
  }

  /** Returns the reasons that a name has no template, as an error at the key `template`. */
  getFault(name: string): Fault {
    const path = ['template'];
    if (!this.#known.includes(name)) return createFault(path, ...explainUnknown(name, this.#known));
    const unusable = createReason(TEMPLATE_FAULTS, 'TEMPLATE_UNUSABLE', { template: name });
    const faults = this.#faults.get(name) ?? [];
    const reasons = faults.flatMap((fault) => fault.reasons ?? []);
    if (faults.every((fault) => fault.reasons !== undefined)) return createFault(path, unusable, ...reasons);
    return prefixFault({ path, message: faults.map(({ message }) => message).join('; ') }, unusable);
  }
}
