import { writeUnlessWithdrawn } from '../asset/write-unless-withdrawn.ts';
import type { Clock } from '../base/clock.ts';
import { hidePaths } from '../base/hide-paths.ts';
import { check, formatPath } from '../base/schema.ts';
import { BundleError } from '../bundle/bundle-error.ts';
import type { BundleSession } from '../bundle/bundle-host.ts';
import type { BundleResult, WireChannel } from '../bundle/messages.ts';
import { fromWireValue, toWireValue } from '../bundle/wire-value.ts';
import type { Channel } from '../channel/channel.ts';
import type { ChannelFailure } from '../channel/channel-record.ts';
import { ConnectionError } from '../channel/driver-errors.ts';
import type { Driver, PreparedRead, Reading, WriteOutcome, WriteRequest } from '../channel/driver.ts';
import type { FailedWriteOutcome } from '../channel/write-outcome.ts';
import type { DriverLinks } from './driver-links.ts';
import type { DriverRegistration } from './driver-registration.ts';

interface BridgedDriverOptions {
  readonly type: string;
  readonly links: DriverLinks;
  /** Returns the bundle that currently serves the kind. */
  readonly findRegistration: () => DriverRegistration | undefined;
  readonly settings: unknown;
  readonly clock: Clock;
}

/** Channels in one message: even the longest addresses fit. */
const CHANNELS_PER_MESSAGE = 200;
// The asset has its own, shorter deadline.
const DEADLINE_MS = 660_000;
const DISCONNECT_MS = 2000;

/** Driver whose connection a bundle serves: every call is a message to the bundle. */
export class BridgedDriver implements Driver {
  readonly #options: BridgedDriverOptions;
  readonly #counters = { calls: 0, failures: 0 };
  #link: { readonly session: BundleSession; readonly instance: number } | undefined;

  constructor(options: BridgedDriverOptions) {
    this.#options = options;
  }

