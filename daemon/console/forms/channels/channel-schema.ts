import { narrowAddresses } from '../editor/schema-at.ts';
import type { Schema } from '../schema.ts';
import { listChannelColumns } from './channel-column.ts';
import type { ChannelColumn } from './channel-column.ts';

/** Returns the editable fields of the channels of a driver type. */
export function columnsOf(configuration: Schema, driverType: string): readonly ChannelColumn[] {
  const item = configuration.properties?.['assets']?.items ?? {};
  // The first alternative is an asset without a template, whose channels have all of their fields.
  const [asset = item] = item.anyOf ?? [];
  const channel = narrowAddresses(asset, driverType).properties?.['channels']?.items ?? {};
  return listChannelColumns(channel);
}
