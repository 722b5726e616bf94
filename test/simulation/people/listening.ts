import type { Point, RestValue } from '../world/truth.ts';
import { parseRecords } from './asset-client.ts';
import type { RestRecord, StreamEvents } from './asset-client.ts';
import type { PlantPersonParts } from './reader.ts';

export interface ListeningParts extends PlantPersonParts {
  /** Milliseconds since the moment from which on everything on the way to a point was well; undefined while it is not. */
  readonly calmMs: (pid: string, point: Point) => number | undefined;
  /** When somebody began or ceased to listen to an asset the last time, by its pid; all listeners share it. */
  readonly audience: Map<string, number>;
}

/** What somebody listens to. */
export interface ListenWish {
  readonly pid: string;
  /** Undefined: every channel that can be read. */
  readonly names: readonly string[] | undefined;
  readonly intervalMs: number;
}

interface HeardValue {
  /** Of the channel. */
  readonly name: string;
  readonly value: RestValue;
  readonly atMs: number;
}

/** A stream that is open, and what it has sent. */
interface OpenStream extends ListenWish {
  readonly newest: Map<string, RestRecord>;
  /** The last values, also those of the stream that this one goes on with. */
  readonly heard: Map<string, HeardValue>;
  openedMs: number;
  isBegun: boolean;
  /** The client has missed something since then, and is told it until `caughtUpMs`. */
  missedSinceMs: number;
  caughtUpMs: number;
}

/** Where a stream ended, so that another one can go on there. */
interface LastHeard extends ListenWish {
  readonly id: string;
  readonly heard: Map<string, HeardValue>;
  readonly heardMs: number;
}

// A server samples, reports what it has sampled, and the gateway sends it: each once in an interval.
const INTERVALS = 3;
// A poll of a slow line, and the way to the client.
const SLACK_MS = 25_000;
// The gateway keeps changes for a client that has gone, for half a minute.
const KEPT_MS = 60_000;
const CATCH_UP_MS = 30_000;
// A value comes with the next event, and later to a client that lags.
const ON_THE_WAY_MS = 60_000;
// The demand of a client that has gone lasts so long.
const LINGER_MS = 35_000;

/** Listens to an asset, and checks what it is told. */
export class Listening {
  readonly #parts: ListeningParts;
  #stream: OpenStream | undefined;
  #last: LastHeard | undefined;

  constructor(parts: ListeningParts) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  /** What was listened to before, when there is an id to go on with. */
  get last(): ListenWish | undefined {
    return this.#last;
  }

  /** Begins to listen. */
  begin(wish: ListenWish): void {
    this.#open(wish, undefined);
  }

