import type { Readable } from 'node:stream';

import type { Clock } from '../../base/clock.ts';
import type { Logger, LogLevel } from '../../base/logger.ts';
import type { BundleLine } from './bundle-lines.ts';
import { TokenBucket } from './message/token-bucket.ts';

const LINES_AT_ONCE = 100;
const LINES_PER_SECOND = 10;
const BYTES_PER_SECOND = 262_144;
/** Maximum length of a line; the rest is cut off. */
const MAXIMUM_LINE_LENGTH = 2000;

/** Keeps the last lines of a bundle. */
export type KeepLine = (line: Omit<BundleLine, 'timeMs' | 'version'>) => void;

interface BundleLogOptions {
  /** Names the bundle. */
  readonly logger: Logger;
  readonly keep: KeepLine;
  readonly clock: Clock;
}

/** Writes the output of a bundle to the log of the gateway and keeps it, at a limited rate. */
export class BundleLog {
  readonly #logger: Logger;
  readonly #keep: KeepLine;
  readonly #clock: Clock;
  readonly #lines: TokenBucket;
  #suppressed = 0;

  constructor({ logger, keep, clock }: BundleLogOptions) {
    this.#logger = logger;
    this.#keep = keep;
    this.#clock = clock;
    this.#lines = new TokenBucket({ capacity: LINES_AT_ONCE, perSecond: LINES_PER_SECOND, clock });
  }

  /** Writes a message, or counts it while the rate is exceeded; the count is written afterwards. */
  write(level: LogLevel, message: string, fields?: BundleLine['fields']): void {
    this.#write({ level, source: 'LOGGER', message, fields });
  }

  #write(line: Parameters<KeepLine>[0]): void {
    const waitMs = this.#lines.waitMs();
    if (waitMs > 0) {
      // Reported after ten lines are available again, so that a steady flood causes few reports.
      if (this.#suppressed === 0) this.#clock.schedule(10 * waitMs, () => this.#reportSuppressed());
      this.#suppressed += 1;
      return;
    }
    this.#lines.spend(1);
    const { fields } = line;
    const message = line.message.slice(0, MAXIMUM_LINE_LENGTH);
    this.#logger[line.level]('bundle.logged', { message, ...(fields && { fields }) });
    this.#keep({ ...line, message });
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
      if (line !== '') this.#write({ level, source: 'OUTPUT', message: line });
      line = '';
    };
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      bytes.spend(text.length);
      for (const [index, part] of text.split('\n').entries()) {
        if (index > 0) flush();
        if (line.length < MAXIMUM_LINE_LENGTH) line += part.slice(0, MAXIMUM_LINE_LENGTH - line.length);
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
    const message = `${this.#suppressed} lines dropped: the bundle exceeded its log rate`;
    this.#keep({ level: 'warn', source: 'GATEWAY', message });
    this.#suppressed = 0;
  }
}
