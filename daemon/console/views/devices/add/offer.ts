import type { ScanFinding } from '../../../../interface/plant/scans.ts';
import type { Document } from '../../../forms/change/edit-target.ts';
import { groupBy } from '../../../forms/channels/group-by.ts';

/** Value of a device that can become a channel. */
export interface Offer {
  /** Unique among the offers of an asset. */
  readonly key: string;
  /** Names of the folders around it, from the outermost. */
  readonly folder: readonly string[];
  readonly label: string;
  /** What is known of it, for example its value now. */
  readonly detail: string;
  /** Codes of the detail, if it is a text of the gateway. */
  readonly reasons?: ScanFinding['reasons'];
  readonly channel: Document;
  /** Other interpretations of the same bytes; absent: none. */
  readonly meanings?: readonly Meaning[] | undefined;
}

/** An interpretation, with its value now. */
export interface Meaning {
  readonly label: string;
  readonly channel: Document;
}

/** Folder of offers. */
export interface OfferFolder {
  readonly name: string;
  /** Unique among the folders. */
  readonly path: string;
  readonly folders: readonly OfferFolder[];
  readonly offers: readonly Offer[];
  /** Keys of all offers in it and below. */
  readonly keys: readonly string[];
}

/** Arranges offers by their folders, in the order of their first occurrence. */
export function arrangeOffers(offers: readonly Offer[], depth = 0, path = ''): OfferFolder {
  const here = offers.filter(({ folder }) => folder.length === depth);
  const below = groupBy(
    offers.filter(({ folder }) => folder.length > depth),
    ({ folder }) => folder[depth] ?? '',
  );
  const folders = [...below].map(([name, inner]) => arrangeOffers(inner, depth + 1, `${path}\n${name}`));
  return {
    name: path.slice(path.lastIndexOf('\n') + 1),
    path,
    folders,
    offers: here,
    keys: offers.map(({ key }) => key),
  };
}

/** Returns the channels that a scan proposes for an asset as offers; dots in their names are folders. */
export function offerChannels(
  channels: readonly Document[],
  describe: (name: string) => Pick<Offer, 'detail' | 'reasons'>,
): readonly Offer[] {
  return channels.map((channel) => {
    const name = String(channel['name']);
    const parts = name.split('.');
    // An OBIS code has dots as well, and no folders.
    const isPath = parts.every((part) => /^\D/.test(part));
    return {
      key: name,
      folder: isPath ? parts.slice(0, -1) : [],
      label: isPath ? (parts.at(-1) ?? name) : name,
      ...describe(name),
      channel,
    };
  });
}
