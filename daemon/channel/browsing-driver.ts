import type { ErrorCodeOf } from '../base/error-codes.ts';
import type { ChannelFailure } from './channel-record.ts';
import type { Channel } from './channel.ts';
import type { Driver } from './driver.ts';

/** The part of a channel that the device itself tells. */
export type OfferedChannel = Pick<Channel, 'type' | 'valueType' | 'unit'> & {
  readonly address: Readonly<Record<string, unknown>>;
};

/** What a device tells of a node that has a value. */
export interface BrowsedVariable {
  /** Name of its type in the words of the device. */
  readonly dataType: string;
  /** Number of dimensions, 0 for one value; absent when the device leaves it open. */
  readonly dimensions?: number | undefined;
  /** Length of each dimension, 0 where it varies. */
  readonly arrayDimensions?: readonly number[] | undefined;
  /** Whether the user of the connection may. */
  readonly isReadable: boolean;
  readonly isWritable: boolean;
  readonly unit?: string | undefined;
  /** The values that are to be expected. */
  readonly range?: { readonly low: number; readonly high: number } | undefined;
  /** The channel that carries the value; absent when none can. */
  readonly channel?: OfferedChannel | undefined;
  /** Why none can, in words. */
  readonly refusal?: string | undefined;
}

/** One node of the tree that a device shows. */
export interface BrowsedNode {
  /** As an address names it; absent when none can. */
  readonly node?: string | undefined;
  readonly browseName: string;
  readonly displayName: string;
  /** What it is, in the words of the device: `Object`, `Variable`, `Method`. */
  readonly nodeClass: string;
  /** How it belongs to the node above it, in the words of the device. */
  readonly reference: string;
  readonly description?: string | undefined;
  /** Whether nodes below it may have values of their own. */
  readonly isParent: boolean;
  /** Absent when it has no value. */
  readonly variable?: BrowsedVariable | undefined;
}

/** Some of the nodes below one. */
export interface BrowsePage {
  readonly nodes: readonly BrowsedNode[];
  /** Position at which the next page begins; absent on the last one. */
  readonly next?: number | undefined;
}

/** Why a device gives no page. */
export type BrowseFailure =
  | { readonly failure: ChannelFailure; readonly isNodeInvalid?: false | undefined }
  /** The node is none of any device: nothing was asked. */
  | { readonly failure: ChannelFailure & { readonly code: ErrorCodeOf<400> }; readonly isNodeInvalid: true };

/** What is to be browsed. */
export interface BrowseOptions {
  /** The node whose children are wanted; where the tree begins unless given. */
  readonly node?: string | undefined;
  /** Position of the first child of the page. */
  readonly from: number;
  /** Most nodes of the page. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** A driver whose device shows what it has as a tree. */
export interface BrowsingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Lists the children of a node in the order of the device.
   *
   * @returns the page, or why the device gives none
   * @throws {ConnectionError}
   */
  browse(options: BrowseOptions): Promise<BrowsePage | BrowseFailure>;
}

/** Whether the driver's device shows what it has. */
export function isBrowsing(driver: Driver): driver is BrowsingDriver {
  return 'browse' in driver;
}
