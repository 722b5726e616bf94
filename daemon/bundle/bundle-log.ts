import type { Readable } from 'node:stream';

import type { Clock } from '../base/clock.ts';
import type { Logger, LogLevel } from '../base/logger.ts';
import { TokenBucket } from './token-bucket.ts';

const LINES_AT_ONCE = 100;
const LINES_PER_SECOND = 10;
const BYTES_PER_SECOND = 262_144;
/** Maximum length of a line; the rest is cut off. */
const LONGEST_LINE = 2000;

/** Writes the output of a bundle to the log of the gateway, at a limited rate. */
export class BundleLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #lines: TokenBucket;
  #suppressed = 0;

  /** @param logger names the bundle */
  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
    this.#lines = new TokenBucket({ capacity: LINES_AT_ONCE, perSecond: LINES_PER_SECOND, clock });
  }

  /** Writes one line, or counts it while the rate is exceeded; the count is written afterwards. */
  write(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void {
    const waitMs = this.#lines.waitMs();
    if (waitMs > 0) {
      // Reported after ten lines are available again, so that a steady flood causes few reports.
      if (this.#suppressed === 0) this.#clock.schedule(10 * waitMs, () => this.#reportSuppressed());
      this.#suppressed += 1;
      return;
    }
    this.#lines.spend(1);
    this.#logger[level]('bundle.log', { message: message.slice(0, LONGEST_LINE), ...(fields && { fields }) });
  }

  /** Logs the lines of an output stream of the process, which is read at a limited rate. */
  follow(stream: Readable, level: LogLevel): void {
    const bytes = new TokenBucket({
      capacity: BYTES_PER_SECOND,
      perSecond: BYTES_PER_SECOND,
      clock: this.#clock,
    });
    let line = '';
    const flush = (): void => {
      if (line !== '') this.write(level, line);
      line = '';
    };
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      bytes.spend(text.length);
      for (const [index, part] of text.split('\n').entries()) {
        if (index > 0) flush();
        if (line.length < LONGEST_LINE) line += part.slice(0, LONGEST_LINE - line.length);
      }
      const waitMs = bytes.waitMs();
      if (waitMs === 0) return;
      stream.pause();
      this.#clock.schedule(waitMs, () => stream.resume());
    });
    stream.on('error', () => undefined);
    stream.on('close', flush);
  }

  #reportSuppressed(): void {
    this.#logger.warn('bundle.logSuppressed', { lines: this.#suppressed });
    this.#suppressed = 0;
  }
}
