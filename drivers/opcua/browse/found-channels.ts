import { HIDDEN_CHARACTER } from '../../../daemon/base/text/plain-text.ts';
import type { BrowsedNode } from '../../../daemon/channel/browsing-driver.ts';
import { NAME_PATTERN } from '../../../daemon/channel/channel.ts';
import type { Settings } from '../../../daemon/channel/discovery.ts';

const MAXIMUM_NAME = 255;
const MAXIMUM_DISPLAY_NAME_LENGTH = 128;
const MAXIMUM_DESCRIPTION_LENGTH = 1000;
const HIDDEN_CHARACTERS = new RegExp(`(?:${HIDDEN_CHARACTER.source})+`, 'gu');

/** Channels of the variables found by a scan, each with a valid unique name. */
export class FoundChannels {
  readonly #taken = new Set<string>();
  readonly #channels: Settings[] = [];

  /** The channels in configuration format. */
  get list(): readonly Settings[] {
    return this.#channels;
  }

  /**
   * Adds the channel of a variable.
   *
   * @param path browse names of its ancestors, and its own
   * @returns its name; undefined if no channel can represent its value
   */
  add(
    path: readonly string[],
    { displayName, browseName, description, variable }: BrowsedNode,
  ): string | undefined {
    if (variable?.channel === undefined) return undefined;
    const { type, valueType, unit, address } = variable.channel;
    const name = this.#makeName(path);
    const shown = displayName === browseName ? '' : toText(displayName, MAXIMUM_DISPLAY_NAME_LENGTH);
    const explained = toText(description ?? '', MAXIMUM_DESCRIPTION_LENGTH);
    this.#channels.push({
      name,
      type,
      valueType,
      ...(unit === undefined ? {} : { unit }),
      ...(shown === '' ? {} : { displayName: shown }),
      ...(explained === '' ? {} : { description: explained }),
      address,
    });
    return name;
  }

  #makeName(path: readonly string[]): string {
    const usual = toName(path.join('.'));
    let name = usual;
    for (let number = 2; this.#taken.has(name); number += 1) {
      const ending = `_${number}`;
      name = `${usual.slice(0, MAXIMUM_NAME - ending.length)}${ending}`;
    }
    this.#taken.add(name);
    return name;
  }
}

/** Converts any text to a valid channel name. */
function toName(text: string): string {
  const characters = Array.from(text.toWellFormed().normalize('NFC'), (character) =>
    NAME_PATTERN.test(character) && !HIDDEN_CHARACTER.test(character) ? character : '_',
  );
  const joined = characters.join('').slice(0, MAXIMUM_NAME).toWellFormed().replaceAll('\uFFFD', '_');
  return joined === '' ? '_' : joined;
}

function toText(text: string, longest: number): string {
  return text
    .replaceAll(HIDDEN_CHARACTERS, ' ')
    .trim()
    .slice(0, longest)
    .toWellFormed()
    .replaceAll('\uFFFD', '')
    .trim();
}
