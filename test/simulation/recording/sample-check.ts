import type { Sample } from '../../../daemon/plant/journal/sample.ts';
import type { PlantModel } from '../plant/plant-model.ts';
import type { Chronicle } from '../world/chronicle.ts';
import type { Point, RestValue } from '../world/truth.ts';
import type { RecorderModel, SettledRecorder } from './recorder-model.ts';
import { paceOf } from './recorder-model.ts';
import { toRestValue } from './recorded-value.ts';

interface SampleCheckOptions {
  readonly chronicle: Chronicle;
  readonly nowMs: () => number;
  readonly model: PlantModel;
  readonly recorders: RecorderModel;
  /** Milliseconds since which all has been well on the way to a point; undefined while it is not. */
  readonly calmMs: (pid: string, point: Point) => number | undefined;
  /** Since when the disk has room. */
  readonly roomSinceMs: () => number | undefined;
}

interface NewestSample {
  readonly value: RestValue | undefined;
  readonly atMs: number;
}

// A server samples, reports what it has sampled, and the recorder takes it: each once in an interval.
const INTERVALS = 3;
// The longest call, and a probe of a unit that has been silent.
const SLACK_MS = 60_000;
// A device that reports changes may be asked for them by a slower listener, who leaves.
const LINGER_MS = 35_000;
const LATELY_MS = 1000;
// More steps of a value within a deadband are not tried.
const MOST_STEPS = 8;

/** Checks recorded samples against what devices had, and that none of those that must be there is missing. */
export class SampleCheck {
  readonly #options: SampleCheckOptions;
  /** By recorder, asset and channel. */
  readonly #newest = new Map<string, NewestSample>();

  constructor(options: SampleCheckOptions) {
    this.#options = options;
  }

  /** Checks `recorded-value` of a sample that is taken now. */
  checkValue(sample: Sample): void {
    const { chronicle, nowMs, model, recorders } = this.#options;
    const { series, quality } = sample;
    if (quality !== 'GOOD') return;
    const value = toRestValue(sample);
    const paceMs = Math.max(...sample.recorders.map((pid) => recorders.findPace(pid, nowMs())));
    const fromMs = nowMs() - INTERVALS * paceMs - SLACK_MS;
    const points = model
      .versionsBetween(series.asset, fromMs, nowMs())
      .flatMap(({ channels }) => channels?.get(series.channel) ?? []);
    if (value !== undefined && points.some((point) => hadLately(point, value, fromMs, nowMs()))) return;
    const truth = points.map((point) => point.describeNow()).join(' or ');
    const text = `${sample.recorders.join(' ')} took ${String(value)} for ${series.asset} ${series.channel} at ${nowMs().toFixed(1)}; the device: ${truth}`;
    chronicle.break('recorded-value', text);
  }

  /** Notes a sample that the journal has. */
  noteShown(sample: Sample, atMs: number): void {
    const { asset, channel } = sample.series;
    const newest = { value: toRestValue(sample), atMs };
    for (const pid of sample.recorders) this.#newest.set(keyOf(pid, asset, channel), newest);
  }

  /** Checks `recording-goes-on`, when everything that the journal has was noted. */
  checkAll(): void {
    const { recorders, model, nowMs, roomSinceMs } = this.#options;
    const room = roomSinceMs();
    if (room === undefined) return;
    for (const settled of recorders.list()) {
      const { recorder, sinceMs } = settled;
      const neededMs = INTERVALS * paceOf(recorder) + SLACK_MS + LINGER_MS;
      if (nowMs() - Math.max(sinceMs, room) < neededMs) continue;
      for (const { asset, channels } of recorder.assets) {
        const versions = model.versionsBetween(asset, nowMs() - neededMs, nowMs());
        if (versions.length !== 1) continue;
        for (const [name, point] of versions[0]?.channels ?? [])
          if (channels?.includes(name) !== false) this.#checkPoint(settled, { asset, name, point, neededMs });
      }
    }
  }

  #checkPoint(
    { recorder }: SettledRecorder,
    { asset, name, point, neededMs }: { asset: string; name: string; point: Point; neededMs: number },
  ): void {
    const { nowMs, calmMs, chronicle } = this.#options;
    const { channel } = point;
    if (channel.type === 'WRITE' || channel['isEnabled'] === false) return;
    if ((calmMs(asset, point) ?? 0) < neededMs) return;
    const { value, atMs = -Infinity } = this.#newest.get(keyOf(recorder.pid, asset, name)) ?? {};
    const fromMs = nowMs() - neededMs;
    if (
      recorder.intervalMs !== undefined
        ? atMs >= fromMs
        : this.#isNear(recorder.deadband ?? 0, point, { value, atMs }, fromMs)
    )
      return;
    chronicle.break(
      'recording-goes-on',
      `${recorder.pid} took ${String(value)} of ${asset} ${name} last, at ${atMs.toFixed(1)}; the device: ${point.describeNow()}`,
    );
  }

  /** Whether the device had a value that does not have to be recorded after this one. */
  #isNear(deadband: number, point: Point, { value, atMs }: Partial<NewestSample>, fromMs: number): boolean {
    if (value === undefined) return false;
    const toMs = this.#options.nowMs();
    // Mostly the device had it when it was taken.
    if (
      atMs !== undefined &&
      atMs >= fromMs &&
      hadLately(point, value, Math.max(fromMs, atMs - LATELY_MS), atMs)
    )
      return true;
    if (hadLately(point, value, fromMs, toMs)) return true;
    if (deadband === 0) return false;
    if (typeof value !== 'number') return point.channel.valueType === 'LONG';
    // Values of other steps than 1 may be near without being tried.
    if (point.channel.valueType !== 'INTEGER' || deadband > MOST_STEPS) return true;
    const steps = Array.from({ length: Math.floor(deadband) }, (_, index) => index + 1);
    return steps.some(
      (step) => point.had(value + step, fromMs, toMs) || point.had(value - step, fromMs, toMs),
    );
  }
}

// Mostly it is the present value, and looking far back takes time.
function hadLately(point: Point, value: RestValue, fromMs: number, toMs: number): boolean {
  return point.had(value, Math.max(fromMs, toMs - LATELY_MS), toMs) || point.had(value, fromMs, toMs);
}

function keyOf(pid: string, asset: string, channel: string): string {
  return `${pid}\n${asset}\n${channel}`;
}
