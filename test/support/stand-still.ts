/** Lets this process do nothing at all, as one does that the machine has no time for. */
export function standStill(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs);
}
