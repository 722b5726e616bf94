import type { BodyContent } from './frame-body.ts';
import type { FrameHead } from './frame.ts';
import { sliceColumns } from './sample-columns.ts';
import type { SampleColumns } from './sample-columns.ts';
import type { Gap } from './sample.ts';

/** Entries of consecutive numbers: samples of one series, or a gap. */
export type JournalRun =
  | { readonly sequence: number; readonly columns: SampleColumns; readonly gap?: undefined }
  | { readonly sequence: number; readonly gap: Gap; readonly columns?: undefined };

/** The entries of a frame, and when it was closed. */
export type FrameRange = Pick<FrameHead, 'firstSequence' | 'count' | 'wallMs'>;

/** The entries that one call of a reader has found so far; what is missing is a gap. */
export class Reading {
  readonly runs: JournalRun[] = [];
  /** Number of the entry that is expected next. */
  next: number;
  readonly #limit: number;
  #count = 0;
  /** Entries before this number were deleted. */
  #keptFrom = 0;
  #timeMs: number;

  /** @param limit number of entries after which no frame is begun */
  constructor(next: number, sinceMs: number, limit: number) {
    this.next = next;
    this.#timeMs = sinceMs;
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#count >= this.#limit;
  }

  /** Goes to a segment: the entries before it are gone. */
  enter(firstSequence: number): void {
    this.#keptFrom = firstSequence;
  }

  /** Goes past the end of a segment: what is still expected of it is damaged. */
  leave(lastSequence: number): void {
    this.#skipTo(lastSequence + 1, this.#timeMs);
  }

  /** Takes the entries of a frame; without content, a gap. */
  take({ firstSequence, count, wallMs }: FrameRange, content: BodyContent | undefined): void {
    this.#skipTo(firstSequence, wallMs);
    if (content !== undefined) this.#takeContent(firstSequence, content);
    else this.#skipTo(firstSequence + count, wallMs);
    this.#timeMs = wallMs;
  }

  /** Puts gaps in the place of the entries up to a number, which is not missing. */
  #skipTo(sequence: number, toMs: number): void {
    this.#addMissing(Math.min(sequence, this.#keptFrom), toMs, 'RETENTION');
    this.#addMissing(sequence, toMs, 'DAMAGED');
  }

  #addMissing(sequence: number, endMs: number, reason: Gap['reason']): void {
    const count = sequence - this.next;
    if (count <= 0 || this.isFull) return;
    const [fromMs, toMs] = [this.#timeMs, Math.max(endMs, this.#timeMs)];
    this.runs.push({ sequence: sequence - 1, gap: { reason, fromMs, toMs, count } });
    this.#count += 1;
    this.next = sequence;
  }

  #takeContent(firstSequence: number, { samples, gaps }: BodyContent): void {
    let sequence = firstSequence;
    for (const columns of samples) {
      this.#takeColumns(sequence, columns);
      sequence += columns.count;
    }
    for (const gap of gaps) {
      if (sequence === this.next) this.#add({ sequence, gap }, 1);
      sequence += 1;
    }
  }

  #takeColumns(sequence: number, columns: SampleColumns): void {
    const from = this.next - sequence;
    const count = columns.count - from;
    if (from < 0 || count <= 0) return;
    this.#add({ sequence: this.next, columns: sliceColumns(columns, from, columns.count) }, count);
  }

  #add(run: JournalRun, count: number): void {
    this.runs.push(run);
    this.#count += count;
    this.next += count;
  }
}
