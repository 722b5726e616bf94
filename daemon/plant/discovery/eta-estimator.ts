/** Progress at one moment. */
interface Mark {
  readonly done: number;
  readonly total: number | undefined;
  readonly atMs: number;
}

/** Estimates the time left in one phase of a scan from its progress; a scan may have several, each with its own total. */
export class EtaEstimator {
  #first: Mark | undefined;
  #last: Mark | undefined;

  /** Records the progress at a monotonic time. */
  note(mark: Mark): void {
    const { done, total } = mark;
    // A different total, or fewer steps than before: the next phase has begun.
    if (this.#last === undefined || total !== this.#last.total || done < this.#last.done) this.#first = mark;
    this.#last = mark;
  }

  /** Returns the estimated milliseconds left in the current phase; undefined if unknown. */
  estimateMs(nowMs: number): number | undefined {
    const first = this.#first;
    const last = this.#last;
    if (first === undefined || last?.total === undefined || last.done <= first.done) return undefined;
    const stepMs = (last.atMs - first.atMs) / (last.done - first.done);
    return Math.max(0, (last.total - last.done) * stepMs - (nowMs - last.atMs));
  }
}
