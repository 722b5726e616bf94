import { HIDDEN_CHARACTER } from '../../base/text/plain-text.ts';
import { UnsupportedEntry } from './imported.ts';

const MAXIMUM_NAME_LENGTH = 255;
// Names of channels and pids are parts of addresses and lists.
const IMPOSSIBLE = /[#/+,\s]/gu;

/** Returns a text as the name of a channel: `_` stands for what names do not have. */
export function toName(text: string): string {
  return (
    Array.from(text.trim().replaceAll(IMPOSSIBLE, '_'))
      .map((character) => (HIDDEN_CHARACTER.test(character) ? '_' : character))
      .join('')
      .slice(0, MAXIMUM_NAME_LENGTH)
      // Half of a character that takes two units.
      .replace(/[\uD800-\uDBFF]$/, '')
  );
}

/** Returns a text as a pid, which does not begin with `_`. */
export function toPid(text: string): string {
  return toName(text).replace(/^_+/, '');
}

/** The pids of the drivers or of the assets of a file, of which no two may be the same here. */
export class UniquePids {
  readonly #places = new Map<string, string>();

  /**
   * Turns a name into a pid.
   *
   * @param place where the name stands
   * @param make returns the pid, where it is more than the name
   * @throws {UnsupportedEntry} when nothing of the name is left, and when another place has the pid
   */
  claim(name: string, place: string, make: (pid: string) => string = (pid) => pid): string {
    const own = toPid(name);
    if (own === '') throw new UnsupportedEntry('its name is not possible here');
    const pid = make(own);
    const other = this.#places.get(pid);
    if (other === place) throw new UnsupportedEntry('stands in the file twice');
    if (other !== undefined)
      throw new UnsupportedEntry(`its pid would be ${pid} here, which is that of ${other}`);
    this.#places.set(pid, place);
    return pid;
  }
}
