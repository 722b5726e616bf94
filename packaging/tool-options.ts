import { parseArgs } from 'node:util';
import type { ParseArgsOptionsConfig } from 'node:util';

const WRONG_USAGE = 2;

type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ readonly options: Options }>
>['values'];

/**
 * Reads the options of a build tool. Exits with the usage for `--help`, and with status 2 for unknown options.
 *
 * @param findFault returns the error in the values; undefined: none
 */
export function readToolOptions<const Options extends ParseArgsOptionsConfig>(
  usage: string,
  options: Options,
  findFault: (values: Values<Options>) => string | undefined = () => undefined,
): Values<Options> {
  if (process.argv.includes('--help')) {
    process.stdout.write(usage);
    process.exit(0);
  }
  try {
    const { values } = parseArgs<{ readonly options: Options }>({ options });
    const fault = findFault(values);
    return fault === undefined ? values : refuse(usage, fault);
  } catch (error) {
    return refuse(usage, error instanceof Error ? error.message : String(error));
  }
}

function refuse(usage: string, fault: string): never {
  process.stderr.write(`${fault}\n\n${usage}`);
  process.exit(WRONG_USAGE);
}

/** Returns an error that lists the unknown names on the command line; undefined: all are known. */
export function findUnknown(
  option: string,
  given: readonly string[],
  known: readonly string[],
): string | undefined {
  const unknown = given.filter((name) => !known.includes(name));
  return unknown.length === 0
    ? undefined
    : `${option} ${unknown.join(', ')}: expected one of ${known.join(', ')}`;
}

/** Returns the error of a whole number on the command line; undefined if it is in the range. */
export function findNumberFault(
  option: string,
  text: string,
  minimum: number,
  maximum: number,
): string | undefined {
  const isInRange = /^\d{1,15}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
  return isInRange ? undefined : `${option} ${text}: expected a whole number from ${minimum} to ${maximum}`;
}

/** Returns the error of `--valid-days`; undefined if it is absent or in the range. */
export function describeDaysFault(days: string | undefined): string | undefined {
  return days === undefined ? undefined : findNumberFault('--valid-days', days, 1, 99_999);
}
