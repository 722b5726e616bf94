import type { ReceivedCode } from '../../daemon/base/error-codes.ts';
import { z } from '../../daemon/base/schema.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { DriverFactory, PreparedRead, Reading } from '../../daemon/channel/driver.ts';
import type {
  Attempt,
  AttemptResult,
  PreparedWrites,
  WriteOutcome,
  WriteRequest,
  WriteStep,
} from '../../daemon/channel/write-step.ts';
import { ConnectionError } from '../../daemon/channel/driver-errors.ts';
import type { RetainingDriver } from '../../daemon/channel/retaining-driver.ts';
import type { ChannelValue } from '../../daemon/channel/value-type.ts';

/** A device in memory that a test controls; it counts its requests. */
export class ScriptedDriver implements RetainingDriver {
  /** The values of the device, by name of channel; a channel that is missing here fails with `DEVICE_NO_VALUE`. */
  readonly values = new Map<string, ChannelValue>();
  /** Names of each round of reading, in the order in which the rounds began. */
  readonly rounds: (readonly string[])[] = [];
  /** Every value that reached the device, in order. */
  readonly written: (readonly [name: string, value: ChannelValue])[] = [];
  /** Thrown by every `connect` while set. */
  connectFault: Error | undefined;
  /** Thrown by every read and write while set. */
  callFault: Error | undefined;
  /** The device takes no larger number, and confirms all the same. */
  largest = Infinity;
  /** The device is silent when it is written, and carries the write out or not. */
  silence: 'CARRIED_OUT' | 'IGNORED' | undefined;
  /** Rounds of reading after a write in which the device still shows its old value. */
  lateRounds = 0;
  /** Readings and outcomes that are left out at the end, as a defective driver would. */
  missingAnswers = 0;
  /** Goes on after the deadline of a call, as a defective driver would. */
  ignoresDeadline = false;
  /** Time that the device puts on its values. */
  timestampMs = 42;
  connects = 0;
  disconnects = 0;
  plans = 0;
  /** Names of the channels that it was last told to retain. */
  retained: readonly string[] | undefined;
  /** Most rounds of reading that were under way at a time. */
  busiest = 0;
  #late: { readonly name: string; readonly value: ChannelValue; rounds: number } | undefined;
  #underWay = 0;
  #isHolding = false;
  readonly #held = new Set<() => void>();
  #arrivals: (() => void)[] = [];
  #onLost: ((error: Error) => void) | undefined;

  /** Calls, attempts to connect included, that wait for `release`. */
  get waiting(): number {
    return this.#held.size;
  }

  /** Holds every later call until `release`. */
  hold(): void {
    this.#isHolding = true;
  }

  /** Continues the waiting calls, and holds no later ones. */
  release(): void {
    this.letPass();
    for (const release of this.#held) release();
    this.#held.clear();
  }

  /** Later calls pass; those that wait go on waiting. */
  letPass(): void {
    this.#isHolding = false;
  }

  /** Resolves when the given number of calls wait. */
  async arrived(count = 1): Promise<void> {
    while (this.waiting < count) await new Promise<void>((resolve) => this.#arrivals.push(resolve));
  }

  /** Loses the link while no request is under way. */
  lose(error: Error): void {
    this.#onLost?.(error);
  }

  async connect(signal: AbortSignal, onLost: (error: Error) => void): Promise<void> {
    this.connects += 1;
    await this.#pass(signal);
    if (this.connectFault !== undefined) throw this.connectFault;
    this.#onLost = onLost;
  }

  retain(channels: readonly Channel[]): void {
    this.retained = channels.map(({ name }) => name);
  }

  async disconnect(): Promise<void> {
    this.disconnects += 1;
  }

  prepareRead(channels: readonly Channel[]): PreparedRead {
    this.plans += 1;
    return { read: (signal) => this.#read(channels, signal) };
  }

  prepareWrite(requests: readonly WriteRequest[]): Promise<PreparedWrites> {
    const positions = requests.map((_, index) => index);
    const values = positions.map((index) => ({ index, isSingle: false }));
    const steps = positions.length === 0 ? [] : [this.#createStep(requests, positions)];
    return Promise.resolve({ refused: [], values, steps });
  }

  #createStep(requests: readonly WriteRequest[], indices: readonly number[]): WriteStep {
    const own = indices.flatMap((index) => requests[index] ?? []);
    return {
      indices,
      unknownCode: 'DRIVER_FAULT',
      send: (attempt) => this.#send(own, attempt),
      only: (positions) => [
        this.#createStep(
          requests,
          positions.flatMap((each) => indices[each] ?? []),
        ),
      ],
    };
  }

  async #send(
    requests: readonly WriteRequest[],
    { signal, throwIfCancelled, onSend }: Attempt,
  ): Promise<AttemptResult> {
    throwIfCancelled();
    await this.#pass(signal);
    if (this.callFault !== undefined) throw this.callFault;
    onSend();
    const outcomes = requests.map(({ channel, value }): WriteOutcome => {
      this.written.push([channel.name, value]);
      if (!this.values.has(channel.name)) {
        return { failure: NO_VALUE, outcome: 'REFUSED', timestampMs: this.timestampMs };
      }
      if (this.silence !== 'IGNORED') this.#take(channel.name, value);
      if (this.silence === undefined) return { timestampMs: this.timestampMs };
      return { failure: SILENT, outcome: 'UNKNOWN', timestampMs: this.timestampMs };
    });
    return { kind: 'ANSWERED', outcomes: outcomes.slice(0, outcomes.length - this.missingAnswers) };
  }

  unitStatus(): [] {
    return [];
  }

  counters(): Readonly<Record<string, number>> {
    return { rounds: this.rounds.length };
  }

  #take(name: string, value: ChannelValue): void {
    const taken = typeof value === 'number' ? Math.min(value, this.largest) : value;
    if (this.lateRounds > 0) this.#late = { name, value: taken, rounds: this.lateRounds };
    else this.values.set(name, taken);
  }

