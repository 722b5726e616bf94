import type { RestRecord } from '../people/asset-client.ts';
import type { Chronicle } from '../world/chronicle.ts';
import type { PlantPart, Point } from '../world/truth.ts';
import type { Channels, PlantModel } from './plant-model.ts';
import type { WriteLedger } from './write-ledger.ts';

/** A read and its answer. */
export interface AnsweredRead {
  readonly who: string;
  readonly pid: string;
  readonly part: PlantPart;
  /** Undefined: every channel that can be read. */
  readonly names: readonly string[] | undefined;
  readonly sentMs: number;
  readonly answeredMs: number;
  /** Age that values may have, beyond the time of the request. */
  readonly maximumAgeMs: number;
  readonly records: readonly RestRecord[];
}

interface ValueCheckOptions {
  readonly chronicle: Chronicle;
  readonly model: PlantModel;
  readonly ledger: Pick<WriteLedger, 'acknowledgedMs'>;
  /** Since when the gateway serves without a break; undefined while it does not. */
  readonly servingSinceMs: () => number | undefined;
  /** When the configuration of a driver or asset of the part changed last: its connection may be a new one. */
  readonly changedAtMs: (part: PlantPart) => number;
}

// A crowd is served by then.
const LONGEST_OVERLOAD_MS = 900_000;
// A probe of a unit comes after four seconds, and after another four by another request.
const SECOND_LOOK_MS = 20_000;
const INSTANT_MS = 0.001;

/** Compares what reads and streams say with what devices had. */
export class ValueCheck {
  readonly #options: ValueCheckOptions;
  // Points that gave no value although they should have, by the time of the first such read.
  readonly #missingSinceMs = new Map<Point, number>();

  // Assets that took no request since then, by pid.
  readonly #refusingSinceMs = new Map<string, number>();

  constructor(options: ValueCheckOptions) {
    this.#options = options;
  }

  /** Checks `answer-shape`, `true-value` and `recovery` of one read. */
  checkRead(read: AnsweredRead): void {
    const { pid, sentMs, answeredMs, records } = read;
    this.#refusingSinceMs.delete(pid);
    const versions = this.#options.model.versionsBetween(pid, sentMs, answeredMs);
    const isSure = versions.length === 1 && (versions[0]?.sureMs ?? Infinity) <= sentMs;
    if (isSure) this.#checkNames(read, versions[0]?.channels);
    for (const record of records) {
      const points = versions.flatMap(({ channels }) => channels?.get(record.name) ?? []);
      if (points.length === 0) continue;
      if (record.channelStatus.channelFlag === 'SUCCESS') this.#checkValue(read, record, points);
      else if (isSure && points[0] !== undefined) this.#checkFailure(read, record, points[0]);
    }
  }

  /** Checks `recovery` of an asset that had no room for a read. */
  noteRefusal(who: string, pid: string, sentMs: number): void {
    const { servingSinceMs, chronicle } = this.#options;
    const sinceMs = this.#refusingSinceMs.get(pid) ?? sentMs;
    this.#refusingSinceMs.set(pid, sinceMs);
    if ((servingSinceMs() ?? Infinity) > sinceMs) this.#refusingSinceMs.delete(pid);
    else if (sentMs - sinceMs > LONGEST_OVERLOAD_MS) {
      const text = `${who}: ${pid} has refused every read since ${sinceMs.toFixed(1)}`;
      chronicle.break('recovery', text);
    }
  }

  #checkNames({ who, pid, names, records }: AnsweredRead, channels: Channels): void {
    const expected = names ?? listReadable(channels);
    const shown = records.map(({ name }) => name);
    if (shown.length === expected.length && shown.every((name, index) => name === expected[index])) return;
    const text = `${who} read ${pid}: expected ${expected.join(' ')}; got ${shown.join(' ')}`;
    this.#options.chronicle.break('answer-shape', text);
  }

  #checkValue(read: AnsweredRead, { name, value }: RestRecord, points: readonly Point[]): void {
    const { who, pid, sentMs, answeredMs, maximumAgeMs } = read;
    const { ledger } = this.#options;
    const writtenMs = Math.max(...points.map((point) => ledger.acknowledgedMs(point, pid, sentMs)));
    // What it had until then ends at that very moment.
    const fromMs = Math.max(sentMs - maximumAgeMs, writtenMs + INSTANT_MS);
    for (const point of points) this.#missingSinceMs.delete(point);
    if (value !== undefined && points.some((point) => point.had(value, fromMs, answeredMs))) return;
    const truth = points.map((point) => point.describeNow()).join(' or ');
    const text = `${who} got ${String(value)} for ${pid} ${name} (asked at ${fromMs.toFixed(1)}, answered at ${answeredMs.toFixed(1)}); the device: ${truth}`;
    this.#options.chronicle.break('true-value', text);
  }

  // A value has to come when nothing was wrong for long enough before the request, and nothing was until the answer. A
  // driver may have to find out first that all is well: the second time has no excuse.
  #checkFailure(read: AnsweredRead, record: RestRecord, point: Point): void {
    const { who, pid, part, sentMs, answeredMs } = read;
    const { servingSinceMs, changedAtMs, chronicle } = this.#options;
    if (!isReadable(point)) return;
    const causesMs = [point.healthySinceMs(), servingSinceMs(), changedAtMs(part)];
    if (causesMs.some((sinceMs) => sinceMs === undefined || sinceMs + part.recoveryMs > sentMs)) {
      this.#missingSinceMs.delete(point);
      return;
    }
    const sinceMs = Math.max(...causesMs.map(Number));
    const noticedMs = this.#missingSinceMs.get(point) ?? sentMs;
    // What was missing before the last fault, and was not asked for since, says nothing about the time after it.
    const missingSinceMs = noticedMs < sinceMs ? sentMs : noticedMs;
    this.#missingSinceMs.set(point, missingSinceMs);
    if (sentMs < missingSinceMs + SECOND_LOOK_MS) return;
    const { exceptionMessage = '' } = record.channelStatus;
    const text = `${who} got no value of ${pid} ${record.name} at ${answeredMs.toFixed(1)}, although all has been well since ${sinceMs.toFixed(1)}: ${exceptionMessage}`;
    chronicle.break('recovery', text);
  }
}

function isReadable({ channel }: Point): boolean {
  return channel.type !== 'WRITE' && channel['isEnabled'] !== false;
}

function listReadable(channels: Channels): readonly string[] {
  return [...(channels ?? [])].flatMap(([name, point]) => (isReadable(point) ? [name] : []));
}
