import type {
  Attempt,
  PreparedValue,
  PreparedWrites,
  RefusedValue,
  WriteRequest,
  WriteStep,
} from '../../daemon/channel/write-step.ts';
import type { Encoding } from '../binary/text-encoding.ts';
import type { FrameCheck } from './frame-waits.ts';
import { createPattern } from './pattern.ts';
import { findMismatch } from './response-reader.ts';
import type { SerialAddress } from './serial-address.ts';
import type { SerialLine } from './serial-line.ts';
import { EncodeFault, encodeWrite } from './write-template.ts';

interface WriteOptions {
  readonly line: SerialLine;
  readonly encoding: Encoding;
  readonly clock: { epochMs(): number };
}

/**
 * Encodes each value; a step is one value. Performs no I/O.
 *
 * A write is complete when its confirmation arrives, even after other frames. Without it the outcome is unknown,
 * because a refusal cannot be distinguished from an unrequested frame.
 */
export function prepareWrites(
  requests: readonly WriteRequest<SerialAddress>[],
  options: WriteOptions,
): PreparedWrites {
  const refused: RefusedValue[] = [];
  const values: PreparedValue[] = [];
  const steps: WriteStep[] = [];
  for (const [index, { channel, value }] of requests.entries()) {
    const encoded = encodeWrite(channel, value, options.encoding);
    if (encoded instanceof EncodeFault) {
      refused.push({ index, failure: { code: encoded.code, message: encoded.message } });
    } else {
      const { response } = channel.address;
      const isSingle = response !== undefined && 'dataType' in response && response.dataType === 'FLOAT32';
      values.push({ index, sent: encoded.sent, isSingle });
      steps.push(createStep(index, channel.address, encoded.bytes, options));
    }
  }
  return { refused, values, steps };
}

function createStep(
  index: number,
  { acknowledge }: SerialAddress,
  bytes: Buffer,
  { line, encoding, clock }: WriteOptions,
): WriteStep {
  const send = async (attempt: Attempt): Promise<void> => {
    if (acknowledge === undefined) return line.send({ bytes, ...attempt });
    const pattern = createPattern(acknowledge);
    const check: FrameCheck = (frame) => findMismatch(pattern, frame, encoding);
    await line.exchange({ bytes, ...attempt, check });
  };
  const step: WriteStep = {
    indices: [index],
    unknownCode: 'SERIAL_WRITE_OUTCOME_UNKNOWN',
    async send(attempt) {
      await send(attempt);
      const timestampMs = clock.epochMs();
      const outcome =
        acknowledge === undefined ? ({ timestampMs, isUnconfirmed: true } as const) : { timestampMs };
      return { kind: 'ANSWERED', outcomes: [outcome] };
    },
    only: () => [step],
  };
  return step;
}
