import { DataValue, NodeId, ServiceFault, StatusCodes, Variant, VariantArrayType } from 'node-opcua-client';
import type { DataType, StatusCode } from 'node-opcua-client';

import type { ServiceResponse } from '../../../../drivers/opcua/transport/service-transport.ts';
import type { ElementRange } from './element-range.ts';
import type { SimulatedNode } from './simulated-node.ts';

/** Carries an answer to whoever asked. */
export type Respond = (response: ServiceResponse) => void;

const STATUS_CODES: ReadonlyMap<string, StatusCode> = new Map(Object.entries(StatusCodes));

/** Returns the StatusCode with a name. */
export function findStatusCode(name: string): StatusCode {
  const code = STATUS_CODES.get(name);
  if (code === undefined) throw new RangeError(`${name} is no status`);
  return code;
}

/** Creates the answer of a server that carries out nothing of a request. */
export function createFault(status: string): ServiceFault {
  return new ServiceFault({ responseHeader: { serviceResult: findStatusCode(status) } });
}

/**
 * Creates what a server says of the value of a node at a time. One that is not good comes with the value nevertheless,
 * as from servers that keep the last one.
 *
 * @param options.clockMs milliseconds since the epoch at that time, as the server sees it
 */
export function createDataValue(
  node: SimulatedNode,
  atMs: number,
  { clockMs, range }: { readonly clockMs: number; readonly range?: ElementRange | undefined },
): DataValue {
  const { type } = node;
  const timestamp = new Date(clockMs);
  return new DataValue({
    value: new Variant({
      dataType: type.dataType,
      arrayType: type.length === undefined ? VariantArrayType.Scalar : VariantArrayType.Array,
      value: type.encode(node.valueAt(atMs, range)),
    }),
    statusCode: findStatusCode(node.statusAt(atMs)),
    sourceTimestamp: timestamp,
    serverTimestamp: timestamp,
  });
}

/** Creates a value that says nothing but why there is none. */
export function createBadValue(status: string): DataValue {
  return new DataValue({ statusCode: findStatusCode(status) });
}

/** Creates a value of the server itself. */
export function createPlainValue(dataType: DataType, value: unknown, isArray = false): DataValue {
  const arrayType = isArray ? VariantArrayType.Array : VariantArrayType.Scalar;
  return new DataValue({ value: new Variant({ dataType, arrayType, value }) });
}

/** Returns a NodeId with its type, without its namespace: `s=Pump.Speed`. */
export function identifierOf({ identifierType, value }: NodeId): string {
  return `${identifierType === NodeId.NodeIdType.NUMERIC ? 'i' : 's'}=${String(value)}`;
}
