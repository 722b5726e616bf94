import { UsageError } from './command-error.ts';
import { suggest } from './terminal/suggestion.ts';
import type { Options } from './command-group.ts';

/** Value of an option: a text, the texts of a repeated option, or true for a switch. */
export type OptionValue = string | boolean | readonly string[] | undefined;

/** A parsed command line. */
export interface ParsedCommand {
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly words: readonly string[];
  /** Options that the command does not declare, in order; without a text if none follows. */
  readonly settings: readonly SettingOption[];
}

/** A setting given as an option. */
export interface SettingOption {
  readonly name: string;
  readonly text: string | undefined;
}

/**
 * Parses the options and words of a command. An option is `--name value` or `--name=value`; what follows `--` is a word.
 *
 * @param takesSettings true: other options are settings; false: they are refused
 * @throws {UsageError}
 */
export function parseCommand(
  parameters: readonly string[],
  known: Options,
  takesSettings = false,
): ParsedCommand {
  const byName = new Map(Object.entries(known));
  const repeated = new Map<string, string[]>();
  const values = new Map<string, OptionValue>(
    [...byName].map(([name, { default: preset }]) => [name, preset]),
  );
  const words: string[] = [];
  const settings: SettingOption[] = [];
  const rest = [...parameters];
  while (rest.length > 0) {
    const word = rest.shift() ?? '';
    if (word === '--') {
      words.push(...rest.splice(0));
    } else if (!isOption(word)) {
      words.push(word);
    } else {
      const [name, attached] = splitOption(word, known);
      const option = byName.get(name);
      if (option === undefined) {
        if (!takesSettings) throw new UsageError(describeUnknownOption(word, known));
        settings.push({ name, text: attached ?? takeValue(rest) });
      } else if (option.value === undefined) {
        if (attached !== undefined) throw new UsageError(`--${name} takes no value`);
        values.set(name, true);
      } else {
        const text = attached ?? takeValue(rest);
        if (text === undefined) throw new UsageError(`--${name}: ${option.value} is missing`);
        const texts = repeated.get(name) ?? [];
        texts.push(text);
        repeated.set(name, texts);
        values.set(name, option.isRepeated === true ? texts : text);
      }
    }
  }
  return { options: Object.fromEntries(values), words, settings };
}

/**
 * Splits off the known leading options of a command line, with their values.
 *
 * @returns the options as written, and the words from the first one that is no known option
 * @throws {UsageError} if a value is missing
 */
export function splitLeadingOptions(
  parameters: readonly string[],
  known: Options,
): { readonly leading: readonly string[]; readonly rest: readonly string[] } {
  const rest = [...parameters];
  const leading: string[] = [];
  for (let word = rest[0]; word?.startsWith('--') === true; word = rest[0]) {
    const [name = '', attached] = word.slice(2).split(/=(.*)/s);
    const option = Object.hasOwn(known, name) ? known[name] : undefined;
    if (option === undefined) break;
    leading.push(word);
    rest.shift();
    if (option.value === undefined || attached !== undefined) continue;
    const text = takeValue(rest);
    if (text === undefined) throw new UsageError(`--${name}: ${option.value} is missing`);
    leading.push(text);
  }
  return { leading, rest };
}

/** Negative numbers and `-` (standard input) are words, not options. */
function isOption(word: string): boolean {
  return /^-[^\d.]/.test(word);
}

function splitOption(word: string, known: Options): readonly [name: string, attached: string | undefined] {
  const [, name = '', attached] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (name !== '') return [name, attached];
  throw new UsageError(describeUnknownOption(word, known));
}

function takeValue(rest: string[]): string | undefined {
  return rest[0]?.startsWith('--') === false ? rest.shift() : undefined;
}

/** Returns the message for an unknown option, with the most similar known one. */
export function describeUnknownOption(word: string, known: Options): string {
  const [option = word] = word.split('=');
  return `unknown option ${option}${suggest(
    option.replace(/^-*/, '--'),
    Object.keys(known).map((each) => `--${each}`),
  )}`;
}

/**
 * Checks the number of words of a command.
 *
 * @param parameters of its description
 * @throws {UsageError}
 */
export function checkWords(parameters: string, words: readonly string[]): void {
  const names = parameters.split(' ').filter((word) => word !== '');
  const needed = names.filter((word) => !word.startsWith('['));
  if (words.length < needed.length) throw new UsageError(`${needed[words.length] ?? ''} is missing`);
  if (!parameters.includes('...') && words.length > names.length) {
    throw new UsageError(`unexpected argument "${words[names.length] ?? ''}"`);
  }
}
