import { createUnknownOutcome, toFailure } from '../../daemon/channel/call-failure.ts';
import { throwIfWithdrawn } from '../../daemon/channel/withdrawn-write.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import type { PreparedWrites, WriteStep } from '../../daemon/channel/checking-driver.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { WriteOutcome, WriteRequest } from '../../daemon/channel/driver.ts';
import type { FailedWriteOutcome } from '../../daemon/channel/write-outcome.ts';
import type { Encoding } from '../binary/text-encoding.ts';
import type { FrameCheck } from './frame-waits.ts';
import { createPattern } from './pattern.ts';
import { findMismatch } from './response-reader.ts';
import type { SerialAddress } from './serial-address.ts';
import type { SendOptions, SerialLine } from './serial-line.ts';
import { EncodeFault, encodeWrite } from './write-template.ts';

export interface WriteOptions {
  readonly line: SerialLine;
  readonly encoding: Encoding;
  readonly clock: { epochMs(): number };
  readonly signal: AbortSignal;
}

/**
 * Writes values in the order given; no value is sent again once it may have reached the instrument.
 *
 * A write is done when its confirmation comes, also after other frames. Without the confirmation its outcome is not
 * known, also when other frames came: nothing tells the refusal of the write from an unsolicited frame. The rest
 * is not sent then: it may depend on it, and would come in another order than asked for.
 *
 * @returns one outcome per request, in the same order
 * @throws {ConnectionError} when the line was down before anything was sent
 */
export async function writeChannels(
  requests: readonly WriteRequest<SerialAddress>[],
  options: WriteOptions,
): Promise<readonly WriteOutcome[]> {
  const run = new WriteRun(options);
  const outcomes: WriteOutcome[] = [];
  for (const request of requests) {
    const result = await run.write(request);
    outcomes.push({ ...result, timestampMs: options.clock.epochMs() });
  }
  return outcomes;
}

/** Tells what is sent of each value; does no I/O. */
export function prepareWrites(
  requests: readonly WriteRequest<SerialAddress>[],
  encoding: Encoding,
): PreparedWrites {
  const refused: { readonly index: number; readonly failure: ChannelFailure }[] = [];
  const steps: WriteStep[] = [];
  for (const [index, { channel, value }] of requests.entries()) {
    const encoded = encodeWrite(channel, value, encoding);
    if (encoded instanceof EncodeFault) {
      refused.push({ index, failure: { code: encoded.code, message: encoded.message } });
    } else {
      const { response } = channel.address;
      const isSingle = response !== undefined && 'dataType' in response && response.dataType === 'FLOAT32';
      steps.push({ index, sent: encoded.sent, isSingle });
    }
  }
  return { refused, steps };
}

/** The outcome of a write without its time. */
type WriteResult =
  | { readonly failure: ChannelFailure; readonly outcome: FailedWriteOutcome }
  | { readonly failure?: undefined; readonly isUnconfirmed?: true };

class WriteRun {
  readonly #options: WriteOptions;
  #hasSent = false;
  #isUnsure = false;

  constructor(options: WriteOptions) {
    this.#options = options;
  }

  async write({ channel, value, findWithdrawal }: WriteRequest<SerialAddress>): Promise<WriteResult> {
    const { encoding, signal } = this.#options;
    const encoded = encodeWrite(channel, value, encoding);
    if (encoded instanceof EncodeFault) return toNotSent({ code: encoded.code, message: encoded.message });
    const { bytes } = encoded;
    if (this.#isUnsure) {
      const message = 'the instrument did not confirm the write before; not sent';
      return toNotSent({ code: 'SERIAL_WRITE_NOT_SENT', message });
    }
    let isSent = false;
    const onSend = (): void => {
      isSent = true;
      this.#hasSent = true;
    };
    try {
      const checkTurn = (): void => throwIfWithdrawn([{ findWithdrawal }]);
      await this.#send(channel.address, { bytes, checkTurn, onSend });
      return channel.address.acknowledge === undefined ? { isUnconfirmed: true } : {};
    } catch (error) {
      if (!isSent && !this.#hasSent && error instanceof ConnectionError && !signal.aborted) throw error;
      if (!isSent) return toNotSent(toFailure(error, signal));
      this.#isUnsure = true;
      return { failure: toUnknownOutcome(error, signal), outcome: 'UNKNOWN' };
    }
  }

  async #send({ acknowledge }: SerialAddress, sending: Omit<SendOptions, 'signal'>): Promise<void> {
    const { line, encoding, signal } = this.#options;
    if (acknowledge === undefined) return line.send({ ...sending, signal });
    const pattern = createPattern(acknowledge);
    const check: FrameCheck = (frame) => findMismatch(pattern, frame, encoding);
    await line.exchange({ ...sending, check, signal });
  }
}

function toNotSent(failure: ChannelFailure): WriteResult {
  return { failure, outcome: 'NOT_SENT' };
}

function toUnknownOutcome(error: unknown, signal: AbortSignal): ChannelFailure {
  return createUnknownOutcome('SERIAL_WRITE_OUTCOME_UNKNOWN', toFailure(error, signal).message);
}
