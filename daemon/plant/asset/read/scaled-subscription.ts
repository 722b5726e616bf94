import type { Reading, SubscribeOptions } from '../../../channel/driver.ts';
import { applyScale, listScaled, NOT_READ, toScale } from './scaled-read.ts';
import type { Scale } from './scaled-read.ts';

/**
 * Adds the scale channels to a subscription. A value is reported as soon as its scale is known, and again when the scale
 * changes.
 */
export function followScales(options: SubscribeOptions): SubscribeOptions {
  const { channels, onReading } = options;
  if (!channels.some(({ scaleChannel }) => scaleChannel !== undefined)) return options;
  const { channels: all, scaleAt } = listScaled(channels);
  const scaledBy = Map.groupBy(channels.keys(), (index) => scaleAt[index]);
  const newest = new Map<number, Reading>();
  const scales = new Map<number, Scale>();
  for (const index of scaledBy.get(NOT_READ) ?? []) {
    const channel = channels[index];
    if (channel !== undefined) scales.set(index, toScale(channel, undefined));
  }
  const report = (index: number, reading: Reading): void => {
    const at = scaleAt[index];
    if (at === undefined) return onReading(index, reading);
    newest.set(index, reading);
    const scale = scales.get(index);
    // A value that fails has no use for its scale.
    if (scale === undefined) return reading.failure === undefined ? undefined : onReading(index, reading);
    onReading(index, applyScale(reading, scale));
  };
  return {
    ...options,
    channels: all,
    onReading(index, reading) {
      for (const dependent of scaledBy.get(index) ?? []) {
        const channel = channels[dependent];
        if (channel === undefined) continue;
        scales.set(dependent, toScale(channel, reading));
        const last = newest.get(dependent);
        if (last !== undefined && last.failure === undefined)
          report(dependent, { ...last, isQueued: undefined });
      }
      if (index < channels.length) report(index, reading);
    },
  };
}
