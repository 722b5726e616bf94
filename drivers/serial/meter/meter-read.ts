import { delay } from '../../../daemon/base/clock.ts';
import type { Clock } from '../../../daemon/base/clock.ts';
import { toFailure } from '../../../daemon/channel/call-failure.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { ChannelFailure } from '../../../daemon/channel/channel-record.ts';
import type { PreparedRead, Reading } from '../../../daemon/channel/driver.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import { quoteBytes } from '../byte-text.ts';
import type { Frame } from '../frame-waits.ts';
import type { SerialAddress } from '../serial-address.ts';
import { ChecksumMismatch } from '../serial-errors.ts';
import type { Conversation } from '../line-calls.ts';
import type { SerialLine } from '../serial-line.ts';
import { createSignOn, parseIdentification, planReadout } from './identification.ts';
import { isDataMessage } from './meter-frames.ts';
import type { MeterFraming } from './meter-framing.ts';
import { findMeterValue } from './meter-value.ts';
import { parseReadout } from './readout.ts';
import type { DataSet } from './readout.ts';

interface MeterReadOptions {
  readonly line: SerialLine;
  readonly framing: MeterFraming;
  readonly responseTimeoutMs: number;
  readonly clock: Clock;
}

interface Target {
  /** Index of the channel in the read. */
  readonly index: number;
  readonly channel: Channel<SerialAddress>;
}

interface Readout {
  readonly sets: readonly DataSet[];
  readonly timestampMs: number;
}

// IEC 62056-21, 6.4.3.1: a meter answers within this time, and pauses no longer between two characters.
const LONGEST_SILENCE_MS = 1500;
// Start bit, seven data bits, parity and stop bit; with 8N1 it is as many.
const BITS_OF_A_CHARACTER = 10;

const HIGHEST_SPEED = 19_200;

// IEC 62056-21, annex B: NUL characters for 2.1 to 2.3 s, then a pause of 1.5 to 1.7 s.
const WAKE_UP_MS = 2200;
const PAUSE_AFTER_WAKE_UP_MS = 1600;

/** A planned read of meters: all channels of a meter share one readout. */
export class MeterRead implements PreparedRead {
  readonly #options: MeterReadOptions;
  readonly #channelCount: number;
  readonly #meters = new Map<string | undefined, Target[]>();
  readonly #unusable: { readonly index: number; readonly failure: ChannelFailure }[] = [];

  constructor(channels: readonly Channel<SerialAddress>[], options: MeterReadOptions) {
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
    const readings = Array.from<Reading>({ length: this.#channelCount });
    const startedMs = clock.epochMs();
    for (const { index, failure } of this.#unusable) readings[index] = { failure, timestampMs: startedMs };
    let linkError: ConnectionError | undefined;
    let hasAnswer = false;
    // Meters are devices of their own: a silent one costs the others its time, not their values.
    for (const [meter, targets] of this.#meters) {
      try {
        const readout = await this.#readMeter(meter, signal);
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

  async #readMeter(meter: string | undefined, signal: AbortSignal): Promise<Readout> {
    const { line, framing } = this.#options;
    if (framing.mode === 'D') {
      return parseFrame(await line.listen((frame) => findTelegramFault(frame), signal));
    }
    for (let left = framing.retries; ; left -= 1) {
      try {
        return await line.converse(signal, (conversation) => this.#readOut(conversation, meter, signal));
      } catch (error) {
        if (!(error instanceof ChecksumMismatch) || left === 0) throw error;
      }
    }
  }

  async #readOut(
    conversation: Conversation,
    meter: string | undefined,
    signal: AbortSignal,
  ): Promise<Readout> {
    const { framing, clock } = this.#options;
    const { initialBaudRate, maximumBaudRate = HIGHEST_SPEED, requestCharacter, wakeUp = false } = framing;
    const bytes = createSignOn(meter, requestCharacter);
    if (wakeUp) await this.#wakeUp(conversation, signal);
    const who = meter === undefined ? '' : ` (meter ${meter})`;
    const { bytes: line } = await conversation.ask({
      bytes,
      check: (frame) => findIdentificationFault(frame, initialBaudRate),
      silence: {
        ms: this.#silenceMs(bytes),
        lack: `did not identify itself at ${initialBaudRate} bit/s${who}`,
      },
      signal,
    });
    const identification = parseIdentification(toText(line).trimEnd(), initialBaudRate);
    if (identification === undefined) throw new TypeError('an identification that was checked');
    const { acknowledgement, baudRate } = planReadout(identification, maximumBaudRate);
    if (acknowledgement !== undefined) {
      await delay(clock, identification.reactionMs, signal);
      conversation.reply(acknowledgement);
    }
    const lack = `identified itself as "${identification.name}", but sent no complete readout at ${baudRate} bit/s${who}`;
    const data = conversation.await({
      check: (frame) => (isDataMessage(frame) ? undefined : `${quoteBytes(frame)} is no readout`),
      endsOnDamage: true,
      silence: { ms: this.#silenceMs(acknowledgement), lack },
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

function findMismatch({ obis, meter }: SerialAddress, { mode }: MeterFraming): string | undefined {
  if (obis === undefined) return 'the address has no obis; the framing IEC62056_21 needs one';
  if (mode === 'D' && meter !== undefined) {
    return 'the address names a meter; in mode D meters send without a request';
  }
  return undefined;
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
  return { sets: parseReadout(toText(bytes.subarray(isDataMessage(bytes) ? 1 : 0))), timestampMs };
}

function toText(bytes: Buffer): string {
  return bytes.toString('latin1');
}

function toReading({ address, valueType }: Channel<SerialAddress>, { sets, timestampMs }: Readout): Reading {
  const { value, failure } = findMeterValue(sets, { ...address, obis: address.obis ?? '' }, valueType);
  return failure === undefined ? { value, timestampMs } : { failure, timestampMs };
}
