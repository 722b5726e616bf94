import { createChannelSchema } from '../../daemon/channel/channel.ts';
import type { Channel } from '../../daemon/channel/channel.ts';
import type { Driver, Reading } from '../../daemon/channel/driver.ts';
import type { ChannelValue } from '../../daemon/channel/value-type.ts';
import { addressSchema } from '../../drivers/modbus/modbus-address.ts';
import type { ModbusAddress } from '../../drivers/modbus/modbus-address.ts';
import { createModbusDriverFactory } from '../../drivers/modbus/modbus-driver.ts';
import { createDriverContext } from '../support/driver-context.ts';
import { SimulatedNetwork } from './network/simulated-network.ts';
import { Chronicle } from './world/chronicle.ts';
import { Random } from './world/random.ts';
import { SimulatedTime } from './world/simulated-time.ts';
import type { PlantPart, Point, RestValue } from './world/truth.ts';
import { createModbusParts } from './devices/modbus/modbus-parts.ts';
import type { ModbusPartsOptions } from './devices/modbus/modbus-parts.ts';
import { writeValues } from '../support/write-values.ts';

const channelSchema = createChannelSchema(addressSchema);
const DEADLINE_MS = 30_000;
const RECONNECT_MS = 500;

/** What a soak is made of. */
export interface SoakOptions extends Pick<ModbusPartsOptions, 'units' | 'meanFaultPauseMs'> {
  readonly seed: string;
  readonly hours: number;
  /** Milliseconds from one read of an asset to the next. */
  readonly readPauseMs: number;
  readonly hasFaults?: boolean;
  /** Called with each fault that begins, and with each thing that a unit does. */
  readonly onLine?: (line: string) => void;
}

/** What came of a soak. */
export interface SoakOutcome {
  readonly chronicle: Chronicle;
  readonly reads: number;
  readonly good: number;
  readonly failed: number;
  readonly writes: number;
  readonly requests: number;
}

/** Runs the real driver against the simulated devices, one reader and writer for each unit. */
export async function soak(options: SoakOptions): Promise<SoakOutcome> {
  const { seed, hours, hasFaults = true, onLine } = options;
  const time = new SimulatedTime();
  const random = new Random(seed);
  const chronicle = new Chronicle(time);
  const network = new SimulatedNetwork({ time, random: random.branch('network') });
  const parts = createModbusParts({ ...options, time, network, random: random.branch('modbus') });
  const endMs = hours * 3_600_000;
  if (hasFaults) {
    for (const { startMs, endMs: faultEndMs, text, begin } of parts.flatMap((part) =>
      part.planFaults(endMs),
    )) {
      time.schedule(startMs, () => {
        onLine?.(`${startMs.toFixed(0)}-${faultEndMs.toFixed(0)} ${text}`);
        const end = begin();
        time.schedule(faultEndMs - startMs, end);
      });
    }
  }
  // One for all connections, which share ports.
  const factory = createModbusDriverFactory(network);
  const rigs = parts.map((part) => new Rig({ part, options, time, factory, chronicle, random, endMs }));
  const done = Promise.all(rigs.map((rig) => rig.run()));
  await time.runUntil(endMs + 2_000_000);
  await done;
  const sum = (pick: (rig: Rig) => number): number => rigs.reduce((total, rig) => total + pick(rig), 0);
  return {
    chronicle,
    reads: sum((rig) => rig.reads),
    good: sum((rig) => rig.good),
    failed: sum((rig) => rig.failed),
    writes: sum((rig) => rig.writes),
    requests: sum((rig) => rig.requests),
  };
}

interface RigParts {
  readonly part: PlantPart;
  readonly options: SoakOptions;
  readonly time: SimulatedTime;
  readonly factory: ReturnType<typeof createModbusDriverFactory>;
  readonly chronicle: Chronicle;
  readonly random: Random;
  readonly endMs: number;
}

interface Item {
  readonly point: Point;
  readonly channel: Channel<ModbusAddress>;
}

/** A driver with its reader and writer for each asset. */
class Rig {
  readonly #parts: RigParts;
  readonly #driver: Driver<ModbusAddress>;
  #connecting: Promise<void> | undefined;
  #isUp = false;
  reads = 0;
  good = 0;
  failed = 0;
  writes = 0;

  constructor(parts: RigParts) {
    this.#parts = parts;
    const { part, factory, time, random } = parts;
    const { pid, type: _, ...settings } = part.driver;
    const draw = random.branch(`driver/${pid}`);
    const context = createDriverContext({ clock: time, random: () => draw.fraction() });
    this.#driver = factory.create(factory.configSchema.parse(settings), context);
  }

  get requests(): number {
    return this.#driver.counters()['requests'] ?? 0;
  }

