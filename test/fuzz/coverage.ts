import { Session } from 'node:inspector';
import type { Profiler } from 'node:inspector';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '../..');
const PLACES = ['bundles', 'daemon', 'drivers'].map(
  (folder) => `${pathToFileURL(path.join(root, folder)).href}/`,
);

/**
 * Knows which pieces of the sources have run, from the block coverage of the engine.
 *
 * Taking it costs milliseconds, so that it is taken for many inputs at once.
 */
export class Coverage {
  readonly #session = new Session();
  /** By script, for each character whether it has run. */
  readonly #seen = new Map<string, Uint8Array>();

  start(): void {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  stop(): void {
    this.#session.post('Profiler.stopPreciseCoverage');
    this.#session.disconnect();
  }

  /** Forgets what ran since the last call, as if it had not. */
  skip(): void {
    this.#take();
  }

  /** Forgets everything that was ever seen. */
  forget(): void {
    this.skip();
    this.#seen.clear();
  }

  /**
   * Tells how many characters of the sources ran for the first time since the last call.
   *
   * @param isKept whether they are not new the next time
   */
  countNew(isKept: boolean): number {
    let found = 0;
    for (const script of this.#take()) found += this.#compare(script, isKept);
    return found;
  }

  /** Counts the characters of the sources that ran. */
  countSeen(): number {
    return [...this.#seen.values()].reduce((sum, seen) => sum + seen.reduce((all, one) => all + one, 0), 0);
  }

  // Functions come from the outer to the inner ones, and so do the ranges of each.
  #compare({ url, functions }: Profiler.ScriptCoverage, isKept: boolean): number {
    const ranges = functions.flatMap((one) => one.ranges);
    if (!ranges.some(({ count }) => count > 0)) return 0;
    const end = Math.max(...ranges.map(({ endOffset }) => endOffset));
    const ran = new Uint8Array(end);
    for (const { startOffset, endOffset, count } of ranges)
      ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    let seen = this.#seen.get(url) ?? new Uint8Array(0);
    let found = 0;
    for (let at = 0; at < end; at += 1) if (ran[at] === 1 && seen[at] !== 1) found += 1;
    if (found === 0 || !isKept) return found;
    if (seen.length < end) {
      const longer = new Uint8Array(end);
      longer.set(seen);
      seen = longer;
    }
    for (let at = 0; at < end; at += 1) if (ran[at] === 1) seen[at] = 1;
    this.#seen.set(url, seen);
    return found;
  }

  // The session of a process with itself answers at once.
  #take(): readonly Profiler.ScriptCoverage[] {
    let taken: readonly Profiler.ScriptCoverage[] = [];
    this.#session.post('Profiler.takePreciseCoverage', (error, parameters) => {
      if (error !== null) throw error;
      taken = parameters.result.filter(({ url }) => PLACES.some((place) => url.startsWith(place)));
    });
    return taken;
  }
}
