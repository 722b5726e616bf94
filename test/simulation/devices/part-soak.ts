import { delay } from '../../../daemon/base/clock.ts';
import type { Logger } from '../../../daemon/base/logger.ts';
import { DriverConnection } from '../../../daemon/plant/asset/connection/driver-connection.ts';
import { createChannelSchema } from '../../../daemon/channel/channel.ts';
import type { Channel } from '../../../daemon/channel/channel.ts';
import type { WriteOutcome, WriteRequest } from '../../../daemon/channel/write-step.ts';
import { ConnectionError } from '../../../daemon/channel/driver-errors.ts';
import type { DriverFactory, Reading } from '../../../daemon/channel/driver.ts';
import { VALUE_TYPE_TABLE } from '../../../daemon/channel/value-type.ts';
import type { ChannelValue } from '../../../daemon/channel/value-type.ts';
import { Chronicle } from '../world/chronicle.ts';
import { Random } from '../world/random.ts';
import { SimulatedTime } from '../world/simulated-time.ts';
import type { PlantPart, Point, RestValue } from '../world/truth.ts';

/** What creates a part and the kind of driver that serves it. */
export type CreatePart = (world: {
  readonly time: SimulatedTime;
  readonly random: Random;
  readonly chronicle: Chronicle;
}) => { readonly part: PlantPart; readonly factory: DriverFactory };

export interface SoakOptions {
  readonly seed: string;
  readonly lengthMs: number;
  /** Whether faults come. */
  readonly hasFaults?: boolean;
}

/** What came of a soak. */
export interface SoakResult {
  readonly digest: string;
  /** The first invariant that did not hold, with what happened before. */
  readonly broken: string | undefined;
  readonly counts: Readonly<
    Record<'values' | 'failures' | 'written' | 'unknown' | 'notWritten' | 'reports', number>
  >;
}

interface ServedPoint {
  readonly point: Point;
  readonly channel: Channel;
}

type Outcome = 'written' | 'unknown' | 'notWritten';

const CALL_DEADLINE_MS = 10_000;
// By then no write is on its way to a device any more.
const SETTLED_MS = 150_000;
const REPORTS_LAG_MS = 5000;
const EPOCH_TOLERANCE_MS = 1.5;
const MINUTE_MS = 60_000;
const SLICE_MS = 1000;

/** Serves a part with its real driver, lets readers, writers and listeners use it, and compares all with the truth. */
export async function soakPart(
  create: CreatePart,
  { seed, lengthMs, hasFaults = true }: SoakOptions,
): Promise<SoakResult> {
  const time = new SimulatedTime();
  const random = new Random(seed);
  const chronicle = new Chronicle(time);
  const { part, factory } = create({ time, random: random.branch('part'), chronicle });
  const soak = new Soak({ part, factory, time, random, chronicle });
  for (const fault of hasFaults ? part.planFaults(lengthMs) : []) {
    time.schedule(fault.startMs, () => {
      chronicle.note('fault', `${fault.text} (${fault.id})`);
      const end = fault.begin();
      time.schedule(fault.endMs - fault.startMs, () => {
        chronicle.note('fault', `over: ${fault.id}`);
        end();
      });
    });
  }
  soak.begin();
  // The story of a failure ends soon after it.
  for (let untilMs = 0; untilMs < lengthMs && chronicle.broken === undefined;) {
    untilMs = Math.min(lengthMs, untilMs + SLICE_MS);
    await time.runUntil(untilMs);
  }
  const ended = soak.end();
  const story = tellStory(chronicle, seed);
  await time.runUntil(time.monotonicMs() + SETTLED_MS + MINUTE_MS);
  await ended;
  return { digest: chronicle.digest(), broken: story ?? tellStory(chronicle, seed), counts: soak.counts };
}

function tellStory(chronicle: Chronicle, seed: string): string | undefined {
  const { broken } = chronicle;
  if (broken === undefined) return undefined;
  const head = `seed ${seed}, ${broken.atMs.toFixed(3)}: ${broken.invariant}: ${broken.message}`;
  return [head, ...chronicle.lines().slice(-60)].join('\n');
}

