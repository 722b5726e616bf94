import { HISTORY_MS } from '../../world/truth.ts';
import type { CarriedOutWrite, RestValue } from '../../world/truth.ts';
import { Health } from '../health.ts';
import { HeldTrack } from '../value-track.ts';
import type { MovingTrack } from '../value-track.ts';
import { elementsOf, putPart, takePart, toPartValue } from './element-range.ts';
import type { ElementRange } from './element-range.ts';
import type { NodeType } from './node-types.ts';

/** Name of a StatusCode. */
export type StatusName = string;

interface StatusChange {
  readonly fromMs: number;
  readonly status: StatusName;
}

/** The outcome of writing a node. */
export interface NodeWriteResult {
  readonly status: StatusName;
  readonly isDone: boolean;
}

/** A fault of one node. */
export interface NodeFault {
  /** What a reader gets instead of `Good`. */
  readonly readStatus?: StatusName;
  /** What a writer gets. */
  readonly write?: NodeWriteResult;
}

export interface NodeOptions {
  /** With its type: `s=Pump.Speed`. */
  readonly identifier: string;
  readonly namespaceUri: string;
  readonly type: NodeType;
  readonly track: HeldTrack | MovingTrack;
  readonly time: { monotonicMs(): number };
}

const GOOD = 'Good';

/** A variable of a simulated server: its value, status and writes over time. */
export class SimulatedNode {
  readonly identifier: string;
  readonly namespaceUri: string;
  readonly type: NodeType;
  readonly track: HeldTrack | MovingTrack;
  readonly health: Health;
  readonly writes: CarriedOutWrite[] = [];
  /** Writes of elements of an array, by their range; absent: those are not written alone. */
  readonly writesOfParts = new Map<ElementRange, CarriedOutWrite[]>();
  /** Called when value or status changed otherwise than the track foretells. */
  onChange: () => void = () => undefined;
  readonly #time: { monotonicMs(): number };
  readonly #faults = new Set<NodeFault>();
  #statuses: StatusChange[] = [{ fromMs: 0, status: GOOD }];

  constructor({ identifier, namespaceUri, type, track, time }: NodeOptions) {
    this.identifier = identifier;
    this.namespaceUri = namespaceUri;
    this.type = type;
    this.track = track;
    this.#time = time;
    this.health = new Health(time);
  }

  get isWritable(): boolean {
    return this.track instanceof HeldTrack;
  }

  /** Returns the name of the status at a time that is not older than `HISTORY_MS`. */
  statusAt(ms: number): StatusName {
    return this.#statuses.findLast(({ fromMs }) => fromMs <= ms)?.status ?? GOOD;
  }

  /** Returns when value or status may be another next, as far as it is known now. */
  nextChangeMs(afterMs: number): number {
    const status = this.#statuses.find(({ fromMs }) => fromMs > afterMs);
    return Math.min(this.track.nextChangeMs(afterMs), status?.fromMs ?? Infinity);
  }

  /** Returns the value at a time; of an array, as many elements in a text as are asked for. */
  valueAt(ms: number, range: ElementRange | undefined): RestValue {
    const whole = this.track.at(ms);
    return range === undefined ? whole : JSON.stringify([takePart(whole, range)].flatMap(toElements));
  }

  /** Takes elements of an array from a client. */
  writePart(range: ElementRange, part: readonly number[]): StatusName {
    const writes = this.writesOfParts.get(range);
    const whole = putPart(this.track.at(this.#time.monotonicMs()), range, part);
    if (whole === undefined || writes === undefined) return 'BadIndexRangeNoData';
    return this.#set(whole, toPartValue(part, range), writes);
  }

  /** Takes a value of the right type from a client. */
  write(value: RestValue): StatusName {
    return this.#set(value, value, this.writes);
  }

  #set(whole: RestValue, value: RestValue, writes: CarriedOutWrite[]): StatusName {
    const { track } = this;
    if (!(track instanceof HeldTrack)) return 'BadNotWritable';
    const fault = [...this.#faults].find(({ write }) => write !== undefined)?.write;
    const { status, isDone } = fault ?? { status: GOOD, isDone: true };
    if (isDone) {
      const atMs = this.#time.monotonicMs();
      writes.push({ atMs, value });
      track.set(atMs, whole);
      this.onChange();
    }
    return status;
  }

  /** Begins a fault; returns what ends it. */
  fail(fault: NodeFault): () => void {
    const end = this.health.begin();
    this.#faults.add(fault);
    this.#noteStatus();
    return () => {
      end();
      this.#faults.delete(fault);
      this.#noteStatus();
    };
  }

  /** Has another value from now on, as after a restart of its device. */
  restart(steps: number, value: () => RestValue): void {
    const nowMs = this.#time.monotonicMs();
    if (this.track instanceof HeldTrack) this.track.set(nowMs, value());
    else this.track.jump(nowMs, steps);
    this.onChange();
  }

  #noteStatus(): void {
    const fromMs = this.#time.monotonicMs();
    const fault = [...this.#faults].find(({ readStatus }) => readStatus !== undefined);
    this.#statuses.push({ fromMs, status: fault?.readStatus ?? GOOD });
    const current = this.#statuses.findLastIndex((each) => each.fromMs <= fromMs - HISTORY_MS);
    if (current > 0) this.#statuses.splice(0, current);
    this.onChange();
  }
}

function toElements(part: RestValue): readonly number[] {
  return typeof part === 'string' ? elementsOf(part) : [Number(part)];
}
