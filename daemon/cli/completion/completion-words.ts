import { LEADING_OPTIONS } from '../client/client-options.ts';
import { listOptions } from '../client/client-verb.ts';
import { UsageError } from '../command-error.ts';
import { splitLeadingOptions } from '../command-line.ts';
import type { OptionValue } from '../command-line.ts';
import type { CommandDescription, NameKind, Options, Verb } from '../verb.ts';

/** What the names on a command line depend on. */
export interface NameContext {
  /** The options that were given so far. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /** The words of the command so far. */
  readonly words: readonly string[];
  /** The word that is incomplete. */
  readonly typed: string;
}

/** Where names come from. */
export interface NameSource {
  /** Lists the names of a kind; those that cannot be had are missing. */
  listNames(kind: NameKind, context: NameContext): Promise<readonly string[]>;
  /** Lists the settings that a command takes as options, without dashes. */
  listSettings(
    of: NonNullable<CommandDescription['settings']>,
    context: NameContext,
  ): Promise<readonly string[]>;
}

/**
 * Lists what the last word of a command line may become; nothing where a file is meant, which shells know themselves.
 *
 * @param words the words after `penstock`, the last of them incomplete
 */
export async function listCompletions(
  verbs: readonly Verb[],
  words: readonly string[],
  source: NameSource,
): Promise<readonly string[]> {
  const typed = words.at(-1) ?? '';
  const found = await listAll(verbs, skipLeadingOptions(words.slice(0, -1)), typed, source);
  return found.filter((word) => word.startsWith(typed)).sort();
}

/** Leaves out the options before the verb, as far as they are complete. */
function skipLeadingOptions(words: readonly string[]): readonly string[] {
  try {
    return splitLeadingOptions(words, LEADING_OPTIONS).rest;
  } catch (error) {
    if (error instanceof UsageError) return words;
    throw error;
  }
}

async function listAll(
  verbs: readonly Verb[],
  [first, ...rest]: readonly string[],
  typed: string,
  source: NameSource,
): Promise<readonly string[]> {
  if (first === undefined) {
    const options = Object.keys(LEADING_OPTIONS).map((name) => `--${name}`);
    return ['help', '--version', ...options, ...verbs.map(({ name }) => name)];
  }
  const [second, ...more] = rest;
  if (first === 'help') {
    if (second === undefined) return ['options', ...verbs.map(({ name }) => name)];
    return more.length === 0 ? commandsOf(verbs.find(({ name }) => name === second)) : [];
  }
  const verb = verbs.find(({ name }) => name === first);
  if (verb === undefined) return [];
  const itself = verb.commands[''];
  if (itself === undefined && second === undefined) return commandsOf(verb);
  const command =
    itself ?? (Object.hasOwn(verb.commands, second ?? '') ? verb.commands[second ?? ''] : undefined);
  if (command === undefined) return [];
  return listForCommand(command, itself === undefined ? more : rest, typed, source);
}

async function listForCommand(
  command: CommandDescription,
  given: readonly string[],
  typed: string,
  source: NameSource,
): Promise<readonly string[]> {
  const known = listOptions(command);
  const { pending, ...before } = readGiven(given, known);
  const context = { ...before, typed };
  const { settings } = command;
  if (pending !== undefined) {
    const { names, value = '' } = known[pending] ?? {};
    if (names !== undefined) return source.listNames(names, context);
    return value.includes('|') ? value.split('|') : [];
  }
  if (typed.startsWith('-')) {
    const open = settings === undefined ? [] : await source.listSettings(settings, context);
    return [...Object.keys(known), ...open].map((name) => `--${name}`);
  }
  const { names = [] } = command;
  const kind = names[Math.min(context.words.length, names.length - 1)];
  const isLast = context.words.length >= names.length && !command.parameters.includes('...');
  return kind === undefined || isLast ? [] : source.listNames(kind, context);
}

/** Reads what is complete; `pending` is the option whose value comes next. */
function readGiven(
  given: readonly string[],
  known: Options,
): Omit<NameContext, 'typed'> & { readonly pending?: string } {
  const options = new Map<string, string>();
  const words: string[] = [];
  let pending: string | undefined;
  for (const word of given) {
    if (pending !== undefined) {
      options.set(pending, word);
      pending = undefined;
    } else if (word.startsWith('--')) {
      const [name = '', value] = word.slice(2).split(/=(.*)/s);
      const isSwitch = Object.hasOwn(known, name) && known[name]?.value === undefined;
      if (value !== undefined) options.set(name, value);
      else if (!isSwitch) pending = name;
    } else {
      words.push(word);
    }
  }
  return { options: Object.fromEntries(options), words, ...(pending === undefined ? {} : { pending }) };
}

function commandsOf(verb: Verb | undefined): readonly string[] {
  return Object.keys(verb?.commands ?? {}).filter((name) => name !== '');
}
