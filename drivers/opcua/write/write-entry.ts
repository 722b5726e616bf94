import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import type { MethodCall } from './method-call.ts';
import type { VariantLike } from '../value/variant.ts';
import type { WrittenNode } from '../value/written-forms.ts';

/** A node whose namespace is known, and the value to write; or a method of that node, with its arguments. */
export interface WriteEntry extends WrittenNode {
  /** Position of the outcome. */
  readonly index: number;
  readonly value: ChannelValue;
  /** What reads show once the server holds what was prepared; undefined before it is. Nothing else is sent. */
  readonly sent?: ChannelValue | undefined;
  /** NodeId of the method in the present session. */
  readonly methodId?: string | undefined;
}

/** A value that can be sent. */
export interface NodeWrite extends WriteEntry {
  readonly variant: VariantLike;
}

/** A call that can be sent. */
export interface MethodWrite extends WriteEntry {
  readonly call: MethodCall;
}

export type EncodedWrite = NodeWrite | MethodWrite;

/** What is sent in one request. */
export type WriteBatch = readonly NodeWrite[] | readonly [MethodWrite];

/** Whether one request calls a method, which no other shares. */
export function isMethodBatch(batch: WriteBatch): batch is readonly [MethodWrite] {
  return batch[0] !== undefined && 'call' in batch[0];
}

/**
 * Splits writes into requests, in their order. The standard leaves open in which order a server carries out one request:
 * no node stands in it twice, and a call stands alone.
 *
 * @param limit most nodes of one request
 */
export function splitBatches(writes: readonly EncodedWrite[], limit: number): readonly WriteBatch[] {
  const batches: WriteBatch[] = [];
  let open: NodeWrite[] | undefined;
  for (const write of writes) {
    if ('call' in write) {
      batches.push([write]);
      open = undefined;
      continue;
    }
    if (open === undefined || open.length >= limit || open.some(({ nodeId }) => nodeId === write.nodeId)) {
      open = [];
      batches.push(open);
    }
    open.push(write);
  }
  return batches;
}