  /** Goes on where the last stream ended. */
  resume(): void {
    if (this.#last !== undefined) this.#open(this.#last, this.#last);
  }

  leave(): void {
    const { client } = this.#parts;
    if (this.#stream === undefined) return;
    this.#noteAudience(this.#stream.pid);
    this.#stream = undefined;
    client.close();
  }

  /** Reads nothing for a while, but less long than the gateway waits for. */
  lag(lagMs: number): void {
    const { client, time } = this.#parts;
    const { connection } = client;
    const stream = this.#stream;
    if (connection === undefined || stream === undefined) return;
    connection.pauseReading();
    const nowMs = time.monotonicMs();
    stream.openedMs = nowMs + lagMs;
    stream.missedSinceMs = Math.min(nowMs, stream.caughtUpMs < nowMs ? Infinity : stream.missedSinceMs);
    stream.caughtUpMs = nowMs + lagMs + CATCH_UP_MS;
    time.schedule(lagMs, () => connection.resumeReading());
  }

  /** Checks that what was sent last is what the device has, give or take an interval, when all has been well for long enough. */
  checkNewest(): void {
    const { time, model, chronicle, calmMs, name: who } = this.#parts;
    if (this.#stream === undefined) return;
    const { pid, names, intervalMs, newest, openedMs, isBegun } = this.#stream;
    const nowMs = time.monotonicMs();
    const calmNeededMs = INTERVALS * intervalMs + SLACK_MS;
    if (!isBegun || nowMs - openedMs < calmNeededMs) return;
    const versions = model.versionsBetween(pid, nowMs - calmNeededMs, nowMs);
    if (versions.length !== 1) return;
    const points = [...(versions[0]?.channels ?? [])].filter(([name]) => names?.includes(name) !== false);
    this.#checkPoll(
      this.#stream,
      points.map(([, point]) => point),
    );
    for (const [name, point] of versions[0]?.channels ?? []) {
      const record = newest.get(name);
      if (record === undefined && names?.includes(name) !== true) continue;
      if ((calmMs(pid, point) ?? 0) < calmNeededMs) continue;
      const { value } = record ?? {};
      if (value !== undefined && point.had(value, nowMs - calmNeededMs, nowMs)) continue;
      const shown = value === undefined ? record?.channelStatus.exceptionMessage : String(value);
      chronicle.break(
        'newest-value',
        `${who} was told last ${shown} for ${pid} ${name}; the device: ${point.describeNow()}`,
      );
    }
  }

  #checkPoll({ pid, intervalMs }: OpenStream, points: readonly Point[]): void {
    const { model, pace, calmMs } = this.#parts;
    const part = model.list().find((asset) => asset.pid === pid)?.part;
    const unitId = points[0]?.unitId;
    if (part === undefined || (unitId === undefined && !points.some(isAskedFor))) return;
    const isCalm = (point: Point): boolean => (calmMs(pid, point) ?? 0) >= INTERVALS * intervalMs + SLACK_MS;
    if (points.every((point) => point.unitId === unitId && isCalm(point)))
      pace.checkPoll(part, unitId, intervalMs);
  }

  #open(wish: ListenWish, resumed: LastHeard | undefined): void {
    const { name: who, time, chronicle, client } = this.#parts;
    const { pid, names, intervalMs } = wish;
    const opened: OpenStream = {
      pid,
      names,
      intervalMs,
      newest: new Map(),
      heard: new Map(resumed?.heard),
      openedMs: time.monotonicMs(),
      // What a client that resumes is sent first is not all of what it has.
      isBegun: false,
      missedSinceMs: resumed?.heardMs ?? Infinity,
      caughtUpMs: time.monotonicMs() + CATCH_UP_MS,
    };
    const wanted = names === undefined ? '' : `&channels=${names.map(encodeURIComponent).join(',')}`;
    const path = `/services/assets/${pid}/_listen?minimumIntervalMs=${intervalMs}${wanted}`;
    const headers: Record<string, string> = resumed === undefined ? {} : { 'last-event-id': resumed.id };
    const after = resumed === undefined ? '' : ` after ${resumed.id}`;
    chronicle.note(who, `listens to ${pid} ${names?.join(' ') ?? ''} every ${intervalMs} ms${after}`);
    this.#stream = opened;
    this.#noteAudience(pid);
    client.stream({ method: 'GET', path, headers }, this.#eventsOf(opened));
  }

  #eventsOf(opened: OpenStream): StreamEvents {
    const { name: who, time, chronicle, client } = this.#parts;
    return {
      onEvent: ({ type, id, data }) => {
        if (this.#stream !== opened) return;
        chronicle.note(who, `hears ${type} ${data ?? ''}`);
        if (id !== undefined) {
          const { pid, names, intervalMs, heard } = opened;
          this.#last = { pid, names, intervalMs, heard, id, heardMs: time.monotonicMs() };
        }
        if (type === 'gap') opened.heard.clear();
        if (type === 'snapshot' || type === 'change') this.#take(opened, type, data ?? '');
      },
      onEnd: (answer) => {
        chronicle.note(who, `hears the end${answer === undefined ? '' : `: ${answer.status}`}`);
        if (this.#stream !== opened) return;
        this.#noteAudience(opened.pid);
        this.#stream = undefined;
        client.close();
        if (answer !== undefined && ![404, 503].includes(answer.status)) {
          chronicle.break(
            'answer-shape',
            `${who} listened to ${opened.pid}: ${answer.status} ${answer.body}`,
          );
        }
      },
    };
  }

  #take(opened: OpenStream, type: 'snapshot' | 'change', data: string): void {
    const { name: who, time, chronicle } = this.#parts;
    const records = parseRecords(data);
    if (records === undefined) {
      chronicle.break('answer-shape', `${who} heard ${type} ${data.slice(0, 200)}`);
      return;
    }
    if (type === 'snapshot') {
      opened.newest.clear();
      opened.heard.clear();
      opened.isBegun = true;
    }
    const nowMs = time.monotonicMs();
    const missedSinceMs = nowMs <= opened.caughtUpMs ? opened.missedSinceMs : Infinity;
    const fromMs = Math.min(nowMs, missedSinceMs) - INTERVALS * opened.intervalMs - KEPT_MS;
    for (const record of records) {
      if (opened.names?.includes(record.name) === false) {
        chronicle.break('answer-shape', `${who} heard of ${record.name}, which it did not ask for`);
      }
      opened.newest.set(record.name, record);
      const { value } = record;
      if (record.channelStatus.channelFlag !== 'SUCCESS' || value === undefined) {
        opened.heard.delete(record.name);
        continue;
      }
      const points = this.#pointsOf(opened.pid, record.name, fromMs);
      const [point] = points;
      if (point !== undefined && points.length === 1)
        this.#checkNext(opened, point, { name: record.name, value, atMs: nowMs });
      if (points.length === 0 || points.some((each) => each.had(value, fromMs, nowMs))) continue;
      const truth = points.map((each) => each.describeNow()).join(' or ');
      chronicle.break(
        'true-value',
        `${who} heard ${String(value)} for ${opened.pid} ${record.name}; the device: ${truth}`,
      );
    }
    if (type === 'change') this.#checkLast(opened, records);
  }

  // A queue that is full loses the oldest values: the last two of a report are always neighbours.
  #checkLast({ pid, intervalMs }: OpenStream, records: readonly RestRecord[]): void {
    const { name: who, time, audience, calmMs, chronicle } = this.#parts;
    const nowMs = time.monotonicMs();
    const neededMs = INTERVALS * intervalMs + ON_THE_WAY_MS;
    for (const [name, all] of Map.groupBy(records, (record) => record.name)) {
      const [earlier, later] = all.slice(-2).map(({ value }) => value);
      if (earlier === undefined || later === undefined) continue;
      const [point, other] = this.#pointsOf(pid, name, nowMs - neededMs);
      if (point?.succession?.isQueued !== true || other !== undefined) continue;
      if ((calmMs(pid, point) ?? 0) < neededMs || (audience.get(pid) ?? 0) > nowMs - neededMs) continue;
      if (point.succession.follows(earlier, later)) continue;
      const shown = [earlier, later].map((value) => String(value).slice(0, 40)).join(' right before ');
      chronicle.break('newest-value', `${who} heard ${shown} for ${pid} ${name}`);
    }
  }

