import type { Point } from '../world/truth.ts';
import { parseRecords } from './asset-client.ts';
import type { RestRecord, StreamEvents } from './asset-client.ts';
import { createPerson } from './person.ts';
import type { Person } from './person.ts';
import type { PlantPersonParts } from './reader.ts';

interface ListenerParts extends PlantPersonParts {
  /** Milliseconds since the moment from which on everything on the way to a point was well; undefined while it is not. */
  readonly calmMs: (pid: string, point: Point) => number | undefined;
}

/** A stream that is open, and what it has sent. */
interface OpenStream {
  readonly pid: string;
  readonly intervalMs: number;
  readonly newest: Map<string, RestRecord>;
  openedMs: number;
  isBegun: boolean;
  /** The client has missed something since then, and is told it until `caughtUpMs`. */
  missedSinceMs: number;
  caughtUpMs: number;
}

// A server samples, reports what it has sampled, and the gateway sends it: each once in an interval.
const INTERVALS = 3;
// A poll of a slow line, and the way to the client.
const SLACK_MS = 25_000;
// The gateway keeps changes for a client that has gone, for half a minute.
const KEPT_MS = 60_000;
const CATCH_UP_MS = 30_000;

/** Creates a client that listens to an asset for a while, leaves, and comes back with or without the id of its last event. */
export function createListener(parts: ListenerParts): Person {
  const { name: who, time, random, chronicle, client, model, pace, calmMs } = parts;
  let stream: OpenStream | undefined;
  let last:
    | { readonly pid: string; readonly intervalMs: number; readonly id: string; readonly heardMs: number }
    | undefined;

  return createPerson(
    parts,
    () => {
      if (stream === undefined) listen();
      else {
        checkNewest(stream);
        if (random.chance(0.3)) leave();
        else if (random.chance(0.1)) lag(stream);
      }
      return Promise.resolve();
    },
    () => {
      leave();
      client.close();
    },
  );

  function listen(): void {
    const resumed = random.chance(0.5) ? last : undefined;
    const assets = model.list();
    const pid = resumed?.pid ?? random.pick(assets).pid;
    const intervalMs = resumed?.intervalMs ?? random.pick([5000, 60_000, 60_000, 600_000, 3_600_000]);
    const opened: OpenStream = {
      pid,
      intervalMs,
      newest: new Map(),
      openedMs: time.monotonicMs(),
      // What a client that resumes is sent first is not all of what it has.
      isBegun: false,
      missedSinceMs: resumed?.heardMs ?? Infinity,
      caughtUpMs: time.monotonicMs() + CATCH_UP_MS,
    };

    const path = `/services/assets/${pid}/_listen?minimumIntervalMs=${intervalMs}`;
    const headers: Record<string, string> = resumed === undefined ? {} : { 'last-event-id': resumed.id };
    chronicle.note(
      who,
      `listens to ${pid} every ${intervalMs} ms${resumed === undefined ? '' : ` after ${resumed.id}`}`,
    );
    stream = opened;
    client.stream({ method: 'GET', path, headers }, eventsOf(opened));
  }

  function eventsOf(opened: OpenStream): StreamEvents {
    return {
      onEvent({ type, id, data }) {
        if (stream !== opened) return;
        chronicle.note(who, `hears ${type} ${data ?? ''}`);
        if (id !== undefined) {
          const { pid, intervalMs } = opened;
          last = { pid, intervalMs, id, heardMs: time.monotonicMs() };
        }
        if (type === 'snapshot' || type === 'change') take(opened, type, data ?? '');
      },
      onEnd(answer) {
        chronicle.note(who, `hears the end${answer === undefined ? '' : `: ${answer.status}`}`);
        if (stream !== opened) return;
        stream = undefined;
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

  function take(opened: OpenStream, type: string, data: string): void {
    const records = parseRecords(data);
    if (records === undefined) {
      chronicle.break('answer-shape', `${who} heard ${type} ${data.slice(0, 200)}`);
      return;
    }
    if (type === 'snapshot') {
      opened.newest.clear();
      opened.isBegun = true;
    }
    const nowMs = time.monotonicMs();
    const missedSinceMs = nowMs <= opened.caughtUpMs ? opened.missedSinceMs : Infinity;
    const fromMs = Math.min(nowMs, missedSinceMs) - INTERVALS * opened.intervalMs - KEPT_MS;
    for (const record of records) {
      opened.newest.set(record.name, record);
      const { value } = record;
      if (record.channelStatus.channelFlag !== 'SUCCESS' || value === undefined) continue;
      const points = pointsOf(opened.pid, record.name, fromMs);
      if (points.length === 0 || points.some((point) => point.had(value, fromMs, nowMs))) continue;
      const truth = points.map((point) => point.describeNow()).join(' or ');
      chronicle.break(
        'true-value',
        `${who} heard ${String(value)} for ${opened.pid} ${record.name}; the device: ${truth}`,
      );
    }
  }

  // What a stream sent last is what the device has, give or take an interval, when all has been well for long enough.
  function checkNewest(opened: OpenStream): void {
    const { pid, intervalMs, newest, openedMs, isBegun } = opened;
    const nowMs = time.monotonicMs();
    const calmNeededMs = INTERVALS * intervalMs + SLACK_MS;
    if (!isBegun || nowMs - openedMs < calmNeededMs) return;
    const versions = model.versionsBetween(pid, nowMs - calmNeededMs, nowMs);
    if (versions.length !== 1) return;
    checkPoll(opened, [...(versions[0]?.channels?.values() ?? [])]);
    for (const [name, point] of versions[0]?.channels ?? []) {
      const record = newest.get(name);
      if (record === undefined || (calmMs(pid, point) ?? 0) < calmNeededMs) continue;
      const { value } = record;
      if (value !== undefined && point.had(value, nowMs - calmNeededMs, nowMs)) continue;
      const shown = value === undefined ? record.channelStatus.exceptionMessage : String(value);
      chronicle.break(
        'newest-value',
        `${who} was told last ${shown} for ${pid} ${name}; the device: ${point.describeNow()}`,
      );
    }
  }

  function checkPoll({ pid, intervalMs }: OpenStream, points: readonly Point[]): void {
    const part = model.list().find((asset) => asset.pid === pid)?.part;
    const unitId = points[0]?.unitId;
    if (part === undefined || unitId === undefined) return;
    const isCalm = (point: Point): boolean => (calmMs(pid, point) ?? 0) >= INTERVALS * intervalMs + SLACK_MS;
    if (points.every((point) => point.unitId === unitId && isCalm(point)))
      pace.checkPoll(part, unitId, intervalMs);
  }

  // Reads nothing for a while, but less long than the gateway waits for.
  function lag(opened: OpenStream): void {
    const { connection } = client;
    if (connection === undefined) return;
    const lagMs = random.integer(1000, 20_000);
    connection.pauseReading();
    const nowMs = time.monotonicMs();
    opened.openedMs = nowMs + lagMs;
    opened.missedSinceMs = Math.min(nowMs, opened.caughtUpMs < nowMs ? Infinity : opened.missedSinceMs);
    opened.caughtUpMs = nowMs + lagMs + CATCH_UP_MS;
    time.schedule(lagMs, () => connection.resumeReading());
  }

  function pointsOf(pid: string, name: string, fromMs: number): readonly Point[] {
    const versions = model.versionsBetween(pid, fromMs, time.monotonicMs());
    return versions.flatMap(({ channels }) => channels?.get(name) ?? []);
  }

  function leave(): void {
    if (stream === undefined) return;
    stream = undefined;
    client.close();
  }
}
