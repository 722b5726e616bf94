import { MAXIMUM_BUNDLE_LINES } from '../../interface/software/bundle.ts';
import type { LogLevel } from '../../base/logger.ts';

/** One line of a bundle's output, or one of its state changes. */
export interface BundleLine {
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  readonly version: string;
  readonly level: LogLevel;
  /** The logger of the bundle, what its process prints, or the gateway that supervises it. */
  readonly source: 'LOGGER' | 'OUTPUT' | 'GATEWAY';
  /** As the bundle gave it: any characters but line feeds. */
  readonly message: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** With up to a hundred bundles of a gateway, 12 MiB at most. */
const MAXIMUM_CHARACTERS = 65_536;

/** Recent lines of a bundle. They survive its process, not the gateway. */
export class BundleLines {
  #lines: { readonly line: BundleLine; readonly length: number }[] = [];
  #characters = 0;

  /** Adds each line of a message, the first one with the fields. Evicts the oldest lines. */
  add({ message, fields, ...others }: BundleLine): void {
    for (const [index, text] of message.split(/\r?\n/).entries()) {
      const line = { ...others, message: text, ...(index === 0 ? { fields } : {}) };
      const length = text.length + (JSON.stringify(line.fields)?.length ?? 0);
      this.#lines.push({ line, length });
      this.#characters += length;
    }
    this.#forget();
  }

  /** Returns the last lines, the oldest first. */
  list(count: number): readonly BundleLine[] {
    return this.#lines.slice(-count).map(({ line }) => line);
  }

  #forget(): void {
    let first = Math.max(0, this.#lines.length - MAXIMUM_BUNDLE_LINES);
    for (const { length } of this.#lines.slice(0, first)) this.#characters -= length;
    while (this.#characters > MAXIMUM_CHARACTERS && first < this.#lines.length - 1) {
      this.#characters -= this.#lines[first]?.length ?? 0;
      first += 1;
    }
    if (first > 0) this.#lines = this.#lines.slice(first);
  }
}
