import type { ChannelRecord } from '../../api/types.ts';
import type { LiveValue } from '../../live/live-values.ts';
import type { Tone } from '../../parts/connection-state.ts';
import { ASSETS } from '../../text/assets.ts';
import { fill } from '../../text/fill.ts';
import { formatNumber, formatSpan } from '../../text/format.ts';

/** A channel as a row of the live table. */
export interface ChannelRow {
  readonly channel: ChannelRecord;
  readonly live: LiveValue | undefined;
  readonly tone: Tone;
  /** What is said of the quality. */
  readonly quality: string;
  /** The value as it is shown; a former one is in brackets. */
  readonly value: string;
  /** Every digit, for copies. */
  readonly exact: string;
  readonly age: string;
}

// A flash that nobody sees any more.
const NOW_MS = 2000;

/** Puts what is known of a channel into the words of a row. */
export function toRow(
  channel: ChannelRecord,
  live: LiveValue | undefined,
  {
    nowMs,
    isFresh,
    decimals,
  }: { readonly nowMs: number; readonly isFresh: boolean; readonly decimals: number },
): ChannelRow {
  const row = { channel, live };
  if (!channel.isEnabled) return { ...row, ...plain(fill(ASSETS.off)) };
  if (channel.type === 'WRITE') return { ...row, ...plain(fill(ASSETS.writeOnly)) };
  if (live === undefined) return { ...row, ...plain(fill(ASSETS.notYet)) };
  const { record, lastGood } = live;
  const shown = lastGood === undefined ? '' : formatValue(lastGood.value, decimals);
  const exact = lastGood?.value === undefined ? '' : String(lastGood.value);
  const age = formatAge(nowMs - (lastGood?.timestamp ?? record.timestamp));
  if (record.channelStatus.channelFlag === 'FAILURE') {
    const cause = record.channelStatus.exceptionMessage ?? record.statusCode ?? fill(ASSETS.isBad);
    return { ...row, tone: 'fault', quality: cause, value: shown === '' ? '–' : `(${shown})`, exact, age };
  }
  if (!isFresh) return { ...row, tone: 'attention', quality: fill(ASSETS.isLate), value: shown, exact, age };
  if (record.quality === 'UNCERTAIN')
    return { ...row, tone: 'attention', quality: fill(ASSETS.isUncertain), value: shown, exact, age };
  // The stream tells changes only: a steady value is no old one.
  return { ...row, tone: 'good', quality: fill(ASSETS.isGood), value: shown, exact, age: fill(ASSETS.now) };
}

function plain(quality: string): Pick<ChannelRow, 'tone' | 'quality' | 'value' | 'exact' | 'age'> {
  return { tone: 'none', quality, value: '–', exact: '', age: '–' };
}

/** Returns a value as people read it. */
export function formatValue(value: string | number | boolean | undefined, decimals: number): string {
  if (value === undefined) return '–';
  if (typeof value === 'boolean') return value ? fill(ASSETS.on) : fill(ASSETS.offValue);
  if (typeof value === 'number') return formatNumber(value, decimals);
  return /^-?\d{16,}$/.test(value) ? formatNumber(value, 0) : value;
}

function formatAge(ms: number): string {
  return ms < NOW_MS ? fill(ASSETS.now) : formatSpan(ms);
}

/** Returns how many decimals the values of a channel are shown with: those of its scale, at most three. */
export function decimalsOf({ valueType, valueScale }: ChannelRecord): number {
  if (valueType === 'INTEGER' || valueType === 'LONG') return 0;
  if (valueScale !== 1) return Math.min(3, Math.max(0, Math.ceil(-Math.log10(Math.abs(valueScale)))));
  return 2;
}
