import type { Rest } from '../../api/rest.ts';
import type { TrialReading, tryConnection, tryDevice } from '../../../interface/plant/commissioning.ts';
import type { Document } from '../change/edit-target.ts';
import { explainCause } from '../../parts/gateway-words.ts';
import { formatExactly } from '../../text/value-text.ts';
import type { TriedValue } from './channel-row.tsx';

/** Where channels are read before they are configured: a configured connection, or settings. */
export type TrialPlace =
  | { readonly driver: string }
  | { readonly type: string; readonly settings: Readonly<Record<string, unknown>> };

interface TrialOptions {
  readonly channels: readonly Document[];
  /** True: with the interpretations of the bytes of each channel. */
  readonly interpret?: boolean;
  readonly abort?: AbortSignal;
}

/** Reads channels once that need not be configured. */
export function tryChannels(
  rest: Rest,
  place: TrialPlace,
  { channels, interpret = false, abort }: TrialOptions,
): Promise<TrialReading> {
  const body = { channels: [...channels], interpret };
  if ('driver' in place) {
    const target = `/services/drivers/v1/${encodeURIComponent(place.driver)}/_try` as const;
    return rest.call<typeof tryConnection>('POST', target, { body, abort });
  }
  const { type, settings } = place;
  return rest.call<typeof tryDevice>('POST', '/services/drivers/v1/_try', {
    body: { type, settings: { ...settings }, ...body },
    abort,
  });
}

/** Returns the values of a trial by channel name. */
export function toTriedValues({ records }: TrialReading): ReadonlyMap<string, TriedValue> {
  return new Map(
    records.map(({ name, value, statusCode, channelStatus, reasons }) => {
      const isGood = channelStatus.channelFlag === 'SUCCESS';
      const words = isGood
        ? describe(value)
        : explainCause(statusCode, channelStatus.exceptionMessage ?? '', reasons);
      return [name, { words, isGood }] as const;
    }),
  );
}

function describe(value: TrialReading['records'][number]['value']): string {
  return value === undefined ? '' : formatExactly(value, undefined);
}
