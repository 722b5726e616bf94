import type { ProposedAsset } from '../../../../interface/plant/scans.ts';
import type { Document } from '../../../forms/change/edit-target.ts';
import { edit, insertChannels, startEdits } from '../../../forms/channels/channel-rows.ts';
import type { ChannelEdits } from '../../../forms/channels/channel-rows.ts';
import type { Offer } from './offer.ts';

/** Asset that is about to be made of a device. */
export interface DevicePart {
  readonly isTaken: boolean;
  readonly name: string;
  readonly proposed: ProposedAsset;
  readonly offers: readonly Offer[];
  /** Numbers of the edited channels, by the key of their offer. */
  readonly placed: ReadonlyMap<string, number>;
  readonly edits: ChannelEdits;
  /** Chosen template; empty: none. */
  readonly template: string;
  /** Form texts of the template parameters. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Begins with what a scan proposes for an asset. */
export function beginPart(proposed: ProposedAsset, offers: readonly Offer[]): DevicePart {
  const parameters = Object.entries(proposed.parameters ?? {}).map(([name, value]) => [name, String(value)]);
  return {
    isTaken: true,
    name: proposed.pid,
    proposed,
    offers,
    placed: new Map(),
    edits: startEdits([]),
    template: proposed.template ?? '',
    parameters: Object.fromEntries(parameters) as Readonly<Record<string, string>>,
  };
}

/** Lists the keys of the offers that are channels now; undo and deletion end that. */
export function listTaken({ placed, edits }: DevicePart): ReadonlySet<string> {
  const present = new Set(edits.present.map(({ id }) => id));
  return new Set([...placed].flatMap(([key, id]) => (present.has(id) ? [key] : [])));
}

/** Makes offers channels, or removes their channels. */
export function takeOffers(part: DevicePart, keys: readonly string[], isTaken: boolean): DevicePart {
  const wanted = new Set(keys);
  const { placed, edits, offers } = part;
  if (!isTaken) {
    const gone = new Set(keys.map((key) => placed.get(key)));
    return {
      ...part,
      edits: edit(
        edits,
        edits.present.filter(({ id }) => !gone.has(id)),
      ),
    };
  }
  const taken = listTaken(part);
  const added = offers.filter(({ key }) => wanted.has(key) && !taken.has(key));
  const next = insertChannels(
    edits.present,
    added.map(({ channel }) => channel),
  );
  const ids = next.slice(edits.present.length).map(({ id }) => id);
  const places = added.map(({ key }, index) => [key, ids[index] ?? -1] as const);
  return { ...part, edits: edit(edits, next), placed: new Map([...placed, ...places]) };
}

/** Gives an offer another meaning, and its channel too; the name and the other fields stay. */
export function changeMeaning(part: DevicePart, { key }: Offer, channel: Document): DevicePart {
  const offers = part.offers.map((offer) => (offer.key === key ? { ...offer, channel } : offer));
  const id = part.placed.get(key);
  if (id === undefined || !listTaken(part).has(key)) return { ...part, offers };
  const next = part.edits.present.map((entry) => {
    if (entry.id !== id) return entry;
    const { valueScale: _scale, valueOffset: _offset, ...kept } = entry.channel;
    return { id, channel: { ...kept, ...channel, name: entry.channel['name'] } };
  });
  return { ...part, offers, edits: edit(part.edits, next) };
}

/** Adds offers that were read later. */
export function addOffers(part: DevicePart, offers: readonly Offer[]): DevicePart {
  const known = new Set(part.offers.map(({ key }) => key));
  return { ...part, offers: [...part.offers, ...offers.filter(({ key }) => !known.has(key))] };
}

/** True if the asset would have no values. */
export function isEmptyPart({ template, edits }: DevicePart): boolean {
  return template === '' && edits.present.length === 0;
}

/** Returns the asset for the configuration. */
export function toAsset(
  part: DevicePart,
  driver: string,
  parameters: Readonly<Record<string, unknown>>,
): Document {
  const { name, proposed, template, edits } = part;
  const channels = edits.present.map(({ channel }) => channel);
  return {
    pid: name.trim(),
    driver,
    ...(proposed.displayName === undefined ? {} : { displayName: proposed.displayName }),
    ...(template === '' ? {} : { template }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    ...(channels.length === 0 ? {} : { channels }),
  };
}
