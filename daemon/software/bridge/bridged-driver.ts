import type { Clock } from '../../base/clock.ts';
import { hidePaths } from '../../base/text/hide-paths.ts';
import { check, formatPath } from '../../base/schema.ts';
import { BundleError } from '../bundle/bundle-error.ts';
import type { BundleSession } from '../bundle/bundle-host.ts';
import type { BundleResult, WireChannel } from '../bundle/message/messages.ts';
import { fromWireValue, toWireValue } from '../bundle/message/wire-value.ts';
import type { Channel } from '../../channel/channel.ts';
import type { ChannelFailure } from '../../channel/channel-record.ts';
import { ConnectionError } from '../../channel/driver-errors.ts';
import type { Driver, PreparedRead, Reading } from '../../channel/driver.ts';
import type { PreparedWrites, WriteOutcome, WriteRequest, WriteStep } from '../../channel/write-step.ts';
import type { DriverLinks } from './driver-links.ts';
import type { DriverRegistration } from './driver-registration.ts';

interface BridgedDriverOptions {
  readonly type: string;
  readonly links: DriverLinks;
  /** Returns the bundle that currently serves the driver type. */
  readonly findRegistration: () => DriverRegistration | undefined;
  readonly settings: unknown;
  readonly clock: Clock;
}

/** Maximum channels in one message: even the longest addresses fit. */
const CHANNELS_PER_MESSAGE = 200;
// The asset has its own, shorter deadline.
const DEADLINE_MS = 660_000;
const DISCONNECT_MS = 2000;

/** Driver that a bundle implements: every call is a message to the bundle. */
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
      const detail = `the bundle that provides driver "${type}" is not running`;
      throw new ConnectionError({ code: 'BUNDLE_NOT_RUNNING', detail });
    }
    const { session } = registration;
    const checked = check(registration.settings, this.#options.settings);
    if (checked.faults !== undefined) {
      const [fault] = checked.faults;
      const where = fault === undefined ? '' : `: ${formatPath(fault.path)} ${fault.message}`;
      const detail = `the settings no longer match driver "${type}"${where}`;
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
            // The readings of earlier batches stay valid.
            if (readings.length === 0 || !(error instanceof ConnectionError)) throw error;
            const { code, detail: message } = error;
            readings.push(...batch.map(() => this.#fail({ code, message })));
          }
        }
        return readings;
      },
    };
  }

  prepareWrite(requests: readonly WriteRequest[]): Promise<PreparedWrites> {
    const positions = requests.map((_, index) => index);
    const values = positions.map((index) => ({ index, isSingle: false }));
    const steps = toBatches(positions).map((indices) => this.#createStep(requests, indices));
    return Promise.resolve({ refused: [], values, steps });
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
      const failure = toOwnFailure(error, 'no response from the bundle in time');
      if (failure === undefined) throw toConnectionError(error);
      return channels.map(() => this.#fail(failure));
    }
  }

  #createStep(requests: readonly WriteRequest[], indices: readonly number[]): WriteStep {
    const wire = indices.flatMap((index) => {
      const request = requests[index];
      if (request === undefined) return [];
      return [{ channel: toWireChannel(request.channel), value: toWireValue(request.value) }];
    });
    return {
      indices,
      unknownCode: 'DRIVER_FAULT',
      send: async ({ signal, throwIfCancelled, onSend }) => {
        const { session, instance } = this.#getLink();
        throwIfCancelled();
        this.#counters.calls += 1;
        onSend();
        const options = { deadlineMs: DEADLINE_MS, signal };
        const answer = session.call('driver.write', { instance, requests: wire }, options);
        return { kind: 'ANSWERED', outcomes: await this.#toOutcomes(answer, indices.length) };
      },
      only: (positions) => [
        this.#createStep(
          requests,
          positions.flatMap((each) => indices[each] ?? []),
        ),
      ],
    };
  }

  async #toOutcomes(
    answered: Promise<BundleResult<'driver.write'>>,
    count: number,
  ): Promise<readonly WriteOutcome[]> {
    const positions = Array.from({ length: count }, (_, position) => position);
    try {
      const answer = await answered;
      return positions.map((position) => {
        const outcome = answer[position];
        return outcome === undefined ? this.#failOpen(UNANSWERED_WRITE) : this.#toWriteOutcome(outcome);
      });
    } catch (error) {
      // The message was sent: the device may have the values.
      const { code, detail } = toConnectionError(error);
      const reason = error instanceof BundleError ? `${detail}; outcome unknown` : 'outcome unknown';
      return positions.map(() => this.#failOpen({ code, message: reason }));
    }
  }

  #toReading(answer: BundleResult<'driver.read'>[number] | undefined): Reading {
    const { timestampMs = this.#options.clock.epochMs() } = answer ?? {};
    if (answer === undefined) return this.#fail(UNANSWERED_READ);
    if ('failure' in answer) return { failure: toShown(answer.failure), timestampMs };
    const { value, quality, status } = answer;
    return { value: fromWireValue(value), timestampMs, quality, status };
  }

  // A failure with a status is a response of the device; without one, the outcome is unknown.
  #toWriteOutcome(answer: BundleResult<'driver.write'>[number]): WriteOutcome {
    const { failure, isUnconfirmed, timestampMs = this.#options.clock.epochMs() } = answer;
    if (failure === undefined)
      return isUnconfirmed === true ? { timestampMs, isUnconfirmed } : { timestampMs };
    const { outcome = failure.status === undefined ? 'UNKNOWN' : 'REFUSED' } = answer;
    return { failure: toShown(failure), outcome, timestampMs };
  }

  #failOpen(failure: ChannelFailure): WriteOutcome {
    return { ...this.#fail(failure), outcome: 'UNKNOWN' as const };
  }

  #fail(failure: ChannelFailure): { readonly failure: ChannelFailure; readonly timestampMs: number } {
    this.#counters.failures += 1;
    return { failure, timestampMs: this.#options.clock.epochMs() };
  }

  #getLink() {
    if (this.#link !== undefined) return this.#link;
    const detail = `driver "${this.#options.type}" is not connected`;
    throw new ConnectionError({ code: 'NOT_CONNECTED', detail });
  }

  /** Closes a link and notifies the bundle, without waiting for it. */
  #release(session: BundleSession, instance: number): void {
    this.#options.links.close(instance);
    session.call('driver.disconnect', { instance }, { deadlineMs: DISCONNECT_MS }).catch(() => undefined);
  }
}

const UNANSWERED_READ: ChannelFailure = { code: 'DRIVER_FAULT', message: 'the bundle returned no reading' };
const UNANSWERED_WRITE: ChannelFailure = {
  code: 'DRIVER_FAULT',
  message: 'the bundle did not respond; outcome unknown',
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

/** Returns the failure of channels whose link still works; undefined if the link has failed. */
function toOwnFailure(error: unknown, late: string): ChannelFailure | undefined {
  if (!(error instanceof BundleError)) return undefined;
  if (error.code === 'BUNDLE_CALL_CANCELLED') return { code: 'DEADLINE_EXCEEDED', message: late };
  const isMalformed = error.code === 'BUNDLE_PROTOCOL_VIOLATED';
  return isMalformed
    ? { code: 'DRIVER_FAULT', message: 'the response of the bundle is not valid' }
    : undefined;
}

function toShown(failure: ChannelFailure): ChannelFailure {
  return { ...failure, message: hidePaths(failure.message) };
}

function toConnectionError(error: unknown): ConnectionError {
  if (!(error instanceof BundleError)) throw error;
  const { code, detail } = error;
  return new ConnectionError({ code, detail: hidePaths(detail), cause: error });
}
