import { parseArgs } from 'node:util';
import type { ParseArgsConfig, ParseArgsOptionsConfig } from 'node:util';

import { GatewayError, messageOf } from '../base/errors.ts';

/** What became of a command, for the shell. */
export const EXIT = { done: 0, failed: 1, usage: 2, notReached: 3, refused: 4, partly: 5 } as const;

/** The command line is not one that the command knows. */
export class UsageError extends GatewayError {
  constructor(detail: string) {
    super({ code: 'USAGE', detail });
  }
}

/** A command could not do what it was asked for. */
export class CommandError extends GatewayError {}

/** The gateway did not answer. */
export class NotReached extends CommandError {}

/** The gateway does not know the caller, or does not let it. */
export class Refused extends CommandError {}

/** Some of what was asked for failed; what became of each part was printed. */
export class PartlyFailed extends CommandError {}

/** Where a command writes to. */
export interface Terminal {
  /** Writes what was asked for to standard output. */
  print(text: string): void;
  /** Writes what else a person wants to know to standard error. */
  note(text: string): void;
  /** Aborts when the command is told to stop. */
  readonly stopSignal: AbortSignal;
}

/** One thing that `penstock` does. */
export interface Verb {
  readonly name: string;
  /** What it does, in a few words. */
  readonly summary: string;
  /** Text of its help. */
  readonly usage: string;
  /**
   * Runs to the end.
   *
   * @param parameters what follows the verb on the command line
   * @throws {UsageError} for parameters that it does not know
   * @throws {GatewayError} when it fails
   */
  run(parameters: readonly string[], terminal: Terminal): Promise<void>;
}

/**
 * Reads the options of a verb; no other words are accepted.
 *
 * @throws {UsageError}
 */
export function parseOptions<Options extends ParseArgsOptionsConfig>(
  parameters: readonly string[],
  options: Options,
): ReturnType<typeof parseArgs<{ options: Options }>>['values'] {
  try {
    const config = { args: [...parameters], options } satisfies ParseArgsConfig;
    return parseArgs(config).values;
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/**
 * Reads the options and words of a command.
 *
 * @throws {UsageError}
 */
export function parseCommand(
  parameters: readonly string[],
  options: ParseArgsOptionsConfig,
): { readonly values: Readonly<Record<string, unknown>>; readonly words: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...parameters], options, allowPositionals: true });
    return { values, words: positionals };
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}
