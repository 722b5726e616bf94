import { createHash } from 'node:crypto';
import type { Clock } from '../../../daemon/base/clock.ts';
import { InvariantBroken } from './invariants.ts';
import type { InvariantName } from './invariants.ts';

// The story of a failure shows what happened shortly before it.
const KEPT_LINES = 4000;
// In calm times these are the lines of days, and a report of many values has a megabyte.
const KEPT_CHARACTERS = 2000;

/** Writes down everything that happens in a world: as a hash of all of it, and the newest lines as text. */
export class Chronicle {
  readonly #time: Pick<Clock, 'monotonicMs'>;
  readonly #hash = createHash('sha256');
  readonly #lines: string[] = [];
  #next = 0;
  #count = 0;
  #broken: InvariantBroken | undefined;

  constructor(time: Pick<Clock, 'monotonicMs'>) {
    this.#time = time;
  }

  /** Notes what somebody or something does or sees; nothing that differs between two runs of a seed may be in it. */
  note(who: string, what: string): void {
    const line = `${this.#time.monotonicMs().toFixed(3)} ${who}: ${what}`;
    this.#hash.update(line);
    this.#lines[this.#next] = line.length > KEPT_CHARACTERS ? copyBeginning(line) : line;
    this.#next = (this.#next + 1) % KEPT_LINES;
    this.#count += 1;
  }

  /** Notes that an invariant does not hold; only the first one counts. Never throws, so it can be called anywhere. */
  break(invariant: InvariantName, text: string): void {
    this.note(invariant, text);
    this.#broken ??= new InvariantBroken(invariant, this.#time.monotonicMs(), text);
  }

  /** The first invariant that did not hold. */
  get broken(): InvariantBroken | undefined {
    return this.#broken;
  }

  /** Number of lines so far. */
  get count(): number {
    return this.#count;
  }

  /** The newest lines, oldest first. */
  lines(): readonly string[] {
    return [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)];
  }

  /** Returns the hash of everything so far, in hex. */
  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}

// A part of a text keeps the whole of it in memory, and a copy does not.
function copyBeginning(line: string): string {
  return Buffer.from(line.slice(0, KEPT_CHARACTERS)).toString();
}
