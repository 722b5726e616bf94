import type { BundleJournal, RecordedChannels } from '../../../daemon/software/bundle/runner/context.ts';
import { AliasBook, defineNode } from '../node/node-definition.ts';
import type { MetricForms, NodeDefinition } from '../node/node-definition.ts';

/** Channels of all recorders, as the gateway lists them. */
export class ChannelList {
  readonly #aliases = new AliasBook();
  readonly #lists = new Map<string, RecordedChannels>();
  #definition: NodeDefinition = new Map();
  #forms: MetricForms | undefined;

  get definition(): NodeDefinition {
    return this.#definition;
  }

  /** Returns the alias of a metric of the node itself. */
  aliasOf(name: string): number {
    return this.#aliases.aliasOf(name);
  }

  /**
   * Reads the channels of recorders.
   *
   * @returns true if they have changed
   * @throws if a recorder is unknown or the gateway does not respond; the list stays as it was
   */
  async refresh(
    journals: ReadonlyMap<string, Pick<BundleJournal, 'channels'>>,
    forms: MetricForms,
  ): Promise<boolean> {
    const changed = new Map<string, RecordedChannels>();
    for (const [recorder, journal] of journals) {
      const list = await journal.channels({ known: this.#lists.get(recorder)?.revision });
      if (list !== undefined) changed.set(recorder, list);
    }
    const gone = [...this.#lists.keys()].filter((recorder) => !journals.has(recorder));
    if (changed.size === 0 && gone.length === 0 && forms === this.#forms) return false;
    for (const recorder of gone) this.#lists.delete(recorder);
    for (const [recorder, list] of changed) this.#lists.set(recorder, list);
    this.#forms = forms;
    const channels = [...this.#lists.values()].flatMap((list) => list.channels);
    this.#definition = defineNode(channels, this.#aliases, forms);
    return true;
  }
}
