import type { Decoding, DecodingCandidate, TrialReading } from '../../../../interface/plant/commissioning.ts';
import type { ScanFinding } from '../../../../interface/plant/scans.ts';
import type { Document } from '../../../forms/change/edit-target.ts';
import { complete } from '../../../forms/channels/register-map.ts';
import { DEVICES } from '../../../text/devices.ts';
import type { Text } from '../../../text/text.ts';
import type { Meaning, Offer } from './offer.ts';
import { groupBy } from '../../../forms/channels/group-by.ts';

/** Registers or bits that a unit has. */
export interface RegisterRange {
  readonly unitId: number;
  readonly table: string;
  readonly first: number;
  readonly last: number;
}

/** Registers that are read and interpreted at once. */
export const REGISTERS_AT_ONCE = 64;

const SHORT_NAMES: Readonly<Record<string, string>> = {
  COILS: 'coil',
  DISCRETE_INPUTS: 'discrete',
  INPUT_REGISTERS: 'input',
  HOLDING_REGISTERS: 'holding',
};
const ORDERS: Readonly<Record<string, Text>> = {
  wordOrder: DEVICES.lowWordFirst,
  byteOrder: DEVICES.bytesSwapped,
};
// A text, or a fraction of usual size over two registers, is hardly a coincidence; a whole number is.
const LONG_TYPES = /^(?:FLOAT32|FLOAT64|STRING)$/;
const SHORTEST_TEXT = 4;
const SMALLEST_NEGATIVE = 0xf000;
const MAXIMUM_FRACTION_CHARACTERS = 9;

/** Lists the ranges that a scan found, by unit. */
export function listRanges(findings: readonly ScanFinding[]): ReadonlyMap<number, readonly RegisterRange[]> {
  const ranges = findings.flatMap(({ kind, subject, fields }): RegisterRange[] => {
    const { table, first, last } = fields;
    const [, unitId] = /^unit (\d+)$/.exec(subject) ?? [];
    if (kind !== 'RANGE' || unitId === undefined) return [];
    if (typeof table !== 'string' || typeof first !== 'number' || typeof last !== 'number') return [];
    return [{ unitId: Number(unitId), table, first, last }];
  });
  return groupBy(ranges, ({ unitId }) => unitId);
}

/** True if a table has bits. */
function isBits(table: string): boolean {
  return table === 'COILS' || table === 'DISCRETE_INPUTS';
}

/** Returns channels that read the entries of a range one by one. */
export function toEntryChannels({ unitId, table, first, last }: RegisterRange): readonly Document[] {
  const length = Math.min(last - first + 1, REGISTERS_AT_ONCE);
  return Array.from({ length }, (_, index) => {
    const offset = first + index;
    const head = { name: `${SHORT_NAMES[table] ?? table}-${offset}`, type: 'READ' };
    if (isBits(table)) return { ...head, valueType: 'BOOLEAN', address: { unitId, table, offset } };
    return { ...head, valueType: 'INTEGER', address: { unitId, table, offset, dataType: 'UINT16' } };
  });
}

/** A range with the channels that read it. */
interface TriedRange {
  readonly range: RegisterRange;
  /** Those of `toEntryChannels`. */
  readonly channels: readonly Document[];
  /** Returns a text in the current language. */
  readonly say: (text: Text) => string;
}

/** Returns the offers of a trial of `toEntryChannels`, each with the most likely interpretation first. */
export function toOffers(
  { range, channels, say }: TriedRange,
  { records, decodings = [] }: TrialReading,
): readonly Offer[] {
  const folder = [range.table];
  const recordOf = new Map(records.map((record) => [record.name, record]));
  const decodingOf = new Map(decodings.map((decoding) => [decoding.name, decoding]));
  const offers: Offer[] = [];
  let next = range.first;
  for (const channel of channels) {
    const { offset } = channel['address'] as { readonly offset: number };
    const name = String(channel['name']);
    const record = recordOf.get(name);
    // Part of the value before it.
    if (offset < next || record?.channelStatus.channelFlag !== 'SUCCESS') continue;
    const meanings = listMeanings(channel, decodingOf.get(name), say);
    const [likely] = meanings;
    next = offset + countRegisters(likely?.channel ?? channel);
    offers.push({
      key: name,
      folder,
      label: String(offset),
      detail: likely?.label ?? String(record.value),
      channel: likely?.channel ?? channel,
      meanings: meanings.length > 1 ? meanings : undefined,
    });
  }
  return offers;
}

function listMeanings(
  channel: Document,
  decoding: Decoding | undefined,
  say: TriedRange['say'],
): readonly Meaning[] {
  const candidates = decoding?.candidates ?? [];
  const raw = candidates.find(({ isConfigured }) => isConfigured);
  const long = candidates.find(isCertain);
  const likely = long ?? (isNegative(raw) ? candidates.find(isInt16) : raw);
  const ordered =
    likely === undefined ? candidates : [likely, ...candidates.filter((each) => each !== likely)];
  return ordered.map((candidate) => toMeaning(channel, candidate, say));
}

function isCertain({ address, value, valueScale }: DecodingCandidate): boolean {
  if (address['byteOrder'] === 'LITTLE_ENDIAN') return false;
  if (!LONG_TYPES.test(String(address['dataType'])) || valueScale !== 1) return false;
  if (typeof value === 'string')
    return value.trim().length >= SHORTEST_TEXT && /^[\x20-\x7e]+$/.test(value.trim());
  const isFraction = typeof value === 'number' && !Number.isInteger(value);
  return (
    isFraction &&
    Math.abs(value) >= 1e-3 &&
    Math.abs(value) < 1e7 &&
    String(value).length <= MAXIMUM_FRACTION_CHARACTERS
  );
}

function isNegative(raw: DecodingCandidate | undefined): boolean {
  return typeof raw?.value === 'number' && raw.value >= SMALLEST_NEGATIVE;
}

function isInt16({ address, valueScale }: DecodingCandidate): boolean {
  return address['dataType'] === 'INT16' && valueScale === 1;
}

function toMeaning(
  channel: Document,
  { address, valueScale, valueOffset, value }: DecodingCandidate,
  say: TriedRange['say'],
): Meaning {
  const { unitId, table, offset } = channel['address'] as Document;
  const { valueType: _raw, ...head } = channel;
  const scaled = {
    ...(valueScale === 1 ? {} : { valueScale }),
    ...(valueOffset === 0 ? {} : { valueOffset }),
  };
  const words = Object.entries(address).flatMap(([field, part]) => {
    if (part === 'BIG_ENDIAN') return [];
    const order = part === 'LITTLE_ENDIAN' ? ORDERS[field] : undefined;
    return [order === undefined ? String(part) : say(order)];
  });
  const scale = valueScale === 1 ? '' : ` × ${valueScale}`;
  return {
    label: `${String(value)} (${words.join(', ')}${scale})`,
    channel: complete({
      ...head,
      ...scaled,
      address: { unitId, table, offset, ...withoutDefaults(address) },
    }),
  };
}

// The usual orders are the defaults.
function withoutDefaults(address: Document): Document {
  return Object.fromEntries(Object.entries(address).filter(([, value]) => value !== 'BIG_ENDIAN'));
}

function countRegisters(channel: Document): number {
  const { dataType = '', length } = channel['address'] as Document;
  if (typeof length === 'number') return Math.ceil(length / 2);
  const [, bits] = /(16|24|32|48|64)/.exec(String(dataType)) ?? [];
  return bits === undefined ? 1 : Math.ceil(Number(bits) / 16);
}
