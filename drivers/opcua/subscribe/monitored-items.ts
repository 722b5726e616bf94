import type { MonitoredItemCreateResult, MonitoringMode } from 'node-opcua-client';

import type { Channel } from '../../../daemon/channel/channel.ts';
import type { Reading } from '../../../daemon/channel/driver.ts';
import { toIndexRange } from '../value/index-range.ts';
import type { IndexRange } from '../value/index-range.ts';
import { getNodeId } from '../value/node-id.ts';
import { ATTRIBUTES } from '../opcua-address.ts';
import type { OpcuaAddress } from '../opcua-address.ts';
import { toNoNamespaceReading } from '../value/reading.ts';
import type { OpcuaSession } from '../session/opcua-session.ts';

/** Monitored item requested for one channel (OPC 10000-4, 5.13.2). */
export interface ItemRequest {
  readonly itemToMonitor: {
    readonly nodeId: string;
    readonly attributeId: number;
    readonly indexRange?: IndexRange;
  };
  readonly monitoringMode: MonitoringMode;
  readonly requestedParameters: {
    /** Index of the channel, until it is sent. */
    readonly clientHandle: number;
    readonly samplingInterval: number;
    readonly queueSize: number;
    readonly discardOldest: boolean;
  };
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

/** Creates a request for each channel whose namespace the server has. */
export function createItemRequests(
  channels: readonly ItemChannel[],
  session: OpcuaSession,
  nowMs: number,
): { readonly requests: readonly ItemRequest[]; readonly unresolved: readonly RefusedItem[] } {
  const requests: ItemRequest[] = [];
  const unresolved: RefusedItem[] = [];
  for (const [index, { address }] of channels) {
    const nodeId = session.namespaces.resolve(getNodeId(address.nodeId));
    if (nodeId === undefined) {
      unresolved.push({ index, reading: toNoNamespaceReading(address.nodeId, nowMs) });
      continue;
    }
    const { attribute, indexRange, samplingIntervalMs = SAMPLING_AS_PUBLISHED, queueSize } = address;
    requests.push({
      itemToMonitor: {
        nodeId,
        attributeId: ATTRIBUTES[attribute],
        ...toIndexRange(indexRange),
      },
      monitoringMode: session.library.MonitoringMode.Reporting,
      requestedParameters: {
        clientHandle: index,
        samplingInterval: samplingIntervalMs,
        queueSize,
        discardOldest: true,
      },
    });
  }
  return { requests, unresolved };
}

/**
 * Pairs channels with others that have the same readings; each is used once.
 *
 * @returns pairs of indices
 */
export function pairChannels(
  wanted: ReadonlyMap<number, Channel<OpcuaAddress>>,
  offered: ReadonlyMap<number, Channel<OpcuaAddress>>,
): readonly (readonly [wanted: number, offered: number])[] {
  const pairs: (readonly [number, number])[] = [];
  const unpaired: ItemChannel[] = [];
  // Nearly all channels of an asset are the same objects, whose addresses need no comparison.
  const indexOf = new Map(Array.from(offered, ([index, channel]) => [channel, index]));
  for (const [index, channel] of wanted) {
    const found = indexOf.get(channel);
    if (found === undefined) unpaired.push([index, channel]);
    else pairs.push([index, found]);
    indexOf.delete(channel);
  }
  if (unpaired.length === 0) return pairs;
  const bySource = Map.groupBy(indexOf, ([channel]) => toSourceKey(channel));
  for (const [index, channel] of unpaired) {
    const found = bySource.get(toSourceKey(channel))?.pop();
    if (found !== undefined) pairs.push([index, found[1]]);
  }
  return pairs;
}

// A reading depends on nothing else of its channel.
function toSourceKey({ valueType, address }: Channel<OpcuaAddress>): string {
  return JSON.stringify([valueType, address]);
}

interface ItemTerms {
  readonly samplingIntervalMs: number;
  readonly queueSize: number;
}

/** An item whose parameters the server revised. */
export interface RevisedItem {
  readonly nodeId: string;
  readonly asked: ItemTerms;
  readonly given: ItemTerms;
}

/** Returns the sampling interval and queue size that the server revised. */
export function findRevision(
  nodeId: string,
  { requestedParameters }: ItemRequest,
  result: Pick<MonitoredItemCreateResult, 'revisedSamplingInterval' | 'revisedQueueSize'> | undefined,
): RevisedItem | undefined {
  if (result === undefined) return undefined;
  const { samplingInterval, queueSize } = requestedParameters;
  const asked = { samplingIntervalMs: samplingInterval, queueSize };
  const given = { samplingIntervalMs: result.revisedSamplingInterval, queueSize: result.revisedQueueSize };
  // If asked to sample at the publishing interval, the server returns that interval.
  const isSampledAsAsked =
    samplingInterval === SAMPLING_AS_PUBLISHED || samplingInterval === given.samplingIntervalMs;
  // A server may revise queue size 0 to 1 and vice versa: both keep the newest value.
  const isQueuedAsAsked = queueSize === Math.max(1, given.queueSize);
  return isSampledAsAsked && isQueuedAsAsked ? undefined : { nodeId, asked, given };
}
