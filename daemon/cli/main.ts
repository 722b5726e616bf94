import { readVersion } from '../base/version.ts';
import { GatewayError } from '../base/errors.ts';
import { describeFailure, EXIT, NotReached, PartlyFailed, Refused, UsageError } from './command-error.ts';
import { LEADING_OPTIONS } from './client/client-options.ts';
import { describeUnknownOption, splitLeadingOptions } from './command-line.ts';
import { findNearestKey } from '../base/key/key-hint.ts';
import { findCommandGroup, loadCommandGroups } from './find-command-group.ts';
import { suggest } from './terminal/suggestion.ts';
import type { Option, Terminal, CommandGroup } from './command-group.ts';
import {
  describeCommand,
  describeCommonOptions,
  describeUsage,
  describeCommandGroup,
  describeCommandGroups,
} from './command-help.ts';

// A closed terminal sends SIGHUP.
const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const knownOptions = new Map<string, Option>(Object.entries(LEADING_OPTIONS));
// Longer lists of matching subcommands do not help.
const MAXIMUM_HINTS = 4;

process.exitCode = await main(process.argv.slice(2));

async function main(parameters: readonly string[]): Promise<number> {
  const options = listOptions(parameters);
  // Through the environment, so that child processes print no colours either.
  if (options.has('--no-colour')) process.env['NO_COLOR'] = '1';
  const terminal = createTerminal();
  const [name, ...given] = (await findWords(parameters, terminal)) ?? [];
  if (name === undefined) return EXIT.usage;
  if (name === 'help') return help(given, terminal);
  if (name === '--help') return print(terminal, describeCommandGroups(await loadCommandGroups()));
  if (name === '--version') return print(terminal, `penstock ${readVersion()}\n`);
  const group = await findCommandGroup(name);
  if (group === undefined) return refuseUnknown(name, terminal);
  if (options.has('--help')) return print(terminal, describeHelp(group, listHelpWords(given)));
  try {
    await group.run(given, terminal);
    return EXIT.done;
  } catch (error) {
    if (error instanceof UsageError) {
      return refuse(terminal, error.detail, describeUsage(group, listHelpWords(given)));
    }
    terminal.note(
      `penstock ${group.name}: ${error instanceof GatewayError ? error.detail : describeFailure(error)}\n`,
    );
    return statusOf(error);
  }
}

/** Returns the words with the command first, then its leading options; undefined after printing a usage error. */
async function findWords(
  parameters: readonly string[],
  terminal: Terminal,
): Promise<readonly string[] | undefined> {
  try {
    const { leading, rest } = splitLeadingOptions(parameters, LEADING_OPTIONS);
    const [name, ...more] = rest;
    if (name !== undefined) return [name, ...leading, ...more];
    if (leading.includes('--help')) return ['--help'];
    refuse(terminal, 'command missing', describeCommandGroups(await loadCommandGroups()));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    refuse(terminal, error.detail, describeCommandGroups(await loadCommandGroups()));
  }
  return undefined;
}

/** Lists the words that can be options: all before `--`. */
function listOptions(parameters: readonly string[]): ReadonlySet<string> {
  const end = parameters.indexOf('--');
  return new Set(end === -1 ? parameters : parameters.slice(0, end));
}

/** Returns the command and subcommand words, without options and their values. */
function listHelpWords(parameters: readonly string[]): readonly string[] {
  const words: string[] = [];
  let isValue = false;
  for (const word of parameters) {
    const name = /^--([^=]+)$/.exec(word)?.[1] ?? '';
    if (!word.startsWith('-') && !isValue) words.push(word);
    isValue = knownOptions.get(name)?.value !== undefined;
  }
  return words;
}

async function help(given: readonly string[], terminal: Terminal): Promise<number> {
  const [name, command] = listHelpWords(given);
  if (name === undefined) return print(terminal, describeCommandGroups(await loadCommandGroups()));
  if (name === 'options') return print(terminal, describeCommonOptions());
  const group = await findCommandGroup(name);
  if (group === undefined) return refuseUnknown(name, terminal);
  if (command === undefined || subcommandsOf(group).length === 0)
    return print(terminal, describeCommandGroup(group));
  if (Object.hasOwn(group.commands, command)) return print(terminal, describeCommand(group, command));
  const detail = `unknown subcommand "${command}"${suggest(command, subcommandsOf(group))}`;
  return refuse(terminal, detail, describeCommandGroup(group));
}

function describeHelp(group: CommandGroup, [word = '']: readonly string[]): string {
  return describeCommand(group, Object.hasOwn(group.commands, word) ? word : '');
}

function subcommandsOf({ commands }: CommandGroup): readonly string[] {
  return Object.keys(commands).filter((command) => command !== '');
}

function statusOf(error: unknown): number {
  if (error instanceof NotReached) return EXIT.notReached;
  if (error instanceof Refused) return EXIT.refused;
  return error instanceof PartlyFailed ? EXIT.partly : EXIT.failed;
}

async function refuseUnknown(name: string, terminal: Terminal): Promise<number> {
  const groups = await loadCommandGroups();
  const detail = name.startsWith('-')
    ? describeUnknownOption(name, LEADING_OPTIONS)
    : `unknown command "${name}"${hintAtCommand(name, groups)}`;
  return refuse(terminal, detail, describeCommandGroups(groups));
}

/** Returns a hint at the command that was probably meant; `read` hints at `asset read`. */
function hintAtCommand(name: string, groups: readonly CommandGroup[]): string {
  const nearest = findNearestKey(
    name,
    groups.map((group) => group.name),
  );
  if (nearest !== undefined) return `; did you mean "${nearest}"?`;
  const calls = groups.flatMap((group) =>
    Object.hasOwn(group.commands, name) ? [`"${group.name} ${name}"`] : [],
  );
  return calls.length === 0 ? '' : `; did you mean ${calls.slice(0, MAXIMUM_HINTS).join(', ')}?`;
}

function refuse(terminal: Terminal, detail: string, usage: string): number {
  terminal.note(`penstock: ${detail}\n\n${usage}`);
  return EXIT.usage;
}

function print(terminal: Terminal, text: string): number {
  terminal.print(text);
  return EXIT.done;
}

function createTerminal(): Terminal {
  const stopping = new AbortController();
  for (const name of STOP_SIGNALS) {
    process.on(name, () => stopping.abort(new Error(`stopped by ${name}`)));
  }
  // A closed output pipe must not end the command: only stop signals do.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return {
    print: (text) => void process.stdout.write(text),
    note: (text) => void process.stderr.write(text),
    stopSignal: stopping.signal,
  };
}
