import type { ErrorCodeOf } from '../base/error-codes.ts';
import type { FaultReason } from '../base/fault-reason.ts';
import type { ChannelFailure } from './channel-record.ts';
import type { Channel } from './channel.ts';
import type { Driver } from './driver.ts';

/** The part of a channel that the device describes. */
export type OfferedChannel = Pick<Channel, 'type' | 'valueType' | 'unit'> & {
  readonly address: Readonly<Record<string, unknown>>;
};

/** Description of a node with a value, as the device reports it. */
export interface BrowsedVariable {
  /** Type name used by the device. */
  readonly dataType: string;
  /** Number of dimensions, 0 for a scalar; absent if the device does not specify it. */
  readonly dimensions?: number | undefined;
  /** Length of each dimension, 0 if it varies. */
  readonly arrayDimensions?: readonly number[] | undefined;
  /** True if the user of the connection is allowed to. */
  readonly isReadable: boolean;
  readonly isWritable: boolean;
  readonly unit?: string | undefined;
  /** Range of expected values. */
  readonly range?: { readonly low: number; readonly high: number } | undefined;
  /** Channel for the value; absent if none is possible. */
  readonly channel?: OfferedChannel | undefined;
  /** Reason that none is possible. */
  readonly refusal?: FaultReason | undefined;
}

/** One node of a device's address space. */
export interface BrowsedNode {
  /** Identifier in an address; absent if it has none. */
  readonly node?: string | undefined;
  readonly browseName: string;
  readonly displayName: string;
  /** Node class used by the device: `Object`, `Variable`, `Method`. */
  readonly nodeClass: string;
  /** Reference type from the parent node, as the device names it. */
  readonly reference: string;
  readonly description?: string | undefined;
  /** True if child nodes may have values. */
  readonly isParent: boolean;
  /** Absent if it has no value. */
  readonly variable?: BrowsedVariable | undefined;
}

/** A page of child nodes. */
export interface BrowsePage {
  readonly nodes: readonly BrowsedNode[];
  /** Position at which the next page begins; absent on the last one. */
  readonly next?: number | undefined;
}

/** Reason that a device returns no page. */
export type BrowseFailure =
  | { readonly failure: ChannelFailure; readonly isNodeInvalid?: false | undefined }
  /** The identifier is invalid: no request was sent. */
  | { readonly failure: ChannelFailure & { readonly code: ErrorCodeOf<400> }; readonly isNodeInvalid: true };

/** Browse request. */
export interface BrowseOptions {
  /** Parent node; default: the root of the tree. */
  readonly node?: string | undefined;
  /** Position of the first child of the page. */
  readonly from: number;
  /** Maximum nodes per page. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** A driver whose device can be browsed as a tree. */
export interface BrowsingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Lists the children of a node in the order of the device.
   *
   * @returns the page, or the reason that the device returns none
   * @throws {ConnectionError}
   */
  browse(options: BrowseOptions): Promise<BrowsePage | BrowseFailure>;
}

/** True if the device of the driver can be browsed. */
export function isBrowsing(driver: Driver): driver is BrowsingDriver {
  return 'browse' in driver;
}
