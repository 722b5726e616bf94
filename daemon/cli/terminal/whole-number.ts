import { UsageError } from '../command-error.ts';
import type { OptionValue } from '../command-line.ts';

interface Expected {
  /** What it counts, as in “of seconds”; absent: it counts nothing, as a number of a port. */
  readonly unit?: string;
  /** 0 unless given. */
  readonly minimum?: number;
  readonly maximum: number;
}

/**
 * Reads the value of an option that is a whole number.
 *
 * @param options of the command line, by name without dashes
 * @returns undefined when the option is not given
 * @throws {UsageError} when it is none, or out of its bounds
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
