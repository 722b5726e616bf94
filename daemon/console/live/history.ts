// As many samples of a channel as a curve of some minutes shows.
const KEPT = 1024;

/** The last numbers of one channel, in the order of their times; NaN is a gap. */
export class ChannelHistory {
  #times = new Float64Array(16);
  #values = new Float64Array(16);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The times in milliseconds since the epoch; valid until the next sample. */
  get times(): Float64Array {
    return this.#times.subarray(0, this.#length);
  }

  get values(): Float64Array {
    return this.#values.subarray(0, this.#length);
  }

  add(ms: number, value: number): void {
    // A resumed stream may give again what was given.
    if (this.#length > 0 && ms < (this.#times[this.#length - 1] ?? 0)) return;
    if (this.#length === this.#times.length) this.#makeRoom();
    this.#times[this.#length] = ms;
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  #makeRoom(): void {
    const isFull = this.#length >= KEPT;
    const from = isFull ? KEPT / 4 : 0;
    const room = isFull ? KEPT : 2 * this.#length;
    const times = new Float64Array(room);
    const values = new Float64Array(room);
    times.set(this.#times.subarray(from, this.#length));
    values.set(this.#values.subarray(from, this.#length));
    this.#times = times;
    this.#values = values;
    this.#length -= from;
  }
}
