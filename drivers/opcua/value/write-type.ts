import type { DeviceAccess } from '../../../daemon/channel/access-reporting-driver.ts';
import type { DataTypeName } from '../opcua-address.ts';

/** Data type and ValueRank of values written to a node or passed to a method. */
export interface WriteType {
  readonly type: DataTypeName;
  /** Number of dimensions: 0 is a scalar, 'SOME' any array; undefined if the server does not report it. */
  readonly rank: number | 'SOME' | undefined;
}

/** Elements of an array of Variant; each has a type of its own. */
export interface VariantElements {
  /** Type of each element, row by row; undefined if it has no value, or one that cannot be written. */
  readonly types: readonly (WriteType | undefined)[];
  /** Positions of the elements without a value. */
  readonly empty: ReadonlySet<number>;
  /** Length of each dimension. */
  readonly dimensions: readonly number[];
}

/** Write information of a node; its type is undefined if it cannot be written. */
export interface NodeWriteInfo {
  readonly type: DataTypeName | undefined;
  readonly rank: WriteType['rank'];
  /** Present if the node contains an array of Variant. */
  readonly elements?: VariantElements | undefined;
  /** Access rights of the session user; undefined if the server does not report them. */
  readonly access?: DeviceAccess | undefined;
}
