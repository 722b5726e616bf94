import { randomBytes } from 'node:crypto';

import type { Clock } from '../base/clock.ts';
import type { GatewayEvent } from './gateway-event.ts';

/** An event as it was published. */
export interface LoggedEvent {
  /** Unique over restarts of the gateway. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly timeMs: number;
  readonly event: GatewayEvent;
}

/** Events that are kept for readers that are slow or come back; the oldest give way. */
export const MAXIMUM_KEPT_EVENTS = 1000;

/**
 * The newest events of this run of the gateway, in order. Readers keep their own place in it, so one that is slow costs
 * nothing.
 */
export class EventLog {
  readonly #clock: Clock;
  readonly #maximum: number;
  readonly #run = randomBytes(8).toString('hex');
  readonly #events: LoggedEvent[] = [];
  readonly #watchers = new Set<() => void>();
  #newest = 0;

  constructor({ clock, maximumEvents = MAXIMUM_KEPT_EVENTS }: { clock: Clock; maximumEvents?: number }) {
    this.#clock = clock;
    this.#maximum = maximumEvents;
  }

  /** Place after the newest event. */
  get end(): number {
    return this.#newest;
  }

  /** Place before the oldest event that is kept. */
  get start(): number {
    return this.#newest - this.#events.length;
  }

  /** Adds an event and tells those who watch. */
  publish(event: GatewayEvent): void {
    this.#newest += 1;
    this.#events.push({ id: this.toId(this.#newest), timeMs: this.#clock.epochMs(), event });
    if (this.#events.length > this.#maximum) this.#events.shift();
    for (const watch of this.#watchers) watch();
  }

  /** Calls `onEvent` after each event from now on; returns what ends that. */
  watch(onEvent: () => void): () => void {
    this.#watchers.add(onEvent);
    return () => this.#watchers.delete(onEvent);
  }

  /** Gives the event that follows a place; undefined when there is none, or it is no longer kept. */
  findAfter(place: number): LoggedEvent | undefined {
    return this.#events[place - this.start];
  }

  /** Gives the id with which a reader finds the place again. */
  toId(place: number): string {
    return `${this.#run}-${place}`;
  }

  /** Gives the place that an id stands for; undefined when it is of another run, or events after it are gone. */
  findPosition(id: string): number | undefined {
    const [, run, digits] = /^([0-9a-f]{16})-(\d{1,15})$/.exec(id) ?? [];
    const place = Number(digits);
    return run === this.#run && place >= this.start && place <= this.end ? place : undefined;
  }
}
