import type { Findings, ImportedChannel, Item } from './imported.ts';
import { UnsupportedEntry } from './imported.ts';
import { toName, toNumberedName } from './name.ts';

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
  readonly #valid: ReadonlySet<string>;

  /** @param originals names of all candidates; valid ones are never given to another channel */
  constructor(findings: Findings, originals: Iterable<string>) {
    this.#findings = findings;
    this.#valid = new Set([...originals].filter((name) => name === toName(name)));
  }

  /** Adds a channel, or records why it cannot be imported. */
  add({ place, name: original, text, convert }: Candidate): void {
    const item = this.#findings.attempt({ place, text }, () => {
      const name = this.#choose(original);
      const converted = convert();
      this.#names.add(name);
      return name === original ? { name, ...converted } : { name, displayName: original, ...converted };
    });
    if (item === undefined) return;
    this.channels.push({ place, text, channel: item });
    const { name } = item;
    if (name !== original) this.#findings.remark({ place, text, reason: `renamed to ${name}` });
  }

  #choose(original: string): string {
    const name = toName(original);
    if (name === '') throw new UnsupportedEntry('the name is missing');
    if (name === original) {
      if (this.#names.has(name)) throw new UnsupportedEntry(`the name "${name}" is used twice in its asset`);
      return name;
    }
    let free = name;
    for (let number = 2; this.#names.has(free) || this.#valid.has(free); number += 1) {
      free = toNumberedName(name, number);
    }
    return free;
  }
}
