import { writeCsvRows, writeInstant } from '../../text/csv.ts';
import { causeOf, exactOf, qualityOf, toneOf } from './channel-row.ts';
import type { ChannelRow } from './channel-row.ts';

const HEAD = ['asset', 'channel', 'value', 'unit', 'quality', 'time'];

/** Returns the live table of an asset as CSV: values with every digit, and the time of each. */
export function writeChannelCsv(asset: string, rows: readonly ChannelRow[], isUtc: boolean): string {
  const cells = rows.map((row) => {
    const { channel, live } = row;
    const at = live?.lastGood ?? live?.record;
    const time = at === undefined ? '' : writeInstant(at.timestamp, isUtc);
    return [
      asset,
      channel.name,
      exactOf(row),
      channel.unit ?? '',
      toneOf(row) === 'fault' ? causeOf(row) : qualityOf(row),
      time,
    ];
  });
  return writeCsvRows([HEAD, ...cells]);
}
