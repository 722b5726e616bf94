import { toFailure } from '../../daemon/channel/call-failure.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { ChannelFailure } from '../../daemon/channel/channel-record.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { PreparedRead, Reading } from '../../daemon/channel/driver.ts';
import { TextFault } from '../binary/text-encoding.ts';
import { parseRequest } from './byte-text.ts';
import { sealRequest } from './checksum.ts';
import type { Checksum } from './checksum.ts';
import type { Encoding } from '../binary/text-encoding.ts';
import type { Frame, FrameCheck } from './frame-waits.ts';
import { createResponseReader, createRefusalCheck } from './response-reader.ts';
import type { ResponseReader } from './response-reader.ts';
import type { SerialAddress } from './serial-address.ts';
import { ChecksumMismatch, NoResponse } from './serial-errors.ts';
import type { SerialLine } from './serial-line.ts';

export interface ReadOptions {
  readonly line: SerialLine;
  readonly encoding: Encoding;
  /** Absent if frames have none. */
  readonly checksum?: Checksum | undefined;
  /** Repetitions of a request after a damaged answer. */
  readonly retries: number;
  /** Pattern of answers that refuse a request, of channels without one. */
  readonly refuse?: string | undefined;
  readonly clock: { epochMs(): number };
}

interface Target {
  /** Index of the channel in the read. */
  readonly index: number;
  readonly read: ResponseReader;
}

/** Channels read from one frame. */
interface Step {
  /** Absent for unrequested frames. */
  readonly request?: Buffer | undefined;
  readonly isRefusal?: ((frame: Buffer) => boolean) | undefined;
  readonly targets: readonly Target[];
}

/** Channels with the same request. */
interface RequestTargets {
  readonly request: string;
  readonly refuse: string | undefined;
  readonly targets: readonly Target[];
}

const NOTHING = Buffer.alloc(0);

/** State of one call. */
interface Call {
  readonly signal: AbortSignal;
  readonly readings: Reading[];
  hasAnswer: boolean;
  /** Failure of a request that timed out. */
  silence: ChannelFailure | undefined;
  linkError: ConnectionError | undefined;
}

/**
 * A planned read of an instrument: channels with the same request share one exchange, and each channel without a
 * request waits for the next frame with its value. Both run concurrently.
 */
export class SerialRead implements PreparedRead {
  readonly #options: ReadOptions;
  /** In polling order; a request that timed out moves to the end, so that it does not delay the others. */
  #steps: readonly Step[] = [];
  readonly #listening: Step[] = [];
  readonly #unusable: { readonly index: number; readonly failure: ChannelFailure }[] = [];
  readonly #channelCount: number;

  constructor(channels: readonly Channel<SerialAddress>[], options: ReadOptions) {
    this.#options = options;
    this.#channelCount = channels.length;
    const byRequest = new Map<string, RequestTargets>();
    for (const [index, channel] of channels.entries()) {
      const { request, response, refuse = options.refuse } = channel.address;
      if (response === undefined) {
        const failure = findMissingResponse(channel.address);
        this.#unusable.push({ index, failure });
        continue;
      }
      const target = { index, read: createResponseReader(channel, response, options.encoding) };
      if (request === undefined) this.#listening.push({ targets: [target] });
      else {
        const key = JSON.stringify([request, refuse]);
        const targets = byRequest.get(key)?.targets ?? [];
        byRequest.set(key, { request, refuse, targets: [...targets, target] });
      }
    }
    for (const sharing of byRequest.values()) this.#planRequest(sharing);
  }

  async read(signal: AbortSignal): Promise<readonly Reading[]> {
    const readings = Array.from<Reading>({ length: this.#channelCount });
    const call: Call = { signal, readings, hasAnswer: false, silence: undefined, linkError: undefined };
    const timestampMs = this.#options.clock.epochMs();
    for (const { index, failure } of this.#unusable) readings[index] = { failure, timestampMs };
    const listening = this.#listening.map((step) => this.#readStep(call, step));
    await Promise.all([this.#requestAll(call), ...listening]);
    if (call.linkError !== undefined && !call.hasAnswer) throw call.linkError;
    return readings;
  }

  // A dead instrument costs a call one timeout, not one per request.
  async #requestAll(call: Call): Promise<void> {
    for (const step of this.#steps) {
      if (call.silence === undefined || call.hasAnswer) await this.#readStep(call, step);
      else this.#fail(call, step, call.silence);
    }
  }

  #planRequest({ request, refuse, targets }: RequestTargets): void {
    const { encoding, checksum } = this.#options;
    try {
      const step = {
        request: sealRequest(parseRequest(request, encoding), checksum),
        isRefusal: createRefusalCheck(refuse, encoding),
        targets,
      };
      this.#steps = [...this.#steps, step];
    } catch (error) {
      if (!(error instanceof TextFault)) throw error;
      const failure = { code: 'SERIAL_NOT_ENCODABLE', message: `request: ${error.message}` } as const;
      for (const { index } of targets) this.#unusable.push({ index, failure });
    }
  }

  async #readStep(call: Call, step: Step): Promise<void> {
    const { line } = this.#options;
    const { signal, readings } = call;
    const { request, targets } = step;
    const check: FrameCheck = (bytes) => findFault(targets, bytes);
    try {
      const frame =
        request === undefined ? await line.listen(check, signal) : await this.#ask(call, step, check);
      call.hasAnswer = true;
      for (const { index, read } of targets) readings[index] = toReading(read, frame);
    } catch (error) {
      if (error instanceof ConnectionError && !signal.aborted) call.linkError = error;
      const failure = toFailure(error, signal);
      this.#fail(call, step, failure);
      if (request === undefined || !(error instanceof NoResponse)) return;
      call.silence = failure;
      this.#steps = [...this.#steps.filter((other) => other !== step), step];
    }
  }

  // The answer to a damaged one may still come: the line repeats the request after a silence.
  async #ask({ signal }: Call, { request = NOTHING, isRefusal }: Step, check: FrameCheck): Promise<Frame> {
    const { line, checksum, retries } = this.#options;
    const endsOnDamage = checksum !== undefined;
    for (let left = retries; ; left -= 1) {
      try {
        return await line.exchange({ bytes: request, check, isRefusal, endsOnDamage, signal });
      } catch (error) {
        if (!(error instanceof ChecksumMismatch) || left === 0) throw error;
      }
    }
  }

  #fail({ readings }: Call, { targets }: Step, failure: ChannelFailure): void {
    const timestampMs = this.#options.clock.epochMs();
    for (const { index } of targets) readings[index] = { failure, timestampMs };
  }
}

function findMissingResponse({ obis }: SerialAddress): ChannelFailure {
  if (obis === undefined) {
    return { code: 'SERIAL_NO_RESPONSE_CONFIGURED', message: 'the address has no response' };
  }
  const message = 'the address has an OBIS code; expected the driver setting framing with type IEC62056_21';
  return { code: 'SERIAL_ADDRESS_MISMATCH', message };
}

// A frame is the response as soon as one channel finds its value in it.
function findFault(targets: readonly Target[], bytes: Buffer): string | undefined {
  let first: string | undefined;
  for (const { read } of targets) {
    const { fault } = read(bytes);
    if (fault === undefined) return undefined;
    first ??= fault;
  }
  return first;
}

function toReading(read: ResponseReader, { bytes, timestampMs }: Frame): Reading {
  const { value, fault } = read(bytes);
  if (fault === undefined) return { value, timestampMs };
  return { failure: { code: 'SERIAL_INVALID_RESPONSE', message: fault }, timestampMs };
}
