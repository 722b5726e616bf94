import { createFault, createReason } from '../base/fault-reason.ts';
import { CHANNEL_FAULTS } from '../channel/fault-sentences.ts';
import type { Checked, Fault } from '../base/schema.ts';
import { isDocument } from './managed-document.ts';

/** Contents of templates by name, as plain data. */
export type TemplateContents = Readonly<Record<string, unknown>>;

/** Channel created by a template. */
export interface TemplateChannel {
  readonly channel: Readonly<Record<string, unknown>>;
  /** Location in the template, for messages. */
  readonly place: { readonly template: string; readonly path: Fault['path'] };
}

/** Snapshot of the templates. */
export interface TemplateSet {
  /** Contents of all templates in it. */
  readonly contents: TemplateContents;
  /** Names of missing or faulty templates whose stored content is used. */
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

/** Source of device templates. */
export interface TemplateSource {
  /**
   * Reads templates by name, and those that they take over.
   *
   * @param kept contents from an earlier time
   * @param first whether the files count, or what was kept; the other one counts where the first has nothing
   */
  load(names: readonly string[], kept: TemplateContents, first: 'FILES' | 'KEPT'): Promise<TemplateSet>;
}

/** Empty template set. */
const NO_TEMPLATES: TemplateSet = {
  contents: {},
  keptNames: [],
  find: () => undefined,
  expand: (name) => ({
    faults: [
      createFault(['template'], createReason(CHANNEL_FAULTS, 'TEMPLATE_NAME_UNKNOWN', { template: name })),
    ],
  }),
};

/**
 * Reads the templates that the assets of a document use.
 *
 * @param source absent: there are no templates
 * @param kept see {@link TemplateSource}
 */
export async function loadTemplatesOf(
  document: unknown,
  source: TemplateSource | undefined,
  kept: TemplateContents,
  first: 'FILES' | 'KEPT',
): Promise<TemplateSet> {
  const names = listTemplateNames(document);
  return source === undefined || names.length === 0 ? NO_TEMPLATES : source.load(names, kept, first);
}

/** Lists the names of the templates that the assets of a document use, without duplicates. */
function listTemplateNames(document: unknown): readonly string[] {
  const assets = isDocument(document) ? document['assets'] : undefined;
  if (!Array.isArray(assets)) return [];
  const names = (assets as readonly unknown[]).map((asset) =>
    isDocument(asset) ? asset['template'] : undefined,
  );
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}
