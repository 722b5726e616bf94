import type { Checked } from '../base/schema.ts';
import { isDocument } from './managed-document.ts';

/** Contents of templates by name, as plain data. */
export type TemplateContents = Readonly<Record<string, unknown>>;

/** A channel that came of a template. */
export interface TemplateChannel {
  readonly channel: Readonly<Record<string, unknown>>;
  /** Where the template has it, in words. */
  readonly place: string;
}

/** Templates as they were at one moment. */
export interface TemplateSet {
  /** Contents of all templates in it. */
  readonly contents: TemplateContents;
  /** Names of the templates that are gone or have faults now, whose kept content counts. */
  readonly keptNames: readonly string[];
  /** Returns the template of a name; undefined when there is none that can be used. */
  find(name: string): { readonly driver: string } | undefined;
  /**
   * Expands a template to channels.
   *
   * @param parameters values by name, unchecked
   * @returns faults whose paths begin with `template` or `parameters`
   */
  expand(name: string, parameters: unknown): Checked<readonly TemplateChannel[]>;
}

/** Where the templates of assets come from. */
export interface TemplateSource {
  /**
   * Reads templates by name, and those that they take over.
   *
   * @param kept contents from an earlier time
   * @param first whether the files count, or what was kept; the other one counts where the first has nothing
   */
  load(names: readonly string[], kept: TemplateContents, first: 'FILES' | 'KEPT'): Promise<TemplateSet>;
}

/** The templates of a gateway that has none. */
export const NO_TEMPLATES: TemplateSet = {
  contents: {},
  keptNames: [],
  find: () => undefined,
  expand: (name) => ({ faults: [{ path: ['template'], message: `unknown template "${name}"` }] }),
};

/** Lists the names of the templates that the assets of a document have, each once. */
export function listTemplateNames(document: unknown): readonly string[] {
  const assets = isDocument(document) ? document['assets'] : undefined;
  if (!Array.isArray(assets)) return [];
  const names = (assets as readonly unknown[]).map((asset) =>
    isDocument(asset) ? asset['template'] : undefined,
  );
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}
