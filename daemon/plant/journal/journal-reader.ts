import path from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';

import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/logger.ts';
import { decodeBody, decodeNames } from './frame-body.ts';
import type { BodyContent } from './frame-body.ts';
import { Reading } from './reading.ts';
import type { FrameRange, JournalRun } from './reading.ts';
import type { Series } from './sample.ts';
import { fileOfSegment, readFrom } from './segment-files.ts';
import { scanFrames } from './segment-scan.ts';
import type { ScannedFrame } from './segment-scan.ts';

const decompress = promisify(zstdDecompress);
const MAXIMUM_BODY_BYTES = 256 * 1024 * 1024;
/** Positions at which the next read is expected to begin. */
const BOOKMARK_LIMIT = 32;
const NOTHING: BodyContent = { samples: [], gaps: [] };

/** The part of a segment that readers need. */
export interface ReadableSegment {
  readonly firstSequence: number;
  /** Number of the last entry that is on disk, or that it can have. */
  readonly lastSequence: number;
}

interface JournalReaderOptions {
  readonly directory: string;
  /** Lists the segments, the oldest first; the numbers of the last one end with what is on disk. */
  readonly segments: () => readonly ReadableSegment[];
  readonly logger: Logger;
}

/** The frame that was decoded last, and the place behind it. */
interface DecodedFrame {
  readonly frame: ReadFrame;
  readonly end: Bookmark;
}

/** Runs after a number, in order. */
export interface JournalRuns {
  readonly runs: readonly JournalRun[];
  /** Number to read on after: that of the last entry, or the number asked for if there is none. */
  readonly next: number;
}

/** A frame that was decoded. */
export interface ReadFrame extends FrameRange {
  readonly content: BodyContent;
}

/** A place between two frames of a segment. */
interface Bookmark {
  readonly segment: number;
  readonly offset: number;
  /** Number after the last entry before it. */
  readonly sequence: number;
  readonly names: Map<number, Series>;
}

/** Reads entries by number. What is missing is a gap in the place of the missing entries. */
export class JournalReader {
  readonly #options: JournalReaderOptions;
  #newest: ReadFrame | undefined;
  /** A reader that takes less than a frame at a time finds the rest of it here. */
  #decoded: DecodedFrame | undefined;
  /** By the number that follows. */
  readonly #bookmarks = new Map<number, Bookmark>();
  /** Damage that the log has, by its kind and a number of an entry. */
  readonly #reported = new Set<string>();

  constructor(options: JournalReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads the entries after a number, in runs.
   *
   * @param sinceMs milliseconds since the epoch of the entry with that number: where a gap begins whose entries are gone
   * @param limit no frame is begun once there are so many entries, at least 1
   * @throws errors of the file system
   */
  async readRuns(after: number, sinceMs: number, limit: number): Promise<JournalRuns> {
    const { runs, next } = await this.#read(new Reading(after + 1, sinceMs, limit));
    return { runs, next: next - 1 };
  }

  /** Keeps the newest frame, as it is on disk: those who follow the tail need not read it from there. */
  keepNewest(frame: ReadFrame): void {
    this.#newest = frame;
  }

  async #read(reading: Reading): Promise<Reading> {
    if (this.#newest !== undefined && this.#newest.firstSequence <= reading.next) {
      reading.take(this.#newest, this.#newest.content);
      return reading;
    }
    this.#readDecoded(reading);
    for (const segment of this.#options.segments()) {
      if (reading.isFull) break;
      if (segment.lastSequence < reading.next) continue;
      reading.enter(segment.firstSequence);
      const found = reading.runs.length;
      await this.#readSegment(segment, reading);
      this.#reportGaps(segment, reading.runs.slice(found));
    }
    return reading;
  }

  #readDecoded(reading: Reading): void {
    if (this.#decoded === undefined) return;
    const { frame, end } = this.#decoded;
    if (reading.next < frame.firstSequence || reading.next >= end.sequence) return;
    reading.enter(end.segment);
    reading.take(frame, frame.content);
    if (reading.next === end.sequence) this.#keepBookmark(end.sequence, end);
  }

  async #readSegment(segment: ReadableSegment, reading: Reading): Promise<void> {
    const { directory } = this.#options;
    const { firstSequence, lastSequence } = segment;
    const mark = this.#takeBookmark(segment, reading.next);
    const bytes = await this.#readBytes(fileOfSegment(directory, firstSequence), mark.offset);
    if (bytes === undefined) {
      reading.enter(lastSequence + 1);
      reading.leave(lastSequence);
      return;
    }
    const range = { from: mark.sequence, to: lastSequence + 1 };
    const { names } = mark;
    let [offset, sequence] = [mark.offset, mark.sequence];
    for (const scanned of scanFrames(bytes, range, mark.offset)) {
      const { firstSequence: first, count } = scanned.frame.head;
      const content = await this.#decode(scanned, names, reading.next);
      reading.take(scanned.frame.head, content);
      if (content !== undefined && content !== NOTHING) {
        const end = { segment: firstSequence, offset: scanned.end, sequence: first + count, names };
        this.#decoded = { frame: { ...scanned.frame.head, content }, end };
      }
      if (reading.next < first + count) break;
      offset = scanned.end;
      sequence = first + count;
      if (reading.isFull) break;
    }
    if (!reading.isFull) reading.leave(lastSequence);
    this.#keepBookmark(reading.next, { segment: firstSequence, offset, sequence, names });
  }

