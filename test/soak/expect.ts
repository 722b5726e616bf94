import type { ClientAnswer } from '../support/https-client.ts';

const SHOWN_CHARACTERS = 300;

/** A record of a read or write, as far as a soak compares it. */
export interface ShownRecord {
  readonly name: string;
  readonly channelStatus: { readonly channelFlag: string; readonly exceptionMessage?: string };
  readonly value?: unknown;
  readonly outcome?: string;
}

/** The gateway is overloaded, and says when to try again. */
export class Busy extends Error {}

/**
 * Returns the answer.
 *
 * @throws {Busy} if it is a 503 with `Retry-After`
 * @throws {Error} if it has another status
 */
export function expectStatus(answer: ClientAnswer, status: number): ClientAnswer {
  if (answer.status === status) return answer;
  if (answer.status === 503 && answer.headers['retry-after'] !== undefined) throw new Busy(answer.text);
  throw new Error(`${answer.status} instead of ${status}: ${answer.text.slice(0, SHOWN_CHARACTERS)}`);
}

/**
 * Returns the records of an answer.
 *
 * @throws {Error} if it is no success, or one of its records is none
 */
export function expectRecords(answer: ClientAnswer): readonly ShownRecord[] {
  const records = expectStatus(answer, 200).json as readonly ShownRecord[];
  const failed = records.find(({ channelStatus }) => channelStatus.channelFlag !== 'SUCCESS');
  if (failed === undefined && records.length > 0) return records;
  throw new Error(failed === undefined ? 'no records' : JSON.stringify(failed));
}

/**
 * Compares the values of records.
 *
 * @param expected by name; others are not compared
 * @throws {Error} if one differs
 */
export function expectValues(
  records: readonly ShownRecord[],
  expected: Readonly<Record<string, unknown>>,
): void {
  for (const { name, value } of records) {
    if (name in expected && expected[name] !== value)
      throw new Error(`${name} is ${String(value)} instead of ${String(expected[name])}`);
  }
}
