/** How far something has come at one moment. */
interface Mark {
  readonly done: number;
  readonly total: number | undefined;
  readonly atMs: number;
}

/** Estimates from its progress how long one stretch of a scan still takes; a scan may have several, each with its own total. */
export class EtaEstimator {
  #first: Mark | undefined;
  #last: Mark | undefined;

  /** Takes note of the progress at a monotonic time. */
  note(mark: Mark): void {
    const { done, total } = mark;
    // Another total, or fewer steps than before: the next stretch has begun.
    if (this.#last === undefined || total !== this.#last.total || done < this.#last.done) this.#first = mark;
    this.#last = mark;
  }

  /** Returns the milliseconds that the present stretch still takes; undefined while nobody can know. */
  estimateMs(nowMs: number): number | undefined {
    const first = this.#first;
    const last = this.#last;
    if (first === undefined || last?.total === undefined || last.done <= first.done) return undefined;
    const stepMs = (last.atMs - first.atMs) / (last.done - first.done);
    return Math.max(0, (last.total - last.done) * stepMs - (nowMs - last.atMs));
  }
}
