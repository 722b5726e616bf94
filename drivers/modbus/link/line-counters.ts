import type { ClientCounter } from './modbus-client.ts';
import { InvalidResponse, LinkLost, NoResponse, ExceptionResponse } from '../modbus-errors.ts';

type Counter =
  | ClientCounter
  | 'requests'
  | 'answers'
  | 'broadcasts'
  | 'readModifyWrites'
  | 'exceptions'
  | 'timeouts'
  | 'invalidAnswers'
  | 'linkLosses'
  | 'reconnects'
  | 'probes';

/** Totals of a connection since its configuration. */
export class LineCounters {
  readonly #counts: Record<Counter, number> = {
    requests: 0,
    answers: 0,
    broadcasts: 0,
    readModifyWrites: 0,
    exceptions: 0,
    timeouts: 0,
    invalidAnswers: 0,
    checksumErrors: 0,
    echoes: 0,
    strayAnswers: 0,
    lateFrames: 0,
    foreignFrames: 0,
    linkLosses: 0,
    reconnects: 0,
    probes: 0,
  };

  count(counter: Counter): void {
    this.#counts[counter] += 1;
  }

  /** Counts an event that replaced a response. */
  countFailure(error: unknown): void {
    if (error instanceof ExceptionResponse) this.count('exceptions');
    else if (error instanceof NoResponse) this.count('timeouts');
    else if (error instanceof InvalidResponse) this.count('invalidAnswers');
    else if (error instanceof LinkLost) this.count('linkLosses');
  }

  toRecord(): Readonly<Record<string, number>> {
    return { ...this.#counts };
  }
}
