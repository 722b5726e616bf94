import type {
  Attempt,
  PreparedValue,
  PreparedWrites,
  RefusedValue,
  WriteRequest,
  WriteStep,
} from '../../daemon/channel/write-step.ts';
import type { FrameCheck } from './frame-waits.ts';
import { createPattern } from './pattern.ts';
import { createRefusalCheck, findMismatch } from './response-reader.ts';
import type { SerialAddress } from './serial-address.ts';
import { InstrumentRefusal } from './serial-errors.ts';
import type { SerialLine } from './serial-line.ts';
import { EncodeFault, encodeWrite } from './write-template.ts';
import type { WriteCoding } from './write-template.ts';

interface WriteOptions extends WriteCoding {
  readonly line: SerialLine;
  /** Pattern of answers that refuse a write, of channels without one. */
  readonly refuse?: string | undefined;
  readonly clock: { epochMs(): number };
}

/**
 * Encodes each value; a step is one value. Performs no I/O.
 *
 * A write is complete when its confirmation arrives, even after other frames. Without it the outcome is unknown,
 * because an unrequested frame may come first; only a frame that matches `refuse` is a refusal.
 */
export function prepareWrites(
  requests: readonly WriteRequest<SerialAddress>[],
  options: WriteOptions,
): PreparedWrites {
  const refused: RefusedValue[] = [];
  const values: PreparedValue[] = [];
  const steps: WriteStep[] = [];
  for (const [index, { channel, value }] of requests.entries()) {
    const encoded = encodeWrite(channel, value, options);
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

/** Refuses every write, on a line whose framing has none. */
export function refuseWrites(requests: readonly WriteRequest<SerialAddress>[]): PreparedWrites {
  const failure = {
    code: 'SERIAL_ADDRESS_MISMATCH',
    message: 'meters with the framing IEC62056_21 are not written',
  } as const;
  return { refused: requests.map((_, index) => ({ index, failure })), values: [], steps: [] };
}

function createStep(
  index: number,
  address: SerialAddress,
  bytes: Buffer,
  { line, encoding, clock, ...options }: WriteOptions,
): WriteStep {
  const { acknowledge, refuse = options.refuse } = address;
  const isRefusal = createRefusalCheck(refuse, encoding);
  const send = async (attempt: Attempt): Promise<void> => {
    if (acknowledge === undefined) return line.send({ bytes, ...attempt });
    const pattern = createPattern(acknowledge);
    const check: FrameCheck = (frame) => findMismatch(pattern, frame, encoding);
    await line.exchange({ bytes, ...attempt, check, isRefusal });
  };
  const step: WriteStep = {
    indices: [index],
    unknownCode: 'SERIAL_WRITE_OUTCOME_UNKNOWN',
    async send(attempt) {
      try {
        await send(attempt);
      } catch (error) {
        if (!(error instanceof InstrumentRefusal)) throw error;
        const failure = { code: 'SERIAL_REFUSED', message: error.detail } as const;
        return { kind: 'NOTHING_DONE', failure, outcome: 'REFUSED' };
      }
      const timestampMs = clock.epochMs();
      const outcome =
        acknowledge === undefined ? ({ timestampMs, isUnconfirmed: true } as const) : { timestampMs };
      return { kind: 'ANSWERED', outcomes: [outcome] };
    },
    only: () => [step],
  };
  return step;
}
