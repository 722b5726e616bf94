import { createReason } from '../../../daemon/base/fault-reason.ts';
import { SERIAL_FAILURES } from '../sentences/failure-sentences.ts';
import type { ExplainSilence } from '../frame-waits.ts';
import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { quoteBytes } from '../byte-text.ts';
import type { Frame } from '../frame-waits.ts';
import type { Conversation } from '../line-calls.ts';
import { ChecksumMismatch } from '../serial-errors.ts';
import type { SerialLine } from '../serial-line.ts';
import { createSignOn, parseIdentification, planReadout } from './identification.ts';
import type { Identification } from './identification.ts';
import { isDataMessage } from './meter-frames.ts';
import type { MeterFraming } from './meter-framing.ts';
import { parseReadout } from './readout.ts';
import type { DataSet } from './readout.ts';

export interface MeterReaderOptions {
  readonly line: SerialLine;
  readonly framing: MeterFraming;
  readonly responseTimeoutMs: number;
  readonly clock: Clock;
  /** Called when a meter has identified itself, before its data. */
  readonly onIdentified?: ((identification: Identification) => void) | undefined;
}

/** Data of a meter. */
export interface Readout {
  readonly sets: readonly DataSet[];
  readonly timestampMs: number;
  /** Length of its longest frame. */
  readonly byteCount: number;
}

// IEC 62056-21, 6.4.3.1: a meter answers within this time, and pauses no longer between two characters.
const LONGEST_SILENCE_MS = 1500;
// Start bit, seven data bits, parity and stop bit; with 8N1 it is as many.
const BITS_OF_A_CHARACTER = 10;

const HIGHEST_SPEED = 19_200;

// IEC 62056-21, annex B: NUL characters for 2.1 to 2.3 s, then a pause of 1.5 to 1.7 s.
const WAKE_UP_MS = 2200;
const PAUSE_AFTER_WAKE_UP_MS = 1600;

/** Reads out the meters of a line. */
export class MeterReader {
  readonly #options: MeterReaderOptions;

  constructor(options: MeterReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads out one meter; a damaged readout is repeated.
   *
   * @param meter device address; undefined: the only meter of the line
   * @throws {NoResponse | InvalidResponse | ChecksumMismatch} if there is no readout
   * @throws {ConnectionError} if the line is down or lost
   * @throws the reason of the signal
   */
  async readOut(meter: string | undefined, signal: AbortSignal): Promise<Readout> {
    const { line, framing } = this.#options;
    if (framing.mode === 'D') return this.#listen(signal);
    for (let left = framing.retries; ; left -= 1) {
      try {
        return await line.converse(signal, (conversation) => this.#converse(conversation, meter, signal));
      } catch (error) {
        if (!(error instanceof ChecksumMismatch) || left === 0) throw error;
      }
    }
  }

  async #listen(signal: AbortSignal): Promise<Readout> {
    const { line, framing, onIdentified } = this.#options;
    const frame = await line.listen((bytes) => findTelegramFault(bytes), signal);
    const [first = ''] = toText(frame.bytes).split(/\r?\n/, 1);
    const identification = parseIdentification(first, framing.initialBaudRate);
    if (identification !== undefined) onIdentified?.(identification);
    return parseFrame(frame);
  }

  async #converse(
    conversation: Conversation,
    meter: string | undefined,
    signal: AbortSignal,
  ): Promise<Readout> {
    const { framing, clock, onIdentified } = this.#options;
    const { initialBaudRate, maximumBaudRate = HIGHEST_SPEED, requestCharacter, wakeUp = false } = framing;
    const bytes = createSignOn(meter, requestCharacter);
    if (wakeUp) await this.#wakeUp(conversation, signal);
    const { bytes: line } = await conversation.ask({
      bytes,
      check: (frame) => findIdentificationFault(frame, initialBaudRate),
      silence: {
        ms: this.#silenceMs(bytes),
        explain: (values) =>
          meter === undefined
            ? createReason(SERIAL_FAILURES, 'METER_NOT_IDENTIFIED', { ...values, baudRate: initialBaudRate })
            : createReason(SERIAL_FAILURES, 'METER_AT_NOT_IDENTIFIED', {
                ...values,
                baudRate: initialBaudRate,
                meter,
              }),
      },
      signal,
    });
    const identification = parseIdentification(toText(line).trimEnd(), initialBaudRate);
    if (identification === undefined) throw new TypeError('an identification that was checked');
    onIdentified?.(identification);
    const { acknowledgement, baudRate } = planReadout(identification, maximumBaudRate);
    if (acknowledgement !== undefined) {
      await delay(clock, identification.reactionMs, signal);
      conversation.reply(acknowledgement);
    }
    const { name } = identification;
    const explain: ExplainSilence = (values) =>
      meter === undefined
        ? createReason(SERIAL_FAILURES, 'METER_WITHOUT_READOUT', { ...values, name, baudRate })
        : createReason(SERIAL_FAILURES, 'METER_AT_WITHOUT_READOUT', { ...values, name, baudRate, meter });
    const data = conversation.await({
      check: (frame) => (isDataMessage(frame) ? undefined : `${quoteBytes(frame)} is no readout`),
      endsOnDamage: true,
      silence: { ms: this.#silenceMs(acknowledgement), explain },
      signal,
    });
    const [frame] = await Promise.all([
      data,
      this.#changeSpeed(conversation, { acknowledgement, baudRate }, signal),
    ]);
    return parseFrame(frame);
  }

  async #wakeUp(conversation: Conversation, signal: AbortSignal): Promise<void> {
    const { framing, clock } = this.#options;
    const count = Math.round((WAKE_UP_MS * framing.initialBaudRate) / (BITS_OF_A_CHARACTER * 1000));
    await conversation.send({ bytes: Buffer.alloc(count), signal });
    await delay(clock, WAKE_UP_MS + PAUSE_AFTER_WAKE_UP_MS, signal);
  }

  async #changeSpeed(
    conversation: Conversation,
    { acknowledgement, baudRate }: ReturnType<typeof planReadout>,
    signal: AbortSignal,
  ): Promise<void> {
    const { framing, clock } = this.#options;
    if (baudRate === framing.initialBaudRate) return;
    // Adapters report bytes as sent that are still in their buffer.
    if (acknowledgement !== undefined) await delay(clock, this.#sendingMs(acknowledgement), signal);
    await conversation.changeSpeed(baudRate);
  }

  #silenceMs(sent: Buffer | undefined): number {
    const { responseTimeoutMs } = this.#options;
    return Math.max(LONGEST_SILENCE_MS, responseTimeoutMs) + (sent === undefined ? 0 : this.#sendingMs(sent));
  }

  #sendingMs({ length }: Buffer): number {
    return Math.ceil((length * BITS_OF_A_CHARACTER * 1000) / this.#options.framing.initialBaudRate);
  }
}

function findIdentificationFault(frame: Buffer, initialBaudRate: number): string | undefined {
  return parseIdentification(toText(frame).trimEnd(), initialBaudRate) === undefined
    ? `${quoteBytes(frame)} is no identification of a meter; check speed and character format`
    : undefined;
}

function findTelegramFault(frame: Buffer): string | undefined {
  return parseReadout(toText(frame)).length === 0 ? `${quoteBytes(frame)} is no readout` : undefined;
}

function parseFrame({ bytes, timestampMs }: Frame): Readout {
  const sets = parseReadout(toText(bytes.subarray(isDataMessage(bytes) ? 1 : 0)));
  return { sets, timestampMs, byteCount: bytes.length };
}

function toText(bytes: Buffer): string {
  return bytes.toString('latin1');
}