  async run(): Promise<void> {
    const { part } = this.#parts;
    await Promise.all(
      part.assets.flatMap(({ pid, points }) => {
        const items = points.map((point) => ({ point, channel: channelSchema.parse(point.channel) }));
        return [this.#readFor(pid, items), this.#writeFor(pid, items)];
      }),
    );
    await this.#driver.disconnect();
  }

  async #readFor(pid: string, items: readonly Item[]): Promise<void> {
    const { time, endMs, options, random } = this.#parts;
    const draw = random.branch(`reader/${pid}`);
    const readable = items.filter(({ point }) => point.channel.type !== 'WRITE');
    const all = this.#driver.prepareRead(readable.map(({ channel }) => channel));
    while (time.monotonicMs() < endMs) {
      await this.#pause(draw.exponential(options.readPauseMs));
      const some = draw.chance(0.3) ? readable.filter(() => draw.chance(0.3)) : readable;
      if (some.length === 0) continue;
      const read = some === readable ? all : this.#driver.prepareRead(some.map(({ channel }) => channel));
      const fromMs = time.monotonicMs();
      const readings = await this.#try((signal) => read.read(signal));
      if (readings === undefined) this.#judgeOutage(pid, some, fromMs);
      else this.#judge(pid, { items: some, readings, fromMs });
    }
  }

  #judge(
    pid: string,
    { items, readings, fromMs }: { items: readonly Item[]; readings: readonly Reading[]; fromMs: number },
  ): void {
    const { chronicle, time } = this.#parts;
    const toMs = time.monotonicMs();
    this.reads += 1;
    for (const [index, { value, failure }] of readings.entries()) {
      const item = items[index];
      if (item === undefined) continue;
      const { point } = item;
      if (failure !== undefined) {
        this.#judgeFailure(pid, item, { fromMs, code: `${failure.code} ${failure.message}` });
        continue;
      }
      this.good += 1;
      if (!point.had(toRest(item, value), fromMs, toMs)) {
        const text = `${pid} ${point.channel.name}: ${String(value)} between ${fromMs} and ${toMs}; it has ${point.describeNow()}`;
        chronicle.break('true-value', text);
      }
    }
    chronicle.note(pid, readings.map(({ value, failure }) => failure?.code ?? String(value)).join(' '));
  }

  #judgeOutage(pid: string, items: readonly Item[], fromMs: number): void {
    for (const item of items) this.#judgeFailure(pid, item, { fromMs, code: 'no connection' });
  }

  #judgeFailure(
    pid: string,
    { point }: Item,
    { fromMs, code }: { readonly fromMs: number; readonly code: string },
  ): void {
    this.failed += 1;
    const { part, chronicle } = this.#parts;
    const sinceMs = point.healthySinceMs();
    if (sinceMs === undefined || sinceMs + part.recoveryMs > fromMs) return;
    chronicle.break('recovery', `${pid} ${point.channel.name} at ${fromMs}, well since ${sinceMs}: ${code}`);
  }

  async #writeFor(pid: string, items: readonly Item[]): Promise<void> {
    const { time, endMs, options, random, chronicle } = this.#parts;
    const draw = random.branch(`writer/${pid}`);
    const writable = items.filter(({ point }) => point.nextValue !== undefined);
    if (writable.length === 0) return;
    while (time.monotonicMs() < endMs) {
      await this.#pause(draw.exponential(5 * options.readPauseMs));
      const chosen = writable.filter(() => draw.chance(0.6));
      if (chosen.length === 0) continue;
      const asked = chosen.map((item) => ({ item, value: item.point.nextValue?.() ?? 0 }));
      const requests = asked.map(({ item, value }) => ({ channel: item.channel, value: toRaw(item, value) }));
      const outcomes = await this.#try((signal) => writeValues(this.#driver, requests, signal, time));
      this.writes += asked.length;
      for (const [index, { item, value }] of asked.entries()) {
        const failure = outcomes?.[index]?.failure;
        const count = item.point.writes.filter((write) => write.value === value).length;
        const said =
          outcomes !== undefined && failure === undefined ? 'done' : (failure?.message ?? 'no connection');
        const isUnknown = said.endsWith('outcome unknown');
        const isRight = said === 'done' ? count === 1 : isUnknown ? count <= 1 : count === 0;
        chronicle.note(pid, `wrote ${String(value)} to ${item.point.channel.name}: ${said} ${count}`);
        if (!isRight) {
          const text = `${pid} ${item.point.channel.name} ${String(value)}: ${said}, carried out ${count} times`;
          chronicle.break('write-once', text);
        }
      }
    }
  }

  async #try<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { time } = this.#parts;
    const deadline = new AbortController();
    const cancel = time.schedule(DEADLINE_MS, () => deadline.abort(new Error('the deadline passed')));
    try {
      if (!this.#isUp) await this.#connect();
      return await work(deadline.signal);
    } catch {
      this.#isUp = false;
      return undefined;
    } finally {
      cancel();
    }
  }

  #connect(): Promise<void> {
    this.#connecting ??= this.#driver
      .connect(new AbortController().signal, () => {
        this.#isUp = false;
      })
      .then(() => {
        this.#isUp = true;
      })
      .catch(async (error: unknown) => {
        await this.#pause(RECONNECT_MS);
        throw error;
      })
      .finally(() => {
        this.#connecting = undefined;
      });
    return this.#connecting;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#parts.time.schedule(ms, resolve);
    });
  }
}

function toRest({ channel }: Item, value: ChannelValue | undefined): RestValue {
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  return Number(value) * channel.valueScale + channel.valueOffset;
}

function toRaw({ channel }: Item, value: RestValue): ChannelValue {
  return typeof value === 'number' ? (value - channel.valueOffset) / channel.valueScale : value;
}
