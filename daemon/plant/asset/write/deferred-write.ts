import type { Channel } from '../../../channel/channel.ts';
import type { ChannelFailure } from '../../../channel/channel-record.ts';
import type { Reading } from '../../../channel/driver.ts';
import type { SentWrites } from '../../../channel/write-run.ts';
import type { WriteStep } from '../../../channel/write-step.ts';
import { toScale } from '../read/scaled-read.ts';
import type { PrepareWrite, WriteConditions } from './connection-writer.ts';
import { prepareWrite, scaleWrite, toRequest } from './prepared-write.ts';
import type { AskedWrite, PreparedWrite } from './prepared-write.ts';
import type { WritePreconditions } from './write-preconditions.ts';

const NOT_ENCODED: ChannelFailure = { code: 'DRIVER_FAULT', message: 'the driver returned no value to send' };

/** One write whose raw value depends on a scale that is read right before it is sent. */
export class DeferredWrite {
  /** The scale channel, then those of the preconditions. */
  readonly channels: readonly Channel[];
  readonly #write: AskedWrite;
  readonly #preconditions: WritePreconditions;
  #prepared: PreparedWrite | undefined;

  constructor(write: AskedWrite, preconditions: WritePreconditions) {
    this.#write = write;
    this.#preconditions = preconditions;
    this.channels = [...this.#listScale(), ...preconditions.channels];
  }

  /** The prepared value; undefined before `encode`, and if it cannot be sent. */
  get prepared(): PreparedWrite | undefined {
    return this.#prepared;
  }

  /** Returns the write without its steps, which `encode` prepares. */
  toSent(): SentWrites {
    return { steps: [], findCancellation: () => this.#write.findCancellation?.() };
  }

  /** Returns what happens under the lock. */
  toConditions(): WriteConditions {
    return {
      channel: this.#write.channel,
      channels: this.channels,
      encode: (readings, encode) => this.encode(readings, encode),
      evaluate: (readings) =>
        this.#evaluate(readings, (own, write) => this.#preconditions.evaluateAndRecord(own, write)),
    };
  }

  /** Prepares the value with the scale that was read. */
  async encode(
    readings: readonly Reading[],
    encode: PrepareWrite,
  ): Promise<readonly WriteStep[] | ChannelFailure> {
    const [first] = this.#listScale();
    const scale = toScale(this.#write.channel, first === undefined ? undefined : readings[0]);
    if (scale.failure !== undefined) return scale.failure;
    const scaled = scaleWrite(this.#write, scale.factor);
    if ('code' in scaled) return scaled;
    const { refused, values, steps } = await encode([toRequest(scaled)]);
    const [refusal] = refused;
    if (refusal !== undefined) return refusal.failure;
    const [value] = values;
    const prepared = value === undefined ? NOT_ENCODED : prepareWrite(scaled, value);
    if ('code' in prepared) return prepared;
    this.#prepared = prepared;
    return prepared.notSent ?? steps;
  }

  /** Evaluates the preconditions without recording the write. */
  evaluate(readings: readonly Reading[]): ChannelFailure | undefined {
    return this.#evaluate(readings, (own, write) => this.#preconditions.evaluate(own, write));
  }

  #evaluate(
    readings: readonly Reading[],
    evaluate: (own: readonly Reading[], write: PreparedWrite) => ChannelFailure | undefined,
  ): ChannelFailure | undefined {
    if (this.#prepared === undefined) return NOT_ENCODED;
    return evaluate(readings.slice(this.#listScale().length), this.#prepared);
  }

  // A disabled scale channel is not read; its write fails.
  #listScale(): readonly Channel[] {
    const { scaleChannel } = this.#write.channel;
    return scaleChannel?.isEnabled === true ? [scaleChannel] : [];
  }
}