class Soak {
  readonly counts = { values: 0, failures: 0, written: 0, unknown: 0, notWritten: 0, reports: 0 };
  readonly #part: PlantPart;
  readonly #time: SimulatedTime;
  readonly #random: Random;
  readonly #chronicle: Chronicle;
  readonly #connection: DriverConnection;
  readonly #assets: readonly (readonly ServedPoint[])[];
  readonly #ending = new AbortController();

  constructor({
    part,
    factory,
    time,
    random,
    chronicle,
  }: {
    readonly part: PlantPart;
    readonly factory: DriverFactory;
    readonly time: SimulatedTime;
    readonly random: Random;
    readonly chronicle: Chronicle;
  }) {
    this.#part = part;
    this.#time = time;
    this.#random = random;
    this.#chronicle = chronicle;
    const { pid, type: _type, ...settings } = part.driver;
    const config = factory.configSchema.parse(settings);
    const schema = createChannelSchema(factory.addressSchema);
    this.#assets = part.assets.map(({ points }) =>
      points.map((point) => ({ point, channel: schema.parse(point.channel) })),
    );
    const faults = this.#assets.flat().flatMap(({ channel }) => factory.checkChannel(channel));
    if (faults.length > 0) throw new RangeError(JSON.stringify(faults));
    const jitter = random.branch('jitter');
    const logger = createBreakingLogger(chronicle);
    const driver = factory.create(config, {
      clock: time,
      logger,
      dataDirectory: '/nonexistent',
      onUnitChange: () => undefined,
      random: () => jitter.fraction(),
    });
    this.#connection = new DriverConnection({
      driver,
      endpoint: pid,
      callDeadlineMs: CALL_DEADLINE_MS,
      onStateChange: () => undefined,
      logger,
      clock: time,
      random: () => jitter.fraction(),
    });
  }

  begin(): void {
    for (const [index, points] of this.#assets.entries()) {
      const random = this.#random.branch(`asset ${index}`);
      void this.#keepReading(points, random.branch('reader'));
      void this.#keepWriting(points, random.branch('writer'));
      if (this.#connection.canSubscribe) void this.#keepListening(points, random.branch('listener'));
    }
  }

  async end(): Promise<void> {
    this.#ending.abort(new Error('the end'));
    await this.#connection.close();
  }

  async #keepReading(points: readonly ServedPoint[], random: Random): Promise<void> {
    const readable = points.filter(({ channel }) => channel.type !== 'WRITE');
    const prepared = this.#connection.prepareRead(readable.map(({ channel }) => channel));
    while (await this.#pause(random.exponential(1500))) {
      const fromMs = this.#time.monotonicMs();
      const healthyBefore = readable.map(({ point }) => point.healthySinceMs());
      const readings = await this.#connection.read(prepared).catch((error: unknown) => toError(error));
      if (this.#ending.signal.aborted) return;
      for (const [index, { point }] of readable.entries()) {
        const reading = Array.isArray(readings) ? (readings[index] as Reading) : undefined;
        if (reading?.failure === undefined && reading !== undefined) {
          this.#checkValue(point, reading, fromMs);
          continue;
        }
        this.counts.failures += 1;
        const why =
          readings instanceof Error ? readings.message : (reading?.failure?.message ?? 'no reading');
        this.#chronicle.note('reader', `${point.channel.name}: ${why}`);
        this.#checkRecovered(point, { before: healthyBefore[index], fromMs, why });
      }
    }
  }

  #checkValue(point: Point, reading: Reading, fromMs: number): void {
    this.counts.values += 1;
    const nowMs = this.#time.monotonicMs();
    const value = toRestValue(reading.value ?? '');
    if (!point.had(value, fromMs, nowMs)) {
      const when = `between ${fromMs.toFixed(3)} and ${nowMs.toFixed(3)}`;
      this.#chronicle.break(
        'true-value',
        `${point.channel.name} gave ${String(value)} and did not have it ${when}; now ${point.describeNow()}`,
      );
    }
  }

  #checkRecovered(
    point: Point,
    {
      before,
      fromMs,
      why,
    }: { readonly before: number | undefined; readonly fromMs: number; readonly why: string },
  ): void {
    if (before === undefined || before !== point.healthySinceMs()) return;
    if (fromMs - before < this.#part.recoveryMs) return;
    this.#chronicle.break(
      'recovery',
      `${point.channel.name} does not work, without fault since ${before}: ${why}`,
    );
  }

  async #write(requests: readonly WriteRequest[]): Promise<readonly (WriteOutcome | undefined)[]> {
    const { refused, steps } = await this.#connection.prepareWrite(requests);
    const outcomes = new Map(await this.#connection.write({ steps, findCancellation: () => undefined }));
    const timestampMs = this.#time.epochMs();
    for (const { index, failure } of refused)
      outcomes.set(index, { failure, outcome: 'NOT_SENT', timestampMs });
    return requests.map((_, index) => outcomes.get(index));
  }

  async #keepWriting(points: readonly ServedPoint[], random: Random): Promise<void> {
    const writable = points.filter(({ point }) => point.nextValue !== undefined);
    while (writable.length > 0 && (await this.#pause(random.exponential(4000)))) {
      const chosen = Array.from({ length: random.integer(1, 3) }, () => random.pick(writable));
      const requests = chosen.map(({ point, channel }) => {
        const asked = point.nextValue?.() ?? 0;
        return { point, channel, asked, value: toChannelValue(channel, asked) };
      });
      const fromMs = this.#time.monotonicMs();
      const healthyBefore = chosen.map(({ point }) => point.healthySinceMs());
      const outcomes = await this.#write(requests).catch((error: unknown) => toError(error));
      let unknown = 0;
      for (const [index, { point, asked }] of requests.entries()) {
        const failure = outcomes instanceof Error ? outcomes : outcomes[index]?.failure;
        const outcome = toOutcome(failure);
        if (!this.#ending.signal.aborted) this.counts[outcome] += 1;
        this.#chronicle.note(
          'writer',
          `${point.channel.name} = ${String(asked)}: ${failure?.message ?? 'written'}`,
        );
        // What follows a write of unknown outcome waits for nobody to recover.
        const isHeldBack = failure?.code === 'WRITE_HELD_BACK' && unknown > 0;
        if (outcome === 'unknown') unknown += 1;
        if (outcome !== 'written' && !isHeldBack && !this.#ending.signal.aborted) {
          const why = failure?.message ?? '';
          this.#checkRecovered(point, { before: healthyBefore[index], fromMs, why });
        }
        this.#checkWrite(point, asked, outcome, fromMs);
        this.#time.schedule(SETTLED_MS, () => this.#checkWrite(point, asked, outcome, fromMs));
      }
    }
  }

  #checkWrite(point: Point, asked: RestValue, outcome: Outcome, fromMs: number): void {
    const times = point.writes.filter(({ value }) => value === asked).length;
    const isRight = outcome === 'written' ? times === 1 : outcome === 'notWritten' ? times === 0 : times <= 1;
    if (isRight) return;
    const text = `${point.channel.name} = ${String(asked)}, asked for at ${fromMs.toFixed(3)}: ${outcome}, and carried out ${times} times`;
    this.#chronicle.break('write-once', text);
  }

  async #keepListening(points: readonly ServedPoint[], random: Random): Promise<void> {
    const readable = points.filter(({ channel }) => channel.type !== 'WRITE');
    while (await this.#pause(random.exponential(1000))) {
      await this.#listenOnce(readable, random);
    }
  }

  async #listenOnce(points: readonly ServedPoint[], random: Random): Promise<void> {
    const intervalMs = random.pick([100, 500, 2000]);
    const leaving = new AbortController();
    const { promise: ended, resolve: end } = Promise.withResolvers<Error | undefined>();
    const cancel = this.#time.schedule(random.exponential(10 * MINUTE_MS), () => end(undefined));
    const newest = new Map<number, Reading>();
    let isOver = false;
    const sinceMs = this.#time.monotonicMs();
    const healthyBefore = points.map(({ point }) => point.healthySinceMs());
    try {
      await this.#connection.subscribe({
        channels: points.map(({ channel }) => channel),
        minimumIntervalMs: intervalMs,
        signal: AbortSignal.any([leaving.signal, this.#ending.signal]),
        onReading: (index, reading) => {
          const point = points[index]?.point;
          if (isOver || point === undefined)
            return this.#chronicle.break('newest-value', 'a report after the end');
          newest.set(index, reading);
          this.#checkReport(point, reading);
        },
        onEnd: end,
      });
      const check = (): void => {
        if (isOver) return;
        for (const [index, { point }] of points.entries()) {
          this.#checkNewest(point, newest.get(index), { intervalMs, sinceMs });
        }
        this.#time.schedule(10_000, check);
      };
      check();
      this.#ending.signal.addEventListener('abort', () => end(undefined), { once: true });
      const error = await ended;
      this.#chronicle.note('listener', error?.message ?? 'leaves');
    } catch (error) {
      const why = toError(error).message;
      this.#chronicle.note('listener', why);
      for (const [index, { point }] of points.entries()) {
        if (this.#ending.signal.aborted) break;
        this.#checkRecovered(point, { before: healthyBefore[index], fromMs: sinceMs, why });
      }
    } finally {
      isOver = true;
      cancel();
      leaving.abort(new Error('left'));
    }
  }

  #checkReport(point: Point, reading: Reading): void {
    if (reading.failure !== undefined) return;
    this.counts.reports += 1;
    const nowMs = this.#time.monotonicMs();
    const agoMs = this.#time.epochMs() - reading.timestampMs;
    // The device says when it had the value, unless its clock is wrong.
    const [fromMs, toMs] =
      agoMs < MINUTE_MS
        ? [nowMs - agoMs - EPOCH_TOLERANCE_MS, nowMs - agoMs + EPOCH_TOLERANCE_MS]
        : [nowMs - MINUTE_MS, nowMs];
    const value = toRestValue(reading.value);
    if (point.had(value, fromMs, toMs)) return;
    this.#chronicle.break(
      'true-value',
      `${point.channel.name} reported ${String(value)} and did not have it; now ${point.describeNow()}`,
    );
  }

  #checkNewest(
    point: Point,
    reading: Reading | undefined,
    { intervalMs, sinceMs }: { readonly intervalMs: number; readonly sinceMs: number },
  ): void {
    const nowMs = this.#time.monotonicMs();
    const healthySinceMs = Math.max(sinceMs, point.healthySinceMs() ?? Infinity);
    const lagMs = intervalMs + REPORTS_LAG_MS;
    if (nowMs - healthySinceMs < lagMs + this.#part.recoveryMs) return;
    const isNew =
      reading?.failure === undefined &&
      reading !== undefined &&
      point.had(toRestValue(reading.value), nowMs - lagMs, nowMs);
    if (isNew) return;
    const shown = reading?.failure?.message ?? String(reading?.value);
    this.#chronicle.break(
      'newest-value',
      `a listener has ${shown} of ${point.channel.name}; now ${point.describeNow()}`,
    );
  }

  async #pause(pauseMs: number): Promise<boolean> {
    await delay(this.#time, pauseMs, this.#ending.signal).catch(() => undefined);
    return !this.#ending.signal.aborted;
  }
}

function toOutcome(failure: { readonly code?: unknown } | undefined): Outcome {
  if (failure === undefined) return 'written';
  const { code } = failure;
  const isUnknown =
    typeof code === 'string' && (code.endsWith('OUTCOME_UNKNOWN') || code === 'DRIVER_OVERDUE');
  return isUnknown ? 'unknown' : 'notWritten';
}

function toError(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error;
  throw error;
}

/** Returns a raw value as the REST interface gives it. */
function toRestValue(value: ChannelValue): RestValue {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'object' ? Buffer.from(value).toString('base64') : value;
}

function toChannelValue({ valueType }: Channel, value: RestValue): ChannelValue {
  const parsed = VALUE_TYPE_TABLE[valueType].parse(value);
  if (parsed === undefined) throw new RangeError(`${String(value)} is no ${valueType}`);
  return parsed;
}

function createBreakingLogger(chronicle: Chronicle): Logger {
  const note = (event: string): void => chronicle.note('log', event);
  const logger: Logger = {
    child: () => logger,
    debug: () => undefined,
    info: note,
    warn: note,
    error: (event, fields) => chronicle.break('no-defect', `${event} ${String(fields?.['error'])}`),
  };
  return logger;
}
