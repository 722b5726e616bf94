import { AcknowledgedRanges } from '../../mqtt/delivery/acknowledged-ranges.ts';
import type { CursorRange } from '../../mqtt/delivery/acknowledged-ranges.ts';

interface Recent {
  readonly range: CursorRange;
  readonly atMs: number;
}

/**
 * Entries of a journal that have arrived at the broker, and those that count as delivered.
 *
 * A host that is lost is noticed late: by MQTT after one and a half times its keep-alive. What arrived at the broker within the window
 * before is taken as not delivered, and sent again when the host is back. Without a connection nothing is heard of the host: the
 * window does not move then.
 */
export class DeliveryLog {
  readonly #windowMs: number;
  /** Arrived before the window. */
  #settled: AcknowledgedRanges;
  /** Arrived. */
  #arrived: AcknowledgedRanges;
  #recent: Recent[] = [];
  /** Undefined: there is a connection. */
  #pausedAtMs: number | undefined;
  /** Time without a connection. */
  #pausedMs = 0;

  /**
   * @param acknowledged cursor that the journal has stored
   * @param windowMs 0: what has arrived is delivered
   */
  constructor(acknowledged: number, windowMs: number) {
    this.#windowMs = windowMs;
    this.#settled = new AcknowledgedRanges(acknowledged);
    this.#arrived = this.#settled.clone();
  }

  /** Records a range that has arrived. */
  complete(range: CursorRange, nowMs: number): void {
    this.#arrived.complete(range);
    this.#recent.push({ range, atMs: this.#toConnectedMs(nowMs) });
    this.settle(nowMs);
  }

  /**
   * Moves what arrived before the window to what is delivered.
   *
   * @returns cursor up to which everything is delivered, to be acknowledged to the journal
   */
  settle(nowMs: number): number {
    const endMs = this.#toConnectedMs(nowMs) - this.#windowMs;
    let count = 0;
    for (const { range, atMs } of this.#recent) {
      if (atMs > endMs) break;
      this.#settled.complete(range);
      count += 1;
    }
    if (count > 0) this.#recent.splice(0, count);
    return this.#settled.acknowledged;
  }

  /**
   * Returns the log that goes on after a loss of the host: what arrived within the window before is missing in it. What still arrives
   * belongs to this one, and is sent again as well.
   */
  withoutRecent(nowMs: number): DeliveryLog {
    this.settle(nowMs);
    const log = new DeliveryLog(0, this.#windowMs);
    log.#settled = this.#settled;
    log.#arrived = this.#settled.clone();
    log.#pausedAtMs = this.#pausedAtMs;
    log.#pausedMs = this.#pausedMs;
    return log;
  }

  /** Records the end of a connection. */
  pause(nowMs: number): void {
    this.#pausedAtMs ??= nowMs;
  }

  /** Records a new connection. */
  resume(nowMs: number): void {
    if (this.#pausedAtMs !== undefined) this.#pausedMs += nowMs - this.#pausedAtMs;
    this.#pausedAtMs = undefined;
  }

  #toConnectedMs(nowMs: number): number {
    return (this.#pausedAtMs ?? nowMs) - this.#pausedMs;
  }

  /** Returns the ranges up to a cursor that have not arrived, in order. */
  missing(upTo: number): readonly CursorRange[] {
    return this.#arrived.missing(upTo);
  }
}
