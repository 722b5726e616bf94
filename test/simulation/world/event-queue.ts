/** Something that happens at a time. */
export interface ScheduledEvent {
  readonly dueMs: number;
  readonly sequence: number;
  action: (() => void) | undefined;
}

/** Events in the order of their times; those of one time in the order in which they were added. A binary heap. */
export class EventQueue {
  readonly #heap: ScheduledEvent[] = [];
  #added = 0;
  #cancelled = 0;

  /** Events that are still to come. */
  get size(): number {
    return this.#heap.length - this.#cancelled;
  }

  add(dueMs: number, action: () => void): ScheduledEvent {
    const event: ScheduledEvent = { dueMs, sequence: this.#added, action };
    this.#added += 1;
    const heap = this.#heap;
    let index = heap.length;
    heap.push(event);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] as ScheduledEvent;
      if (!isBefore(event, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
    return event;
  }

  cancel(event: ScheduledEvent): void {
    if (event.action === undefined) return;
    event.action = undefined;
    this.#cancelled += 1;
    // Cancelled ones would pile up: most timers of a gateway are.
    if (this.#cancelled > 64 && this.#cancelled * 2 > this.#heap.length) this.#rebuild();
  }

  /** Removes and returns the first event, when it is due by then. */
  take(untilMs: number): ScheduledEvent | undefined {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined) return undefined;
      if (first.action === undefined) {
        this.#removeFirst();
        this.#cancelled -= 1;
        continue;
      }
      if (first.dueMs > untilMs) return undefined;
      this.#removeFirst();
      return first;
    }
  }

  #rebuild(): void {
    const kept = this.#heap.filter(({ action }) => action !== undefined);
    // A sorted list is a heap.
    kept.sort((a, b) => (isBefore(a, b) ? -1 : 1));
    this.#heap.splice(0, this.#heap.length, ...kept);
    this.#cancelled = 0;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && isBefore(right, heap[child] as ScheduledEvent)) child += 1;
      const below = heap[child] as ScheduledEvent;
      if (!isBefore(below, last)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(a: ScheduledEvent, b: ScheduledEvent): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.sequence < b.sequence);
}
