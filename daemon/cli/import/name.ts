import { HIDDEN_CHARACTER } from '../../base/text/plain-text.ts';
import { UnsupportedEntry } from './imported.ts';

const MAXIMUM_NAME_LENGTH = 255;
// Names of channels and pids are parts of addresses and lists.
const IMPOSSIBLE = /[#/+,\s]/gu;

/** Converts a text to a channel name; `_` replaces unsupported characters. */
export function toName(text: string): string {
  const characters = Array.from(text.trim().replaceAll(IMPOSSIBLE, '_'));
  const name = characters.map((character) => (HIDDEN_CHARACTER.test(character) ? '_' : character)).join('');
  return shorten(name, MAXIMUM_NAME_LENGTH);
}

/** Returns a name with a number at its end: `flow_2`. */
export function toNumberedName(name: string, number: number): string {
  const end = `_${number}`;
  return `${shorten(name, MAXIMUM_NAME_LENGTH - end.length)}${end}`;
}

function shorten(name: string, length: number): string {
  // Half of a surrogate pair.
  return name.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

/** Converts a text to a pid, which does not begin with `_`. */
export function toPid(text: string): string {
  return toName(text).replace(/^_+/, '');
}

/** Unique pids for the drivers or the assets of a file. */
export class UniquePids {
  readonly #places = new Map<string, string>();

  /**
   * Turns a name into a pid.
   *
   * @param place location of the name
   * @param make derives the pid from the name
   * @throws {UnsupportedEntry} if nothing of the name is left, or the pid is already used
   */
  claim(name: string, place: string, make: (pid: string) => string = (pid) => pid): string {
    const own = toPid(name);
    if (own === '') throw new UnsupportedEntry('its name is not supported');
    const pid = make(own);
    const other = this.#places.get(pid);
    if (other === place) throw new UnsupportedEntry('is in the file twice');
    if (other !== undefined) throw new UnsupportedEntry(`its pid would be ${pid}, which is that of ${other}`);
    this.#places.set(pid, place);
    return pid;
  }
}
