import type { ChannelRecord } from '../interface/assets.ts';
import { formatTable } from './table.ts';

/** Formats the channels of an asset as a table. */
export function formatChannels(channels: readonly ChannelRecord[]): string {
  return formatTable(
    [
      { title: 'NAME', show: ({ name }) => name },
      { title: 'DIRECTION', show: ({ type }) => type },
      { title: 'TYPE', show: ({ valueType }) => valueType },
      { title: 'SCALE', show: ({ valueScale }) => valueScale },
      { title: 'OFFSET', show: ({ valueOffset }) => valueOffset },
      { title: 'UNIT', show: ({ unit }) => unit },
      { title: 'ENABLED', show: ({ isEnabled }) => (isEnabled ? 'yes' : 'no') },
      { title: 'DISPLAY NAME', show: ({ displayName = '' }) => displayName, isOptional: true },
      { title: 'DESCRIPTION', show: ({ description = '' }) => description, isOptional: true },
    ],
    channels,
  );
}