  #showLate(): void {
    if (this.#late === undefined) return;
    this.#late.rounds -= 1;
    if (this.#late.rounds > 0) return;
    this.values.set(this.#late.name, this.#late.value);
    this.#late = undefined;
  }

  // A value is sampled before the wait: a reader that joined a round under way would get a value older than its request.
  async #read(channels: readonly Channel[], signal: AbortSignal): Promise<readonly Reading[]> {
    this.rounds.push(channels.map(({ name }) => name));
    const { timestampMs } = this;
    this.#showLate();
    const readings = channels.map(({ name }): Reading => {
      const value = this.values.get(name);
      return value === undefined ? { failure: NO_VALUE, timestampMs } : { value, timestampMs };
    });
    this.#underWay += 1;
    this.busiest = Math.max(this.busiest, this.#underWay);
    await this.#pass(signal).finally(() => (this.#underWay -= 1));
    if (this.callFault !== undefined) throw this.callFault;
    return readings.slice(0, readings.length - this.missingAnswers);
  }

  async #pass(signal: AbortSignal): Promise<void> {
    if (!this.#isHolding) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#held.add(resolve);
    signal.addEventListener('abort', () => {
      if (this.ignoresDeadline) return;
      this.#held.delete(resolve);
      reject(signal.reason as Error);
    });
    for (const arrive of this.#arrivals.splice(0)) arrive();
    await promise;
  }
}

const SILENT = {
  code: 'DEVICE_SILENT' as ReceivedCode,
  message: 'the device did not answer; outcome unknown',
};
const NO_VALUE = { code: 'DEVICE_NO_VALUE' as ReceivedCode, message: 'the device has no such value' };

/** The error of a device that cannot be reached. */
export function createRefusal(detail = 'the device refused'): ConnectionError {
  return new ConnectionError({ code: 'DEVICE_REFUSED' as ReceivedCode, detail });
}

/** A kind of driver whose drivers are scripted; `made` holds them by the `line` of their settings. */
export function createScriptedFactory(): DriverFactory<{ line: string }, { register?: number }> & {
  readonly made: ReadonlyMap<string, readonly ScriptedDriver[]>;
} {
  const made = new Map<string, ScriptedDriver[]>();
  return {
    made,
    type: 'scripted',
    configSchema: z.strictObject({ line: z.string().min(1) }),
    addressSchema: z.strictObject({ register: z.int().min(0).exactOptional() }),
    describe: ({ line }) => `line ${line}`,
    checkChannel: ({ valueType }) =>
      valueType === 'STRING' ? [{ path: ['valueType'], message: 'this device holds no text' }] : [],
    create({ line }) {
      const driver = new ScriptedDriver();
      made.set(line, [...(made.get(line) ?? []), driver]);
      return driver;
    },
  };
}
