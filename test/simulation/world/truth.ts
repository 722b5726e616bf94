import type { LineLoad } from '../devices/line-load.ts';

/** A value as the REST interface gives it: BYTE_ARRAY as base64, and text for numbers that JSON does not have. */
export type RestValue = number | boolean | string;

/** A write that reached a device and changed it. */
export interface CarriedOutWrite {
  readonly atMs: number;
  readonly value: RestValue;
}

/** Since when a point is in order, as the world knows; undefined while something is wrong with it or on the way to it. */
export type HealthySinceMs = number | undefined;

/**
 * One value of a device, and the truth about it: what a channel of the gateway is compared with.
 *
 * All times are those of `SimulatedTime.monotonicMs`. What is older than `HISTORY_MS` may be forgotten.
 */
export interface Point {
  /** The channel as the configuration has it, with its address; its name is unique in its asset. */
  readonly channel: {
    readonly name: string;
    readonly type: 'READ' | 'WRITE' | 'READ_WRITE';
    readonly valueType: string;
    readonly [field: string]: unknown;
  };
  /** Whether the device had the value at some moment of this period, its ends included. */
  had(value: RestValue, fromMs: number, toMs: number): boolean;
  /** Returns the value that the device has now, for the story of a failure. */
  describeNow(): string;
  /** Which of the units behind its connection has it; absent where a connection has one device. */
  readonly unitId?: number;
  /** Writes that were carried out, in their order; whoever has compared them may remove all but the newest. */
  readonly writes: CarriedOutWrite[];
  /** Returns a value that was never written to this point before; undefined when it cannot be written. */
  nextValue?(): RestValue;
  /** Present where a value tells which one it follows. */
  readonly succession?: Succession;
  /**
   * Returns since when the point answers without any fault, on its own and on the way to it; a value that is asked for
   * from `recoveryMs` after that on has to come.
   */
  healthySinceMs(): HealthySinceMs;
}

/** Values of which none may be left out. */
export interface Succession {
  /** Whether somebody who is told of changes in this interval has to be told of every value. */
  isWholeAt(intervalMs: number): boolean;
  /** Whether the device keeps values until they are fetched; otherwise they last for long enough. */
  readonly isQueued: boolean;
  /** Whether one value comes right after the other. */
  follows(earlier: RestValue, later: RestValue): boolean;
}

/** How long a truth is kept, in milliseconds: longer than any request lasts, and than any listener waits for a change. */
export const HISTORY_MS = 7_200_000;

/** What tells a fault from all others, as a scenario keeps it. */
export interface KeptFault {
  /** Unique in the run and the same in each run of the seed, for example `line2.unit7#3`. */
  readonly id: string;
  /** Which of the faults that the thing can have; what else is drawn for it follows from seed and id. */
  readonly kind: string;
  readonly startMs: number;
  readonly endMs: number;
  /** For the story of a failure: `line2.unit7 does not answer register 12`. */
  readonly text: string;
}

/** A fault that is going to come; a run may leave some out. */
export interface PlannedFault extends KeptFault {
  /** Called at its start; returns what ends it. */
  readonly begin: () => () => void;
}

/** Devices that are reached over one connection of the gateway, configured as one driver. */
export interface PlantPart {
  /** The driver as the configuration has it. */
  readonly driver: { readonly pid: string; readonly type: string; readonly [field: string]: unknown };
  /** Assets on the driver, each with its points. */
  readonly assets: readonly { readonly pid: string; readonly points: readonly Point[] }[];
  /**
   * The faults of a run of this length, drawn from the part's own branch of the seed.
   *
   * @param kept those that come, at their times, instead of drawn ones; those of other parts are left out
   */
  planFaults(endMs: number, kept?: readonly KeptFault[]): readonly PlannedFault[];
  /**
   * Milliseconds after the end of the last fault by which every value comes again; what docs/dev/reliability.md states for
   * this kind of connection.
   */
  readonly recoveryMs: number;
  /** What its units were asked; absent where a connection has one device. */
  readonly load?: LineLoad;
  /** When a device was asked for a value last, or told one; undefined: never. */
  askedMs?(): number | undefined;
  /** Subscriptions that its devices have. */
  subscriptions?(): number;
  /** What the one instrument of a serial line was asked; absent for other connections. */
  readonly line?: LineLoad;
  /** Returns how long messages of subscriptions waited for a request of the gateway, and forgets it. */
  takeWaits?(): readonly MessageWait[];
}

/** A time in which a server had something to report, and no request of the gateway to report it with. */
export interface MessageWait {
  /** When the subscription was made, or reported last: what failed since then may have left it without an owner. */
  readonly quietSinceMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Since when nothing was wrong with the server, at the end of it. */
  readonly healthySinceMs: HealthySinceMs;
}
