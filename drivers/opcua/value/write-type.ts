import type { DeviceAccess } from '../../../daemon/channel/access-reporting-driver.ts';
import type { DataTypeName } from '../opcua-address.ts';

/** Data type and ValueRank of values written to a node or passed to a method. */
export interface WriteType {
  readonly type: DataTypeName;
  /** Number of dimensions: 0 is a scalar, 'SOME' any array; undefined if the server does not report it. */
  readonly rank: number | 'SOME' | undefined;
}

/** Write information of a node; its type is undefined if it cannot be written. */
export interface NodeWriteInfo {
  readonly type: DataTypeName | undefined;
  readonly rank: WriteType['rank'];
  /** Access rights of the session user; undefined if the server does not report them. */
  readonly access?: DeviceAccess | undefined;
}
