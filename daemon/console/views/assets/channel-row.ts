import type { ChannelRecord } from '../../../interface/plant/assets.ts';
import type { LiveValue } from '../../live/live-values.ts';
import type { Tone } from '../../parts/connection-state.ts';
import { explainCause, translateCause } from '../../parts/gateway-words.ts';
import { ASSETS } from '../../text/assets.ts';
import { countDecimals } from '../../text/decimals.ts';
import { fill } from '../../text/fill.ts';
import { formatSpan, formatUnit } from '../../text/format.ts';
import type { Text } from '../../text/text.ts';
import { formatValue } from '../../text/value-text.ts';

/** Channel as a row of the live table. Its texts are created for visible rows only. */
export interface ChannelRow {
  readonly channel: ChannelRecord;
  readonly live: LiveValue | undefined;
  readonly state: ChannelState;
}

/** State of a channel's value. */
type ChannelState = 'OFF' | 'WRITE_ONLY' | 'LOADING' | 'NOT_YET' | 'FAILED' | 'LATE' | 'UNCERTAIN' | 'GOOD';

const STATES: Readonly<Record<ChannelState, { readonly tone: Tone; readonly text: Text }>> = {
  OFF: { tone: 'none', text: ASSETS.off },
  WRITE_ONLY: { tone: 'none', text: ASSETS.writeOnly },
  LOADING: { tone: 'none', text: ASSETS.loading },
  NOT_YET: { tone: 'none', text: ASSETS.notYet },
  FAILED: { tone: 'fault', text: ASSETS.isBad },
  LATE: { tone: 'attention', text: ASSETS.isLate },
  UNCERTAIN: { tone: 'attention', text: ASSETS.isUncertain },
  GOOD: { tone: 'good', text: ASSETS.isGood },
};

// After the flash.
const NOW_MS = 2000;

/**
 * Combines a channel with its live state.
 *
 * @param stream LOADING: not all channels reported yet; FRESH: a change would have been reported
 */
export function toRow(
  channel: ChannelRecord,
  live: LiveValue | undefined,
  stream: 'LOADING' | 'FRESH' | 'LATE',
): ChannelRow {
  return { channel, live, state: stateOf(channel, live, stream) };
}

function stateOf(
  channel: ChannelRecord,
  live: LiveValue | undefined,
  stream: Parameters<typeof toRow>[2],
): ChannelState {
  if (!channel.isEnabled) return 'OFF';
  if (channel.type === 'WRITE') return 'WRITE_ONLY';
  if (live === undefined) return stream === 'LOADING' ? 'LOADING' : 'NOT_YET';
  if (live.record.channelStatus.channelFlag === 'FAILURE') return 'FAILED';
  if (stream !== 'FRESH') return 'LATE';
  return live.record.quality === 'UNCERTAIN' ? 'UNCERTAIN' : 'GOOD';
}

/** Returns the severity of a row. */
export function toneOf({ state }: ChannelRow): Tone {
  return STATES[state].tone;
}

/** Returns the quality as text; the cause for a failed channel. */
export function qualityOf({ state, live }: ChannelRow): string {
  const words = fill(STATES[state].text);
  if (state !== 'FAILED') return words;
  const { statusCode } = live?.record ?? {};
  return translateCause(statusCode, live?.record.channelStatus.exceptionMessage ?? statusCode ?? words);
}

/** Returns the cause of a failed channel with all that the gateway says about it. */
export function causeOf({ live }: ChannelRow): string {
  const { statusCode, channelStatus, reasons } = live?.record ?? {};
  return explainCause(statusCode, channelStatus?.exceptionMessage ?? statusCode ?? '', reasons);
}

/** Returns the displayed value; an outdated one in brackets. */
export function valueOf({ channel, live, state }: ChannelRow): string {
  const value = live?.lastGood?.value;
  if (STATES[state].tone === 'none' || value === undefined) return '–';
  const shown = formatValue(value, decimalsOf(channel));
  return state === 'FAILED' ? `(${shown})` : shown;
}

/** Returns the label of a value; undefined if it has none. */
export function labelOf(
  { labels }: Pick<ChannelRecord, 'labels'>,
  value: string | number | boolean | undefined,
): string | undefined {
  if (labels === undefined || value === undefined) return undefined;
  return labels[String(value)] ?? (typeof value === 'boolean' ? labels[String(Number(value))] : undefined);
}

/** Returns the unit of a value, and its label. */
export function unitOf({ channel, live, state }: ChannelRow): string {
  const unit = formatUnit(channel.unit ?? live?.record.unit);
  const isShown = STATES[state].tone !== 'none' && state !== 'FAILED';
  const label = isShown ? labelOf(channel, live?.lastGood?.value) : undefined;
  return label === undefined ? unit : `${unit} ${label}`.trim();
}

/** Returns the value with every digit, for copying. */
export function exactOf({ live, state }: ChannelRow): string {
  return STATES[state].tone === 'none' ? '' : String(live?.lastGood?.value ?? '');
}

/** Returns the age of the value by the gateway's clock. */
export function ageOf({ live, state }: ChannelRow, gatewayNowMs: number): string {
  if (live === undefined || STATES[state].tone === 'none') return '–';
  // The stream reports changes only: a constant value is not outdated.
  if (state === 'GOOD') return fill(ASSETS.now);
  return formatAge(gatewayNowMs - (live.lastGood ?? live.record).timestamp);
}

function formatAge(ms: number): string {
  return ms < NOW_MS ? fill(ASSETS.now) : formatSpan(ms);
}

/** Returns the displayed decimals of a channel: those of its scale, at most three; undefined if it is not numeric. */
export function decimalsOf({ valueType, valueScale }: ChannelRecord): number | undefined {
  if (valueType === 'STRING' || valueType === 'BYTE_ARRAY' || valueType === 'BOOLEAN') return undefined;
  if (valueType === 'INTEGER' || valueType === 'LONG') return 0;
  if (valueScale !== 1) return Math.min(3, countDecimals(valueScale));
  return 2;
}