  // Each value that lasts for long enough, or that the device queues, is heard, unless a gap is.
  #checkNext({ pid, intervalMs, heard }: OpenStream, point: Point, now: HeardValue): void {
    const { succession } = point;
    if (succession === undefined) return;
    const { chronicle, audience, calmMs, name: who } = this.#parts;
    const before = heard.get(now.name);
    heard.set(now.name, now);
    if (before === undefined || before.value === now.value || !succession.isWholeAt(intervalMs)) return;
    const neededMs = now.atMs - before.atMs + INTERVALS * intervalMs + ON_THE_WAY_MS;
    if ((calmMs(pid, point) ?? 0) < neededMs) return;
    // Another listener may have made the gateway ask the device anew.
    if (succession.isQueued && (audience.get(pid) ?? 0) > before.atMs - LINGER_MS) return;
    if (succession.follows(before.value, now.value)) return;
    const shown = [before.value, now.value].map((value) => String(value).slice(0, 40)).join(' and then ');
    chronicle.break('newest-value', `${who} heard ${shown} for ${pid} ${now.name}, and no gap`);
  }

  #noteAudience(pid: string): void {
    this.#parts.audience.set(pid, this.#parts.time.monotonicMs());
  }

  #pointsOf(pid: string, name: string, fromMs: number): readonly Point[] {
    const { model, time } = this.#parts;
    const versions = model.versionsBetween(pid, fromMs, time.monotonicMs());
    return versions.flatMap(({ channels }) => channels?.get(name) ?? []);
  }
}

// An instrument may also send a value that nobody asks for.
function isAskedFor({ channel: { address } }: Point): boolean {
  return typeof address === 'object' && address !== null && 'request' in address;
}