  async connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void> {
    const { type, links, findRegistration } = this.#options;
    const registration = findRegistration();
    if (registration === undefined) {
      const detail = `the bundle that brings the driver ${type} does not run`;
      throw new ConnectionError({ code: 'BUNDLE_NOT_RUNNING', detail });
    }
    const { session } = registration;
    const checked = check(registration.settings, this.#options.settings);
    if (checked.faults !== undefined) {
      const [fault] = checked.faults;
      const where = fault === undefined ? '' : `: ${formatPath(fault.path)} ${fault.message}`;
      const detail = `the settings do not match the driver ${type} any more${where}`;
      throw new ConnectionError({ code: 'DRIVER_SETTINGS_INVALID', detail });
    }
    const instance = links.open(session, (error) => {
      this.#link = undefined;
      onLost(error);
    });
    const params = { instance, type, settings: checked.value };
    try {
      await session.call('driver.connect', params, { deadlineMs: DEADLINE_MS, signal });
      this.#link = { session, instance };
    } catch (error) {
      this.#release(session, instance);
      throw toConnectionError(error);
    }
  }

  disconnect(): Promise<void> {
    if (this.#link !== undefined) this.#release(this.#link.session, this.#link.instance);
    this.#link = undefined;
    return Promise.resolve();
  }

  prepareRead(channels: readonly Channel[]): PreparedRead {
    const batches = toBatches(channels).map((batch) => batch.map(toWireChannel));
    return {
      read: async (signal) => {
        const readings: Reading[] = [];
        for (const batch of batches) {
          try {
            readings.push(...(await this.#readBatch(batch, signal)));
          } catch (error) {
            // The readings of the batches before are kept.
            if (readings.length === 0 || !(error instanceof ConnectionError)) throw error;
            const { code, detail: message } = error;
            readings.push(...batch.map(() => this.#fail({ code, message })));
          }
        }
        return readings;
      },
    };
  }

  async write(requests: readonly WriteRequest[], signal: AbortSignal): Promise<readonly WriteOutcome[]> {
    const outcomes: WriteOutcome[] = [];
    let halt: ChannelFailure | undefined;
    for (const batch of toBatches(requests)) {
      // Nothing is sent after the link is lost; earlier batches keep their outcome.
      if (this.#link === undefined && outcomes.length > 0) halt ??= NOT_SENT;
      const reason = halt;
      if (reason !== undefined) {
        outcomes.push(...batch.map(() => this.#failWrite(reason, 'NOT_SENT')));
        continue;
      }
      // The batches before may have taken long.
      const { clock } = this.#options;
      const write = async (wanted: readonly WriteRequest[]): Promise<readonly WriteOutcome[]> => {
        const answer = await this.#writeBatch(wanted, signal);
        if (!answer.isComplete) halt = NOT_CONFIRMED;
        return answer.outcomes;
      };
      outcomes.push(...(await writeUnlessWithdrawn(batch, { clock, write })));
    }
    return outcomes;
  }

  unitStatus(): readonly [] {
    return [];
  }

  counters(): Readonly<Record<string, number>> {
    return { ...this.#counters };
  }

  async #readBatch(channels: readonly WireChannel[], signal: AbortSignal): Promise<readonly Reading[]> {
    const { session, instance } = this.#getLink();
    this.#counters.calls += 1;
    try {
      const options = { deadlineMs: DEADLINE_MS, signal };
      const answer = await session.call('driver.read', { instance, channels }, options);
      return channels.map((_channel, index) => this.#toReading(answer[index]));
    } catch (error) {
      const failure = toOwnFailure(error, 'no answer from the bundle in time');
      if (failure === undefined) throw toConnectionError(error);
      return channels.map(() => this.#fail(failure));
    }
  }

  async #writeBatch(requests: readonly WriteRequest[], signal: AbortSignal): Promise<BatchAnswer> {
    const { session, instance } = this.#getLink();
    this.#counters.calls += 1;
    const wire = requests.map(({ channel, value }) => ({
      channel: toWireChannel(channel),
      value: toWireValue(value),
    }));
    try {
      const options = { deadlineMs: DEADLINE_MS, signal };
      const answer = await session.call('driver.write', { instance, requests: wire }, options);
      const outcomes = requests.map((_request, index) => {
        const outcome = answer[index];
        return outcome === undefined
          ? this.#failWrite(UNANSWERED_WRITE, 'UNKNOWN')
          : this.#toWriteOutcome(outcome);
      });
      return { outcomes, isComplete: answer.length >= requests.length };
    } catch (error) {
      // The message was sent: the device may have the value.
      const { code, detail } = toConnectionError(error);
      const message = error instanceof BundleError ? `${detail}; outcome unknown` : 'outcome unknown';
      return {
        outcomes: requests.map(() => this.#failWrite({ code, message }, 'UNKNOWN')),
        isComplete: false,
      };
    }
  }

  #toReading(answer: BundleResult<'driver.read'>[number] | undefined): Reading {
    const { timestampMs = this.#options.clock.epochMs() } = answer ?? {};
    if (answer === undefined) return this.#fail(UNANSWERED_READ);
    if ('failure' in answer) return { failure: toShown(answer.failure), timestampMs };
    const { value, quality, status } = answer;
    return { value: fromWireValue(value), timestampMs, quality, status };
  }

  // A failure in the words of the device is its answer; one of which nothing more is told may be anything.
  #toWriteOutcome(answer: BundleResult<'driver.write'>[number]): WriteOutcome {
    const { failure, isUnconfirmed, timestampMs = this.#options.clock.epochMs() } = answer;
    if (failure === undefined)
      return isUnconfirmed === true ? { timestampMs, isUnconfirmed } : { timestampMs };
    const { outcome = failure.status === undefined ? 'UNKNOWN' : 'REFUSED' } = answer;
    return { failure: toShown(failure), outcome, timestampMs };
  }

  #failWrite(failure: ChannelFailure, outcome: FailedWriteOutcome): WriteOutcome {
    return { ...this.#fail(failure), outcome };
  }

  #fail(failure: ChannelFailure): { readonly failure: ChannelFailure; readonly timestampMs: number } {
    this.#counters.failures += 1;
    return { failure, timestampMs: this.#options.clock.epochMs() };
  }

  #getLink() {
    if (this.#link !== undefined) return this.#link;
    const detail = `the driver ${this.#options.type} is not connected`;
    throw new ConnectionError({ code: 'NOT_CONNECTED', detail });
  }

  /** Closes a link, and tells the bundle without waiting for it. */
  #release(session: BundleSession, instance: number): void {
    this.#options.links.close(instance);
    session.call('driver.disconnect', { instance }, { deadlineMs: DISCONNECT_MS }).catch(() => undefined);
  }
}

/** Outcomes of the writes in one message. */
interface BatchAnswer {
  readonly outcomes: readonly WriteOutcome[];
  /** Whether the bundle answered every write. */
  readonly isComplete: boolean;
}

const NOT_SENT: ChannelFailure = { code: 'NOT_CONNECTED', message: 'the link was lost before this was sent' };
const NOT_CONFIRMED: ChannelFailure = {
  code: 'DRIVER_FAULT',
  message: 'the bundle did not confirm the previous values; not sent',
};
const UNANSWERED_READ: ChannelFailure = { code: 'DRIVER_FAULT', message: 'the bundle returned no reading' };
const UNANSWERED_WRITE: ChannelFailure = {
  code: 'DRIVER_FAULT',
  message: 'the bundle did not answer; outcome unknown',
};

function toBatches<T>(items: readonly T[]): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / CHANNELS_PER_MESSAGE);
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * CHANNELS_PER_MESSAGE, (index + 1) * CHANNELS_PER_MESSAGE),
  );
}

function toWireChannel({ name, valueType, address }: Channel): WireChannel {
  return { name, valueType, address };
}

/** Returns the failure of channels whose link still works; undefined when the link has failed. */
function toOwnFailure(error: unknown, late: string): ChannelFailure | undefined {
  if (!(error instanceof BundleError)) return undefined;
  if (error.code === 'BUNDLE_CALL_CANCELLED') return { code: 'DEADLINE_EXCEEDED', message: late };
  const isMalformed = error.code === 'BUNDLE_PROTOCOL_VIOLATED';
  return isMalformed ? { code: 'DRIVER_FAULT', message: 'the answer of the bundle is not valid' } : undefined;
}

function toShown(failure: ChannelFailure): ChannelFailure {
  return { ...failure, message: hidePaths(failure.message) };
}

function toConnectionError(error: unknown): ConnectionError {
  if (!(error instanceof BundleError)) throw error;
  const { code, detail } = error;
  return new ConnectionError({ code, detail: hidePaths(detail), cause: error });
}
