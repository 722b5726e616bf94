import { UnsupportedEntry } from './imported.ts';

/** Properties of a component or a channel; conversion removes them one by one, so that the rest can be listed. */
export class KuraProperties {
  readonly #texts = new Map<string, string>();
  readonly #contradictory = new Set<string>();

  constructor(entries: Iterable<readonly [string, string]>) {
    for (const [name, text] of entries) {
      if (text === '') continue;
      if ((this.#texts.get(name) ?? text) !== text) this.#contradictory.add(name);
      this.#texts.set(name, text);
    }
  }

  /**
   * Returns and removes a property; undefined if it is absent or empty.
   *
   * @throws {UnsupportedEntry} if it is given twice with different values
   */
  take(name: string): string | undefined {
    if (this.#contradictory.has(name))
      throw new UnsupportedEntry(`${name} is given twice with different values`);
    const text = this.#texts.get(name);
    this.#texts.delete(name);
    return text;
  }

  /** Removes a property if it has this value. */
  takeIf(name: string, value: string): void {
    if (this.#texts.get(name) === value) this.#texts.delete(name);
  }

  /**
   * Returns and removes a number.
   *
   * @throws {UnsupportedEntry} for another text
   */
  takeNumber(name: string): number | undefined {
    const text = this.take(name);
    if (text === undefined) return undefined;
    // JavaScript reads an empty text as 0, and hexadecimal digits.
    if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text.trim())) {
      throw new UnsupportedEntry(`${name} "${text}" is not a number`);
    }
    const number = Number(text);
    if (!Number.isFinite(number)) throw new UnsupportedEntry(`${name} "${text}" is too large`);
    return number;
  }

  /** Lists the unused names. */
  listRest(): readonly string[] {
    return [...this.#texts.keys()];
  }
}
