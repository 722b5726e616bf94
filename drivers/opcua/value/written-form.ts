import type { DeviceAccess } from '../../../daemon/channel/access-reporting-driver.ts';
import type { DataTypeName } from '../opcua-address.ts';

/** The form of the values that a server takes at a node, or as the argument of a method. */
export interface WrittenForm {
  readonly type: DataTypeName;
  /** Number of dimensions: 0 is a scalar, 'SOME' any array; undefined when the server does not tell. */
  readonly rank: number | 'SOME' | undefined;
}

/** What is known of a node; its type is undefined where it cannot be written. */
export interface NodeForm {
  readonly type: DataTypeName | undefined;
  readonly rank: WrittenForm['rank'];
  /** What the server lets its present user do with the value; undefined when it does not tell. */
  readonly access?: DeviceAccess | undefined;
}
