import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import type { MethodCall } from './method-call.ts';
import type { VariantLike } from '../value/variant.ts';
import type { WriteTarget } from '../value/find-write-types.ts';

/** A value to write to a node with known namespace, or a method call with its arguments. */
export interface WriteEntry extends WriteTarget {
  /** Index of the outcome. */
  readonly index: number;
  readonly value: ChannelValue;
  /** Value of later reads after the prepared write; undefined before it is prepared. Nothing else is sent. */
  readonly sent?: ChannelValue | undefined;
  /** NodeId of the method in the current session. */
  readonly methodId?: string | undefined;
}

/** A value ready to send. */
export interface NodeWrite extends WriteEntry {
  readonly variant: VariantLike;
}

/** A call ready to send. */
export interface MethodWrite extends WriteEntry {
  readonly call: MethodCall;
}

/** A field ready to be written with its structure. */
export interface FieldWrite extends NodeWrite {
  readonly isField: true;
}

export type EncodedWrite = NodeWrite | MethodWrite | FieldWrite;

/** Contents of one request. */
export type WriteBatch = readonly NodeWrite[] | readonly [MethodWrite] | readonly [FieldWrite];

/** True if a request writes a field; it has its own read and write. */
export function isFieldBatch(batch: WriteBatch): batch is readonly [FieldWrite] {
  return batch[0] !== undefined && 'isField' in batch[0];
}

/** True if a request calls a method; a call has its own request. */
export function isMethodBatch(batch: WriteBatch): batch is readonly [MethodWrite] {
  return batch[0] !== undefined && 'call' in batch[0];
}

/**
 * Splits writes into requests in their order. The standard does not define the order within a request, so each node
 * occurs once, and a call or a field has its own request.
 *
 * @param limit maximum nodes of one request
 */
export function splitBatches(writes: readonly EncodedWrite[], limit: number): readonly WriteBatch[] {
  const batches: WriteBatch[] = [];
  let open: NodeWrite[] | undefined;
  for (const write of writes) {
    if ('call' in write || 'isField' in write) {
      batches.push('call' in write ? [write] : [write]);
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