  /** @returns undefined for a segment that was deleted after it was listed */
  async #readBytes(file: string, offset: number): Promise<Buffer | undefined> {
    try {
      return await readFrom(file, offset);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** @returns nothing for a frame before `next`; undefined for one that cannot be read */
  async #decode(
    { frame, offset }: ScannedFrame,
    names: Map<number, Series>,
    next: number,
  ): Promise<BodyContent | undefined> {
    const { head, names: namesBytes, body } = frame;
    try {
      for (const [number, series] of decodeNames(namesBytes)) names.set(number, series);
      if (head.firstSequence + head.count <= next) return NOTHING;
      const plain = await decompress(body, { maxOutputLength: MAXIMUM_BODY_BYTES });
      return decodeBody(plain, names, head);
    } catch (error) {
      if (this.#isFirstReport(`frame ${head.firstSequence}`)) {
        this.#options.logger.error('journal.frameUnreadable', {
          firstSequence: head.firstSequence,
          count: head.count,
          offset,
          reason: messageOf(error),
        });
      }
      return undefined;
    }
  }

  // The end of a gap is the same wherever reading began.
  #reportGaps({ firstSequence: segment }: ReadableSegment, runs: readonly JournalRun[]): void {
    for (const { sequence, gap } of runs) {
      if (gap?.reason !== 'DAMAGED' || !this.#isFirstReport(`gap ${sequence}`)) continue;
      const file = path.basename(fileOfSegment(this.#options.directory, segment));
      const firstSequence = sequence - gap.count + 1;
      this.#options.logger.error('journal.entriesDamaged', { file, firstSequence, count: gap.count });
    }
  }

  #isFirstReport(damage: string): boolean {
    if (this.#reported.has(damage)) return false;
    this.#reported.add(damage);
    return true;
  }

  #takeBookmark({ firstSequence }: ReadableSegment, next: number): Bookmark {
    const mark = this.#bookmarks.get(next);
    if (mark?.segment === firstSequence) {
      this.#bookmarks.delete(next);
      return mark;
    }
    return { segment: firstSequence, offset: 0, sequence: firstSequence, names: new Map() };
  }

  #keepBookmark(next: number, mark: Bookmark): void {
    this.#bookmarks.delete(next);
    this.#bookmarks.set(next, mark);
    if (this.#bookmarks.size <= BOOKMARK_LIMIT) return;
    const [oldest] = this.#bookmarks.keys();
    if (oldest !== undefined) this.#bookmarks.delete(oldest);
  }
}
