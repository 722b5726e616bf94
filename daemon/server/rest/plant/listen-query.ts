import type { Channel } from '../../../channel/channel.ts';
import { isNumeric } from '../../../channel/value-type.ts';
import { createQueryRefusal, splitList } from '../../http/query.ts';
import type { QueryOf } from '../../../interface/endpoint.ts';
import type { listenToAsset, listenToAssets } from '../../../interface/plant/listening.ts';

type ListenQuery = QueryOf<typeof listenToAsset>;
type MultiAssetQuery = QueryOf<typeof listenToAssets>;

const DEADBAND = /^\d{1,15}(?:\.\d{1,15})?$/;

/** Assets of one stream; more would make its ids, which hold a position in each, longer than fields of a request may be. */
const MAXIMUM_ASSETS = 64;

/** Channels and bounds of a request to listen. */
export interface ListenParameters {
  /** Undefined: every channel that can be read. */
  readonly names: readonly string[] | undefined;
  readonly deadbandOf: (name: string) => number;
  readonly minimumIntervalMs: number;
}

/**
 * Returns the assets of a request to listen, each once.
 *
 * @throws {InvalidRequest} `QUERY_INVALID`; unknown pids are not checked
 */
export function parseListenedPids({ assets }: Pick<MultiAssetQuery, 'assets'>): readonly string[] {
  const pids = splitList('assets', assets, 'a pid');
  if (pids === undefined) throw createQueryRefusal('"assets" is missing');
  if (pids.length > MAXIMUM_ASSETS) throw createQueryRefusal(`"assets": more than ${MAXIMUM_ASSETS} pids`);
  const doubled = pids.find((pid, index) => pids.indexOf(pid) !== index);
  if (doubled !== undefined) throw createQueryRefusal(`"assets": ${quote(doubled)} is listed twice`);
  return pids;
}

/**
 * Returns the parameters of each asset of a request to listen. In the query, names of channels follow the pid of their asset
 * and `/`; an asset without a named channel sends all.
 *
 * @param channelsOf those of each asset, by pid
 * @throws {InvalidRequest} `QUERY_INVALID`; unknown names of channels are not checked
 */
export function parseMultiAssetQuery(
  { channels, deadband, minimumIntervalMs }: ListenQuery,
  channelsOf: ReadonlyMap<string, readonly Channel[]>,
): ReadonlyMap<string, ListenParameters> {
  const named = splitByAsset('channels', splitList('channels', channels, 'a name') ?? [], channelsOf);
  const parts = deadband?.split(',') ?? [];
  const general = parts.filter((part) => !part.includes(':'));
  const bounded = splitByAsset(
    'deadband',
    parts.filter((part) => part.includes(':')),
    channelsOf,
  );
  const parametersOf = [...channelsOf].map(([pid, own]) => {
    const deadbands = [...general, ...(bounded.get(pid) ?? [])].join(',');
    const wanted = {
      channels: named.get(pid)?.join(','),
      deadband: deadbands === '' ? undefined : deadbands,
      minimumIntervalMs,
    };
    return [pid, parseListenQuery(wanted, own)] as const;
  });
  return new Map(parametersOf);
}

/** Sorts what begins with a pid and `/` by that pid, without both. */
function splitByAsset(
  parameter: string,
  parts: readonly string[],
  channelsOf: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const part of parts) {
    // No pid has a slash; the name of a channel may.
    const slash = part.indexOf('/');
    const pid = part.slice(0, Math.max(slash, 0));
    if (!channelsOf.has(pid) || slash === part.length - 1) {
      throw createQueryRefusal(`"${parameter}": ${quote(part)} does not name a channel of these assets`);
    }
    found.set(pid, [...(found.get(pid) ?? []), part.slice(slash + 1)]);
  }
  return found;
}

/**
 * Returns the parameters of a request to listen.
 *
 * @param channels those of the asset
 * @throws {InvalidRequest} `QUERY_INVALID`; unknown names of channels are not checked
 */
export function parseListenQuery(
  { channels: list, deadband, minimumIntervalMs }: ListenQuery,
  channels: readonly Channel[],
): ListenParameters {
  const names = splitList('channels', list, 'a name');
  const { general, ofChannel } = readDeadbands(deadband);
  const listened = channels.filter(({ name }) => names?.includes(name) ?? true);
  for (const name of ofChannel.keys()) {
    const channel = listened.find((candidate) => candidate.name === name);
    if (channel === undefined)
      throw createQueryRefusal(`"deadband": ${quote(name)} is not among the requested channels`);
    if (!isNumeric(channel.valueType)) {
      throw createQueryRefusal(
        `"deadband": ${quote(name)} has type ${channel.valueType} and accepts no deadband`,
      );
    }
  }
  return { names, deadbandOf: (name) => ofChannel.get(name) ?? general, minimumIntervalMs };
}

/** Reads `0.5` for all channels, `level:2` for one, or a list of these separated by commas. */
function readDeadbands(text: string | undefined): {
  readonly general: number;
  readonly ofChannel: ReadonlyMap<string, number>;
} {
  let general: number | undefined;
  const ofChannel = new Map<string, number>();
  for (const part of text?.split(',') ?? []) {
    // The name of a channel may contain colons.
    const colon = part.lastIndexOf(':');
    const number = part.slice(colon + 1);
    if (!DEADBAND.test(number))
      throw createQueryRefusal(`"deadband": ${quote(part)} is not a number of at least 0`);
    const name = part.slice(0, Math.max(colon, 0));
    if (colon === -1 ? general !== undefined : ofChannel.has(name)) {
      throw createQueryRefusal(`"deadband": ${quote(part)} is set twice`);
    }
    if (colon === -1) general = Number(number);
    else ofChannel.set(name, Number(number));
  }
  return { general: general ?? 0, ofChannel };
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
