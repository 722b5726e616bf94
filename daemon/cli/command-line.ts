import { parseArgs } from 'node:util';
import type { ParseArgsConfig, ParseArgsOptionsConfig } from 'node:util';

import { messageOf } from '../base/errors.ts';
import { UsageError } from './command-error.ts';

/**
 * Parses the options of a verb that takes no other words.
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
 * Parses the options and words of a command.
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
