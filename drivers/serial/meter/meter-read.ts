import { toFailure } from '../../../daemon/channel/call-failure.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { ChannelFailure } from '../../../daemon/channel/channel-record.ts';
import type { PreparedRead, Reading } from '../../../daemon/channel/driver.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { SerialAddress } from '../serial-address.ts';
import type { MeterFraming } from './meter-framing.ts';
import { MeterReader } from './meter-readout.ts';
import type { MeterReaderOptions, Readout } from './meter-readout.ts';
import { findMeterValue } from './meter-value.ts';

interface Target {
  /** Index of the channel in the read. */
  readonly index: number;
  readonly channel: Channel<SerialAddress>;
}

/** A planned read of meters: all channels of a meter share one readout. */
export class MeterRead implements PreparedRead {
  readonly #options: MeterReaderOptions;
  readonly #channelCount: number;
  readonly #meters = new Map<string | undefined, Target[]>();
  readonly #unusable: { readonly index: number; readonly failure: ChannelFailure }[] = [];

  constructor(channels: readonly Channel<SerialAddress>[], options: MeterReaderOptions) {
    this.#options = options;
    this.#channelCount = channels.length;
    for (const [index, channel] of channels.entries()) {
      const message = findMismatch(channel.address, options.framing);
      if (message !== undefined) {
        this.#unusable.push({ index, failure: { code: 'SERIAL_ADDRESS_MISMATCH', message } });
        continue;
      }
      const { meter } = channel.address;
      this.#meters.set(meter, [...(this.#meters.get(meter) ?? []), { index, channel }]);
    }
  }

  async read(signal: AbortSignal): Promise<readonly Reading[]> {
    const { clock } = this.#options;
    const reader = new MeterReader(this.#options);
    const readings = Array.from<Reading>({ length: this.#channelCount });
    const startedMs = clock.epochMs();
    for (const { index, failure } of this.#unusable) readings[index] = { failure, timestampMs: startedMs };
    let linkError: ConnectionError | undefined;
    let hasAnswer = false;
    // Meters are devices of their own: a silent one costs the others its time, not their values.
    for (const [meter, targets] of this.#meters) {
      try {
        const readout = await reader.readOut(meter, signal);
        hasAnswer = true;
        for (const { index, channel } of targets) readings[index] = toReading(channel, readout);
      } catch (error) {
        if (error instanceof ConnectionError && !signal.aborted) linkError = error;
        const failure = toFailure(error, signal);
        const timestampMs = clock.epochMs();
        for (const { index } of targets) readings[index] = { failure, timestampMs };
      }
    }
    if (linkError !== undefined && !hasAnswer) throw linkError;
    return readings;
  }
}

function findMismatch({ obis, meter }: SerialAddress, { mode }: MeterFraming): string | undefined {
  if (obis === undefined) return 'the address has no obis; the framing IEC62056_21 needs one';
  if (mode === 'D' && meter !== undefined) {
    return 'the address names a meter; in mode D meters send without a request';
  }
  return undefined;
}

function toReading({ address, valueType }: Channel<SerialAddress>, { sets, timestampMs }: Readout): Reading {
  const { value, failure } = findMeterValue(sets, { ...address, obis: address.obis ?? '' }, valueType);
  return failure === undefined ? { value, timestampMs } : { failure, timestampMs };
}
