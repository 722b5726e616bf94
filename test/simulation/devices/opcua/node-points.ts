import type { Clock } from '../../../../daemon/base/clock.ts';
import type { CarriedOutWrite, Point, RestValue } from '../../world/truth.ts';
import { combineHealth } from '../health.ts';
import { countElements, takePart, toPartValue } from './element-range.ts';
import type { ElementRange } from './element-range.ts';
import type { NodePlan } from './node-plans.ts';
import type { ServerProfile } from './server-profile.ts';
import type { SimulatedNode } from './simulated-node.ts';
import type { SimulatedServer } from './simulated-server.ts';

/** A node of an asset, with what it is compared with. */
export interface PartNode {
  readonly plan: NodePlan;
  readonly name: string;
  readonly stepMs: number;
  readonly node: SimulatedNode;
  /** Returns a value that the node never had. */
  readonly nextValue: () => RestValue;
  /** Returns elements that the array never had. */
  readonly nextElements: (length: number) => readonly number[];
}

interface PointSurroundings {
  readonly uri: string;
  readonly server: SimulatedServer;
  readonly time: Clock;
  readonly profile: ServerProfile;
}

/** Returns the points of a node: the whole, and elements of an array that have channels of their own. */
export function toPoints(each: PartNode, surroundings: PointSurroundings): readonly Point[] {
  const { parts = [] } = each.plan;
  const whole = toPoint(each, surroundings);
  return [whole, ...parts.map((range) => toPartPoint(each, whole, range))];
}

// A channel that is some elements of an array.
function toPartPoint({ node, name, nextElements }: PartNode, whole: Point, range: ElementRange): Point {
  const { address } = whole.channel;
  const writes: CarriedOutWrite[] = [];
  if (node.isWritable) node.writesOfParts.set(range, writes);
  const nextValue = (): RestValue => toPartValue(nextElements(countElements(range)), range);
  return {
    channel: {
      name: `${name}-${range.replace(':', '-')}`,
      type: node.isWritable ? 'READ_WRITE' : 'READ',
      valueType: countElements(range) === 1 ? 'INTEGER' : 'STRING',
      address: { ...(address as object), indexRange: range },
    },
    had: (value, fromMs, toMs) => node.track.hadOne((one) => takePart(one, range) === value, fromMs, toMs),
    describeNow: () => `${range} of ${whole.describeNow()}`,
    writes,
    ...(node.isWritable ? { nextValue } : {}),
    healthySinceMs: () => whole.healthySinceMs(),
  };
}

function toPoint(each: PartNode, { uri, server, time, profile }: PointSurroundings): Point {
  const { plan, name, node, nextValue } = each;
  const isWritable = node.isWritable && plan.parts === undefined;
  return {
    channel: {
      name,
      type: isWritable ? 'READ_WRITE' : 'READ',
      valueType: node.type.kind.valueType,
      address: { nodeId: `nsu=${uri};${node.identifier}`, ...plan.queue },
    },
    had: (value, fromMs, toMs) => node.track.had(value, fromMs, toMs),
    describeNow: () => `${String(node.track.at(time.monotonicMs()))} ${node.statusAt(time.monotonicMs())}`,
    writes: node.writes,
    ...(isWritable ? { nextValue } : {}),
    ...(node.isWritable ? {} : createSuccession(each, profile)),
    healthySinceMs: () => combineHealth([server.health, node.health]),
  };
}

// Where the number of a value can be told from it.
const NUMBERED: Partial<Record<NodePlan['type'], (value: RestValue) => number>> = {
  Double: Number,
  Int64: Number,
  Report: (value) => Number.parseInt(String(value).split('.')[1] ?? '', 10),
};

function createSuccession(
  { plan: { type, queue }, stepMs }: PartNode,
  { shortestPublishingIntervalMs, longestQueue }: ServerProfile,
): Pick<Point, 'succession'> {
  const numberOf = NUMBERED[type];
  if (numberOf === undefined) return {};
  const sampleMs =
    queue === undefined ? undefined : Math.max(queue.samplingIntervalMs, shortestPublishingIntervalMs);
  const isSampled = sampleMs !== undefined && stepMs > sampleMs;
  const isWholeAt = (intervalMs: number): boolean => {
    const reportMs = Math.max(intervalMs, shortestPublishingIntervalMs);
    if (queue === undefined) return stepMs >= 3 * reportMs;
    // Reports may be late by one.
    return isSampled && (2 * reportMs) / stepMs + 2 <= Math.min(queue.queueSize, longestQueue);
  };
  const follows = (earlier: RestValue, later: RestValue): boolean =>
    numberOf(later) - numberOf(earlier) === 1;
  return { succession: { isQueued: isSampled && longestQueue > 1, isWholeAt, follows } };
}
