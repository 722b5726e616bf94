import { VariantArrayType, WriteResponse } from 'node-opcua-client';
import type { WriteRequest } from 'node-opcua-client';

import type { AddressSpace } from './address-space.ts';
import { findStatusCode } from './answers.ts';
import { rangeOf } from './element-range.ts';

type WriteValue = NonNullable<WriteRequest['nodesToWrite']>[number];

const VALUE_ATTRIBUTE = 13;

/** Writes the nodes of a request in their order, each that may be written as it is asked for. */
export function writeNodes(
  { nodesToWrite }: WriteRequest,
  space: AddressSpace,
  nowMs: number,
): WriteResponse {
  const results = (nodesToWrite ?? []).map((write) => findStatusCode(writeNode(write, space, nowMs)));
  return new WriteResponse({ results });
}

function writeNode(write: WriteValue, space: AddressSpace, nowMs: number): string {
  const { nodeId, attributeId, value: dataValue } = write;
  const node = space.find(nodeId, nowMs);
  if (node === undefined) return 'BadNodeIdUnknown';
  if (attributeId !== VALUE_ATTRIBUTE || !node.isWritable) return 'BadNotWritable';
  // Many controllers keep the time and the status of a value themselves.
  if (dataValue.sourceTimestamp || dataValue.serverTimestamp) return 'BadWriteNotSupported';
  const { dataType, arrayType } = dataValue.value;
  const isArray = node.type.length !== undefined;
  const expected = isArray ? VariantArrayType.Array : VariantArrayType.Scalar;
  if (dataType !== node.type.dataType || arrayType !== expected) return 'BadTypeMismatch';
  const value: unknown = dataValue.value.value;
  const range = isArray ? rangeOf(write) : undefined;
  if (range !== undefined)
    return value instanceof Int32Array ? node.writePart(range, [...value]) : 'BadTypeMismatch';
  const decoded = node.type.decode(value);
  return decoded === undefined ? 'BadTypeMismatch' : node.write(decoded);
}
