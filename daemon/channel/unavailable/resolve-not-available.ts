import type { Fault } from '../../base/schema.ts';
import type { Channel } from '../channel.ts';
import type { DriverFactory } from '../driver.ts';
import { resolveEntries } from './not-available.ts';

/** A channel with its resolved raw values, or the errors of its entries. */
export interface ResolvedChannel<Address> {
  readonly channel: Channel<Address>;
  readonly faults: readonly Fault[];
}

/** Resolves `notAvailable` of a channel in the data type of its address; a channel without it stays the same object. */
export function resolveNotAvailable<Address>(
  channel: Channel<Address>,
  factory: Pick<DriverFactory<unknown, Address>, 'rawNumberOf'>,
): ResolvedChannel<Address> {
  const { notAvailable, valueType, address } = channel;
  if (notAvailable === undefined) return { channel, faults: [] };
  const number = valueType === 'BYTE_ARRAY' ? 'NONE' : factory.rawNumberOf?.(address);
  const { unavailable, faults } = resolveEntries(notAvailable, number);
  return { channel: { ...channel, unavailable }, faults };
}
