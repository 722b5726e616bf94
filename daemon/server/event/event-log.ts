import type { Clock } from '../../base/clock.ts';
import type { RandomSource } from '../../base/random.ts';
import { ResumableLog } from '../../base/file/resumable-log.ts';
import type { GatewayEvent } from './gateway-event.ts';

/** An event as it was published. */
export interface LoggedEvent {
  /** Unique over restarts of the gateway. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  readonly event: GatewayEvent;
}

/** Number of events that are kept for readers that are slow or come back; the oldest are dropped. */
export const MAXIMUM_KEPT_EVENTS = 1000;

interface EventLogOptions {
  readonly clock: Clock;
  readonly maximumEvents?: number;
  /** Default: the system's random source. */
  readonly random?: RandomSource;
}

/** Keeps the newest events of this run of the gateway, in order, and notifies those who watch. */
export class EventLog {
  readonly #clock: Clock;
  readonly #log: ResumableLog<Omit<LoggedEvent, 'id'>>;
  readonly #watchers = new Set<() => void>();

  constructor({ clock, maximumEvents = MAXIMUM_KEPT_EVENTS, random }: EventLogOptions) {
    this.#clock = clock;
    this.#log = new ResumableLog({ maximumWeight: maximumEvents, random });
  }

  /** Position after the newest event. */
  get end(): number {
    return this.#log.end;
  }

  /** Position before the oldest event that is kept. */
  get start(): number {
    return this.#log.start;
  }

  /** Appends an event and calls every watcher. */
  publish(event: GatewayEvent): void {
    this.#log.append({ timeMs: this.#clock.epochMs(), event });
    for (const watch of this.#watchers) watch();
  }

  /** Calls `onEvent` after each event from now on; returns a function that ends this. */
  watch(onEvent: () => void): () => void {
    this.#watchers.add(onEvent);
    return () => this.#watchers.delete(onEvent);
  }

  /** Returns the event that follows a position; undefined when there is none, or it is no longer kept. */
  findAfter(position: number): LoggedEvent | undefined {
    const found = this.#log.findAfter(position);
    return found && { id: this.toId(position + 1), ...found };
  }

  /** Returns the id by which a reader finds a position again. */
  toId(position: number): string {
    return this.#log.toId(position);
  }

  /** Returns the position of an id; undefined when the id is of another run, or events after it are gone. */
  findPosition(id: string): number | undefined {
    return this.#log.findPosition(id);
  }
}
