import { LEADING_OPTIONS } from '../client/client-options.ts';
import { listOptions } from '../client/client-commands.ts';
import { UsageError } from '../command-error.ts';
import { splitLeadingOptions } from '../command-line.ts';
import type { OptionValue } from '../command-line.ts';
import type { CommandDescription, NameKind, Options, CommandGroup } from '../command-group.ts';

/** Command line so far, which determines the possible names. */
export interface NameContext {
  /** Options given so far. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /** Words of the command so far. */
  readonly words: readonly string[];
  /** Incomplete last word. */
  readonly typed: string;
}

/** Source of names for completion. */
export interface NameSource {
  /** Lists the names of a kind; empty if they are unavailable. */
  listNames(kind: NameKind, context: NameContext): Promise<readonly string[]>;
  /** Lists the settings that a command accepts as options, without dashes. */
  listSettings(
    of: NonNullable<CommandDescription['settings']>,
    context: NameContext,
  ): Promise<readonly string[]>;
}

/**
 * Lists completions of the last word of a command line; empty for files, which the shell completes itself.
 *
 * @param words words after `penstock`; the last one is incomplete
 */
export async function listCompletions(
  groups: readonly CommandGroup[],
  words: readonly string[],
  source: NameSource,
): Promise<readonly string[]> {
  const typed = words.at(-1) ?? '';
  const found = await listAll(groups, skipLeadingOptions(words.slice(0, -1)), typed, source);
  return found.filter((word) => word.startsWith(typed)).sort();
}

/** Skips complete options before the command. */
function skipLeadingOptions(words: readonly string[]): readonly string[] {
  try {
    return splitLeadingOptions(words, LEADING_OPTIONS).rest;
  } catch (error) {
    if (error instanceof UsageError) return words;
    throw error;
  }
}

async function listAll(
  groups: readonly CommandGroup[],
  [first, ...rest]: readonly string[],
  typed: string,
  source: NameSource,
): Promise<readonly string[]> {
  if (first === undefined) {
    const options = Object.keys(LEADING_OPTIONS).map((name) => `--${name}`);
    return ['help', '--version', ...options, ...groups.map(({ name }) => name)];
  }
  const [second, ...more] = rest;
  if (first === 'help') {
    if (second === undefined) return ['options', ...groups.map(({ name }) => name)];
    return more.length === 0 ? subcommandsOf(groups.find(({ name }) => name === second)) : [];
  }
  const group = groups.find(({ name }) => name === first);
  if (group === undefined) return [];
  const itself = group.commands[''];
  if (itself === undefined && second === undefined) return subcommandsOf(group);
  const command =
    itself ?? (Object.hasOwn(group.commands, second ?? '') ? group.commands[second ?? ''] : undefined);
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

/** Parses the complete words; `pending` is the option whose value comes next. */
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

function subcommandsOf(group: CommandGroup | undefined): readonly string[] {
  return Object.keys(group?.commands ?? {}).filter((name) => name !== '');
}
