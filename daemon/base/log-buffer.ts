import { systemRandom } from './random.ts';
import type { RandomSource } from './random.ts';

/** A line of the log, as JSON text. */
export interface BufferedLine {
  /** Ascending from 1 since the start of the process. */
  readonly id: number;
  readonly text: string;
}

/** Which lines are read. */
interface LogRange {
  /** Only lines with a larger id, the oldest first; undefined: the newest. */
  readonly after: number | undefined;
  readonly limit: number;
}

const MAXIMUM_LINES = 1000;
const MAXIMUM_CHARACTERS = 1024 * 1024;
// A longer one would displace all others.
const MAXIMUM_LINE = 64 * 1024;

/** Keeps the last lines of the log of this process: at most 1,000 of them, and a million characters. */
export class LogBuffer {
  /** Differs for each process, whose ids begin at 1. */
  readonly run: string;
  readonly #lines: BufferedLine[] = [];
  #characters = 0;
  #count = 0;

  constructor(random: RandomSource = systemRandom) {
    this.run = random.bytes(8).toString('hex');
  }

  /** Id of the newest line; 0: none yet. */
  get newestId(): number {
    return this.#count;
  }

  /** Keeps a line as the logger writes it, with its line feed and its priority for the journal. */
  write(line: string): void {
    const text = line.replace(/^<\d>/, '').trimEnd();
    this.#count += 1;
    if (text.length > MAXIMUM_LINE) return;
    this.#lines.push({ id: this.#count, text });
    this.#characters += text.length;
    while (this.#lines.length > MAXIMUM_LINES || this.#characters > MAXIMUM_CHARACTERS) {
      this.#characters -= this.#lines.shift()?.text.length ?? 0;
    }
  }

  /** Returns kept lines in ascending order. */
  read({ after, limit }: LogRange): readonly BufferedLine[] {
    if (after === undefined) return this.#lines.slice(-limit);
    return this.#lines.filter(({ id }) => id > after).slice(0, limit);
  }
}
