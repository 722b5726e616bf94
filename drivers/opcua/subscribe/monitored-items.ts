import type { MonitoredItemCreateResult } from 'node-opcua-client';

import type { Channel } from '../../../daemon/channel/channel.ts';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { toIndexRange } from '../value/index-range.ts';
import type { IndexRange } from '../value/index-range.ts';
import { getNodeId } from '../value/node-id.ts';
import { ATTRIBUTES } from '../opcua-address.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import type { OpcuaConfig } from '../opcua-config.ts';
import { toNoNamespaceReading } from '../value/reading.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';

/** Monitored item requested for one channel (OPC 10000-4, 5.13.2). */
export interface ItemRequest {
  /** Index of the channel. */
  readonly index: number;
  readonly wanted: WantedItem;
  readonly itemToMonitor: {
    readonly nodeId: string;
    readonly attributeId: number;
    readonly indexRange?: IndexRange;
  };
}

/** Sampling interval and queue of an item. */
export interface ItemTerms {
  readonly samplingIntervalMs: number;
  readonly queueSize: number;
}

/** An item that a channel needs. */
export interface WantedItem {
  readonly address: OpcuaAddress;
  readonly terms: ItemTerms;
}

/** An item that the server has created. */
export interface CreatedItem {
  readonly itemId: number;
  /** As requested. */
  terms: ItemTerms;
  /** True if the connection was lost since. */
  isResumed: boolean;
}

/** A channel with its index. */
export type ItemChannel = readonly [index: number, channel: Channel<OpcuaAddress>];

/** A channel that is not requested, by index, with the reason. */
export interface RefusedItem {
  readonly index: number;
  readonly reading: Reading;
}

// Sample at the publishing interval (OPC 10000-4, 7.21).
const SAMPLING_AS_PUBLISHED = -1;

/**
 * Returns the sampling interval of the channels without one of their own. A subscription may report more often than one of its
 * subscribers requests, and items keep their sampling interval if the publishing interval changes (OPC 10000-4, 7.21).
 */
export function toSamplingInterval({ publishingIntervalMs }: OpcuaConfig, minimumIntervalMs: number): number {
  return publishingIntervalMs === undefined ? minimumIntervalMs : SAMPLING_AS_PUBLISHED;
}

/** Returns the item that a channel needs. */
export function toWantedItem({ address }: Channel<OpcuaAddress>, usualIntervalMs: number): WantedItem {
  const { samplingIntervalMs = usualIntervalMs, queueSize } = address;
  return { address, terms: { samplingIntervalMs, queueSize } };
}

/** Returns the parameters of a request for an item. */
export function toParameters({ samplingIntervalMs, queueSize }: ItemTerms, clientHandle: number) {
  return { clientHandle, samplingInterval: samplingIntervalMs, queueSize, discardOldest: true };
}

/** Creates a request for each channel whose namespace the server has. */
export function createItemRequests(
  channels: readonly ItemChannel[],
  session: OpcuaSession,
  { samplingIntervalMs, nowMs }: { readonly samplingIntervalMs: number; readonly nowMs: number },
): { readonly requests: readonly ItemRequest[]; readonly unresolved: readonly RefusedItem[] } {
  const requests: ItemRequest[] = [];
  const unresolved: RefusedItem[] = [];
  for (const [index, channel] of channels) {
    const { nodeId: written, attribute, indexRange } = channel.address;
    const nodeId = session.namespaces.resolve(getNodeId(written));
    if (nodeId === undefined) {
      unresolved.push({ index, reading: toNoNamespaceReading(written, nowMs) });
      continue;
    }
    requests.push({
      index,
      wanted: toWantedItem(channel, samplingIntervalMs),
      itemToMonitor: {
        nodeId,
        attributeId: ATTRIBUTES[attribute],
        ...toIndexRange(indexRange),
      },
    });
  }
  return { requests, unresolved };
}

/**
 * Pairs channels with others that have the same readings; each is used once. Among those, one with the same sampling interval
 * and queue comes first.
 *
 * @returns pairs of indices
 */
export function pairChannels(
  wanted: ReadonlyMap<number, Channel<OpcuaAddress>>,
  offered: ReadonlyMap<number, Channel<OpcuaAddress>>,
): readonly (readonly [wanted: number, offered: number])[] {
  const pairs: (readonly [number, number])[] = [];
  let unpaired: ItemChannel[] = [];
  // Nearly all channels of an asset are the same objects, whose addresses need no comparison.
  const indexOf = new Map(Array.from(offered, ([index, channel]) => [channel, index]));
  for (const [index, channel] of wanted) {
    const found = indexOf.get(channel);
    if (found === undefined) unpaired.push([index, channel]);
    else pairs.push([index, found]);
    indexOf.delete(channel);
  }
  for (const toKey of [toItemKey, toSourceKey]) {
    if (unpaired.length === 0) return pairs;
    const byKey = Map.groupBy(indexOf, ([channel]) => toKey(channel));
    unpaired = unpaired.filter(([index, channel]) => {
      const found = byKey.get(toKey(channel))?.pop();
      if (found === undefined) return true;
      pairs.push([index, found[1]]);
      indexOf.delete(found[0]);
      return false;
    });
  }
  return pairs;
}

function toItemKey({ valueType, address }: Channel<OpcuaAddress>): string {
  return JSON.stringify([valueType, address]);
}

// A reading depends on nothing else of its channel.
function toSourceKey({ valueType, address }: Channel<OpcuaAddress>): string {
  return JSON.stringify([valueType, { ...address, samplingIntervalMs: undefined, queueSize: undefined }]);
}

/** An item whose parameters the server revised. */
export interface RevisedItem {
  readonly nodeId: string;
  readonly asked: ItemTerms;
  readonly given: ItemTerms;
}

/** Returns the sampling interval and queue size that the server revised. */
export function findRevision(
  { address: { nodeId, samplingIntervalMs }, terms }: WantedItem,
  result: Pick<MonitoredItemCreateResult, 'revisedSamplingInterval' | 'revisedQueueSize'>,
): RevisedItem | undefined {
  const given = { samplingIntervalMs: result.revisedSamplingInterval, queueSize: result.revisedQueueSize };
  // Without an interval of its own, a channel may be sampled as often as the server reports.
  const isSampledAsAsked =
    samplingIntervalMs === undefined || samplingIntervalMs === given.samplingIntervalMs;
  // A server may revise queue size 0 to 1 and vice versa: both keep the newest value.
  const isQueuedAsAsked = terms.queueSize === Math.max(1, given.queueSize);
  return isSampledAsAsked && isQueuedAsAsked ? undefined : { nodeId, asked: terms, given };
}
