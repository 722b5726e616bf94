import type { IncomingMessage } from 'node:http';

import { z } from '../base/schema.ts';
import type { Channel } from '../channel/channel.ts';
import { isNumeric } from '../channel/value-type.ts';
import { channelsParameter, splitChannelNames } from './channels-query.ts';
import { createQueryRefusal, integerParameter, readQuery } from '../http/query.ts';

const SHORTEST_INTERVAL_MS = 100;
const LONGEST_INTERVAL_MS = 3_600_000;

const DEADBAND = /^\d{1,15}(?:\.\d{1,15})?$/;

/** The parameters of the query, each at most once. */
export const listenQuery = z.object({
  channels: channelsParameter,
  deadband: z.string().min(1, 'expected a number').optional(),
  minimumIntervalMs: integerParameter(SHORTEST_INTERVAL_MS, LONGEST_INTERVAL_MS).default(1000),
});

/** The channels and bounds that a request to listen asks for. */
export interface ListenWish {
  /** Undefined: every channel that can be read. */
  readonly names: readonly string[] | undefined;
  readonly deadbandOf: (name: string) => number;
  readonly minimumIntervalMs: number;
}

/**
 * Reads what a request to listen asks for.
 *
 * @param channels those of the asset
 * @throws {InvalidRequest} `QUERY_INVALID`; unknown names of channels are not checked
 */
export function readListenWish(request: IncomingMessage, channels: readonly Channel[]): ListenWish {
  const { channels: list, deadband, minimumIntervalMs } = readQuery(request, listenQuery);
  const names = splitChannelNames(list);
  const { general, ofChannel } = readDeadbands(deadband);
  const listened = channels.filter(({ name }) => names?.includes(name) ?? true);
  for (const name of ofChannel.keys()) {
    const channel = listened.find((candidate) => candidate.name === name);
    if (channel === undefined) throw createQueryRefusal(`"deadband": ${quote(name)} is not listened to`);
    if (!isNumeric(channel.valueType)) {
      throw createQueryRefusal(`"deadband": ${quote(name)} has type ${channel.valueType} and takes none`);
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
    if (!DEADBAND.test(number)) throw createQueryRefusal(`"deadband": ${quote(part)} has no number from 0`);
    const name = part.slice(0, Math.max(colon, 0));
    if (colon === -1 ? general !== undefined : ofChannel.has(name)) {
      throw createQueryRefusal(`"deadband": ${quote(part)} comes after another one for the same`);
    }
    if (colon === -1) general = Number(number);
    else ofChannel.set(name, Number(number));
  }
  return { general: general ?? 0, ofChannel };
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
