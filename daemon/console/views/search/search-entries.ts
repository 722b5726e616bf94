import type { FoundEntry } from '../../../interface/plant/asset-search.ts';
import { SECTIONS } from '../../forms/change/edit-target.ts';
import type { Schema } from '../../forms/schema.ts';
import { linkTo } from '../../parts/route.ts';
import { translateDescription } from '../../parts/setting-words.ts';
import { fill } from '../../text/fill.ts';
import { formatUnit } from '../../text/format.ts';
import { SEARCH } from '../../text/search.ts';

/** Result of a search: what it is, and where it leads. */
export interface SearchEntry {
  readonly kind: string;
  readonly name: string;
  /** Further text, for example a display name. */
  readonly about: string;
  readonly link: string;
}

const MAXIMUM_SHOWN = 50;

/** Returns an asset or a channel as a result. */
export function toAssetEntry({ asset, channel, displayName = '', unit }: FoundEntry): SearchEntry {
  if (channel === undefined) {
    return { kind: fill(SEARCH.asset), name: asset, about: displayName, link: linkTo(['assets', asset]) };
  }
  return {
    kind: fill(SEARCH.channel),
    name: `${asset}/${channel}`,
    about: [displayName, formatUnit(unit)].filter((text) => text !== '').join(', '),
    link: linkTo(['assets', asset], { filter: channel }),
  };
}

/** Lists the sections of the configuration and the settings that are keys of a section. */
export function listSettingEntries(schema: Schema | undefined): readonly SearchEntry[] {
  const kind = fill(SEARCH.setting);
  return SECTIONS.flatMap(({ name: section, title, hasItems }) => {
    const link = linkTo(['configuration', section]);
    const own: SearchEntry = { kind, name: fill(title), about: section, link };
    const settings = hasItems ? {} : (schema?.properties?.[section]?.properties ?? {});
    const keys = Object.entries(settings).map(([name, words]): SearchEntry => {
      return { kind, name: `${section}.${name}`, about: translateDescription(words), link };
    });
    return [[own], keys].flat();
  });
}

/** Returns the entries with every word of a text, those whose name begins with it first. */
export function findEntries(entries: readonly SearchEntry[], text: string): readonly SearchEntry[] {
  const sought = text.trim().toLowerCase();
  const words = sought.split(/[\s/]+/);
  const rank = ({ name }: SearchEntry): number => {
    const own = name.toLowerCase();
    if (own.startsWith(sought)) return 0;
    return words.every((word) => own.includes(word)) ? 1 : 2;
  };
  return entries
    .filter(({ name, about }) => {
      const own = `${name} ${about}`.toLowerCase();
      return words.every((word) => own.includes(word));
    })
    .toSorted((one, other) => rank(one) - rank(other))
    .slice(0, MAXIMUM_SHOWN);
}
