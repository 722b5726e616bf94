import type { Findings, ImportedChannel, Item } from './imported.ts';
import { UnsupportedEntry } from './imported.ts';
import { toName } from './name.ts';

/** Row of a file that may become a channel. */
interface Candidate {
  readonly place: string;
  /** Name in the file. */
  readonly name: string;
  /** The row, for messages. */
  readonly text: string;
  /** Converts everything except the name. */
  readonly convert: () => Item;
}

/** Collects the channels of one asset under valid, unique names. */
export class ChannelList {
  readonly channels: ImportedChannel[] = [];
  readonly #findings: Findings;
  readonly #names = new Set<string>();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Adds a channel, or records why it cannot be imported. */
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
    if (name !== original) this.#findings.remark({ place, text, reason: `renamed to ${name}` });
  }
}
