import { VariantArrayType, WriteResponse } from 'node-opcua-client';
import type { WriteRequest } from 'node-opcua-client';

import type { AddressSpace } from './address-space.ts';
import { findStatusCode } from './answers.ts';

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

function writeNode(
  { nodeId, attributeId, value: dataValue }: WriteValue,
  space: AddressSpace,
  nowMs: number,
): string {
  const node = space.find(nodeId, nowMs);
  if (node === undefined) return 'BadNodeIdUnknown';
  if (attributeId !== VALUE_ATTRIBUTE || !node.isWritable) return 'BadNotWritable';
  // Many controllers keep the time and the status of a value themselves.
  if (dataValue.sourceTimestamp || dataValue.serverTimestamp) return 'BadWriteNotSupported';
  const { dataType, arrayType } = dataValue.value;
  if (dataType !== node.type.dataType || arrayType !== VariantArrayType.Scalar) return 'BadTypeMismatch';
  const decoded = node.type.decode(dataValue.value.value);
  return decoded === undefined ? 'BadTypeMismatch' : node.write(decoded);
}
