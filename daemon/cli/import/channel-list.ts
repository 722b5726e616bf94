import type { Findings, ImportedChannel, Item } from './imported.ts';
import { UnsupportedEntry } from './imported.ts';
import { toName } from './name.ts';

/** One row of a file that may become a channel. */
interface Candidate {
  readonly place: string;
  /** Name as it stands in the file. */
  readonly name: string;
  /** The row as people recognize it. */
  readonly text: string;
  /** Converts all but the name. */
  readonly convert: () => Item;
}

/** Collects the channels of one asset: each under a name that is possible here, and no name twice. */
export class ChannelList {
  readonly channels: ImportedChannel[] = [];
  readonly #findings: Findings;
  readonly #names = new Set<string>();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Adds a channel, or notes why it cannot be taken over. */
  add({ place, name: original, text, convert }: Candidate): void {
    const item = this.#findings.attempt({ place, text }, () => {
      const name = toName(original);
      if (name === '') throw new UnsupportedEntry('the name is missing');
      if (this.#names.has(name)) throw new UnsupportedEntry(`the name "${name}" is used twice in its asset`);
      const converted = convert();
      this.#names.add(name);
      return name === original ? { name, ...converted } : { name, displayName: original, ...converted };
    });
    if (item === undefined) return;
    this.channels.push({ place, text, channel: item });
    const { name } = item;
    if (name !== original) this.#findings.remark({ place, text, reason: `has the name ${name} here` });
  }
}
