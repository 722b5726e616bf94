import type { Channel } from './channel.ts';
import type { ChannelFailure } from './channel-record.ts';
import type { Driver, WriteRequest } from './driver.ts';
import type { ChannelValue } from './value-type.ts';
import type { WriteStep } from './write-step.ts';

/** What a device lets the gateway do with a value, by its own word. */
export const DEVICE_ACCESSES = ['NONE', 'READ', 'WRITE', 'READ_WRITE'] as const;
export type DeviceAccess = (typeof DEVICE_ACCESSES)[number];

/** What a driver makes of a value, before it is sent. */
export interface PreparedValue {
  /** Position among the requests. */
  readonly index: number;
  /**
   * Raw value that a read shows once the device holds what is sent: rounded to its register, in the shape of a reading.
   * It is the same for each request with this value, as long as the device does not change.
   */
  readonly sent: ChannelValue;
  /** Whether the device holds it as a 32-bit float, or as several of them. */
  readonly isSingle: boolean;
  /** Why it would not be sent at present, for example because its unit is suspended; undefined: it would. */
  readonly notSent?: ChannelFailure | undefined;
}

/** Writes before anything is sent; each request is in one of both lists. */
export interface CheckedWrites {
  /** Values that the device cannot hold, by their positions. */
  readonly refused: readonly { readonly index: number; readonly failure: ChannelFailure }[];
  readonly values: readonly PreparedValue[];
}

/** Writes that can be sent. */
export interface PreparedWrites extends CheckedWrites {
  /** In the order of the requests; each value is in one. */
  readonly steps: readonly WriteStep[];
}

/** A driver that knows what it would send, without sending it. */
export interface CheckingDriver<Address = unknown> extends Driver<Address> {
  /**
   * Tells what `write` would send; reads where it has to, and changes nothing.
   *
   * @throws {ConnectionError} as `write` does
   */
  prepareWrite(requests: readonly WriteRequest<Address>[], signal: AbortSignal): Promise<CheckedWrites>;
  /**
   * Whether a text means the value that the newest read of a channel of value type STRING has shown, in the type that the
   * device has; does no I/O. Texts of a time, for example, are the same when they name the same instant.
   *
   * @returns undefined where the driver does not know the type
   */
  isSameText?(channel: Channel<Address>, shown: string, text: string): boolean | undefined;
  /** Returns what the device permits, as far as it has told; does no I/O. Absent: devices of this kind tell nothing. */
  findDeviceAccess?(channel: Channel<Address>): DeviceAccess | undefined;
  /**
   * Asks the device what it permits, as far as it was not asked before.
   *
   * @throws {ConnectionError} when the connection is lost; a device that does not tell is no error
   */
  learnDeviceAccess?(channels: readonly Channel<Address>[], signal: AbortSignal): Promise<void>;
}

/** Whether the driver knows what it would send. */
export function isChecking(driver: Driver): driver is CheckingDriver {
  return 'prepareWrite' in driver;
}
