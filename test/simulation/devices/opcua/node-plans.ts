import type { ElementRange } from './element-range.ts';
import type { NodeTypeName } from './node-types.ts';

/** A node of an asset, and what the gateway asks of it. */
export interface NodePlan {
  readonly name: string;
  readonly type: NodeTypeName | 'Int32Array';
  readonly isHeld?: boolean;
  /** It changes so often, in milliseconds; drawn unless given. */
  readonly stepMs?: number;
  /** Elements of an array that have channels of their own; a held array is written by them alone. */
  readonly parts?: readonly ElementRange[];
  /** The server is asked to keep so many values, and to look so often. */
  readonly queue?: { readonly queueSize: number; readonly samplingIntervalMs: number };
}

/** Nodes of one asset; the last ones can be written. */
export const NODES: readonly NodePlan[] = [
  { name: 'Level', type: 'Double' },
  { name: 'Flow', type: 'Float' },
  { name: 'State', type: 'UInt16' },
  { name: 'Energy', type: 'Int64', queue: { queueSize: 200, samplingIntervalMs: 100 } },
  { name: 'Running', type: 'Boolean' },
  { name: 'Batch', type: 'String' },
  { name: 'Tag', type: 'ByteString' },
  { name: 'Setpoint', type: 'Double', isHeld: true },
  { name: 'Limit', type: 'Int32', isHeld: true },
  { name: 'Target', type: 'Number', isHeld: true },
  { name: 'Counter', type: 'Int64', isHeld: true },
  { name: 'Recipe', type: 'String', isHeld: true },
];

/** Nodes of the asset that reports more than can be kept for long. */
export const REPORTS: readonly NodePlan[] = [
  { name: 'Report', type: 'Report', stepMs: 700, queue: { queueSize: 10, samplingIntervalMs: 250 } },
];

/** Nodes of the one asset of a small server. */
export const SMALL_NODES: readonly NodePlan[] = [
  { name: 'Speed', type: 'Double' },
  { name: 'Parts', type: 'Int64' },
  { name: 'Feed', type: 'Double', isHeld: true },
  { name: 'Profile', type: 'Int32Array', stepMs: 4000, parts: ['2', '0:1'] },
  { name: 'Curve', type: 'Int32Array', isHeld: true },
  { name: 'Slots', type: 'Int32Array', isHeld: true, parts: ['1', '2:3'] },
];
