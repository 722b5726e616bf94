import type { Decoding } from '../asset/decode-channel.ts';
import type { DecodeCandidate } from '../asset/decode-candidates.ts';
import type { ChannelFailure } from '../channel/channel-record.ts';
import { formatByShape } from '../channel/value-syntax.ts';

/** Writes the answer of `_decode`: a record with bytes and candidates, or with the failure, as JSON text. */
export function renderDecoding(
  name: string,
  outcome: Decoding | { readonly failure: ChannelFailure },
  nowMs: number,
): string {
  if ('failure' in outcome) {
    const channelStatus = { channelFlag: 'FAILURE', exceptionMessage: outcome.failure.message };
    return JSON.stringify({ channelStatus, name, timestamp: nowMs });
  }
  const { bytes, timestampMs, candidates } = outcome;
  const head = JSON.stringify({
    channelStatus: { channelFlag: 'SUCCESS' },
    name,
    timestamp: timestampMs,
    bytes: Buffer.from(bytes).toString('hex'),
  });
  return `${head.slice(0, -1)},"candidates":[${candidates.map(renderCandidate).join(',')}]}`;
}

function renderCandidate({ value, ...others }: DecodeCandidate): string {
  // JSON.stringify knows no bigint, and would take digits off a long number.
  return `{"value":${formatByShape(value)},${JSON.stringify(others).slice(1)}`;
}
