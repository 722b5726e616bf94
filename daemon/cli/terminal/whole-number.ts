import { UsageError } from '../command-error.ts';
import type { OptionValue } from '../command-line.ts';

interface Expected {
  /** Unit for the message, `seconds`; absent: none, as for a port. */
  readonly unit?: string;
  /** Default: 0. */
  readonly minimum?: number;
  readonly maximum: number;
}

/**
 * Parses an option as whole number.
 *
 * @param options of the command line, by name without dashes
 * @returns undefined without the option
 * @throws {UsageError} for anything else, and out of range
 */
export function readWholeNumber(
  options: Readonly<Record<string, OptionValue>>,
  name: string,
  { unit, minimum = 0, maximum }: Expected,
): number | undefined {
  const text = options[name];
  if (typeof text !== 'string') return undefined;
  const number = Number(text);
  if (/^\d{1,15}$/.test(text) && number >= minimum && number <= maximum) return number;
  const counted = unit === undefined ? '' : ` of ${unit}`;
  throw new UsageError(
    `--${name} "${text}": expected a whole number${counted} from ${minimum} to ${maximum}`,
  );
}
