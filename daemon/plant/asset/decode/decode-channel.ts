import type { ChannelFailure } from '../../../channel/channel-record.ts';
import { ConnectionError, toChannelFailure } from '../../../channel/driver-errors.ts';
import { isInspecting } from '../../../channel/driver.ts';
import type { Asset } from '../asset.ts';
import { toSlot } from '../read/channel-slot.ts';
import { rankInterpretations } from './decode-candidates.ts';
import type { DecodeCandidate } from './decode-candidates.ts';
import type { ExpectedValue } from './decode-plausibility.ts';

/** The bytes at the address of a channel and their interpretations, most likely first. */
export interface Decoding {
  readonly bytes: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly timestampMs: number;
  readonly candidates: readonly DecodeCandidate[];
}

/**
 * Reads the bytes of a channel and ranks their interpretations.
 *
 * @param expected value that the instrument displays now
 * @returns the decoding, or the reason for its absence: the channel is unknown, disabled or not readable, its driver
 *   does not expose raw bytes, or the device did not return them
 * @throws {Unavailable} `ASSET_OVERLOADED`
 */
export async function decodeChannel(
  asset: Asset,
  name: string,
  expected?: ExpectedValue,
): Promise<Decoding | { readonly failure: ChannelFailure }> {
  const slot = toSlot(asset.config.channels.find((channel) => channel.name === name) ?? { name });
  if ('failure' in slot) return { failure: slot.failure };
  const { channel } = slot;
  const driver = asset.connection.find(isInspecting);
  if (driver === undefined) {
    const message = `the driver of channel "${name}" does not expose raw bytes`;
    return { failure: { code: 'CHANNEL_NOT_INSPECTABLE', message } };
  }
  try {
    const inspection = await asset.inspect(channel, driver);
    if ('failure' in inspection) return inspection;
    const { bytes, timestampMs, interpretations } = inspection;
    const { valueScale, valueOffset } = channel;
    return {
      bytes,
      timestampMs,
      candidates: rankInterpretations(interpretations, { valueScale, valueOffset, expected }),
    };
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error;
    return { failure: toChannelFailure(error) };
  }
}
