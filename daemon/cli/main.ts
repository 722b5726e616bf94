import { readVersion } from '../base/version.ts';
import { GatewayError } from '../base/errors.ts';
import { describeFailure, EXIT, NotReached, PartlyFailed, Refused, UsageError } from './command-error.ts';
import { LEADING_OPTIONS } from './client/client-options.ts';
import { describeUnknownOption, splitLeadingOptions } from './command-line.ts';
import { findNearestKey } from '../base/key/key-hint.ts';
import { findVerb, loadVerbs } from './find-verb.ts';
import { suggest } from './terminal/suggestion.ts';
import type { Option, Terminal, Verb } from './verb.ts';
import {
  describeCommand,
  describeCommonOptions,
  describeUsage,
  describeVerb,
  describeVerbs,
} from './verb-help.ts';

// SIGHUP comes when the terminal is closed.
const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const knownOptions = new Map<string, Option>(Object.entries(LEADING_OPTIONS));
// A list of all verbs that have such a command helps no one.
const MOST_CALLS = 4;

process.exitCode = await main(process.argv.slice(2));

async function main(parameters: readonly string[]): Promise<number> {
  const options = listOptions(parameters);
  // As the variable does, so that programs that a verb starts show none either.
  if (options.has('--no-colour')) process.env['NO_COLOR'] = '1';
  const terminal = createTerminal();
  const [name, ...given] = (await findWords(parameters, terminal)) ?? [];
  if (name === undefined) return EXIT.usage;
  if (name === 'help') return help(given, terminal);
  if (name === '--help') return print(terminal, describeVerbs(await loadVerbs()));
  if (name === '--version') return print(terminal, `penstock ${readVersion()}\n`);
  const verb = await findVerb(name);
  if (verb === undefined) return refuseUnknown(name, terminal);
  if (options.has('--help')) return print(terminal, describeHelp(verb, listHelpWords(given)));
  try {
    await verb.run(given, terminal);
    return EXIT.done;
  } catch (error) {
    if (error instanceof UsageError) {
      return refuse(terminal, error.detail, describeUsage(verb, listHelpWords(given)));
    }
    terminal.note(
      `penstock ${verb.name}: ${error instanceof GatewayError ? error.detail : describeFailure(error)}\n`,
    );
    return statusOf(error);
  }
}

/** Returns the verb, and after it the options that stand before it and the other words; notes what is wrong. */
async function findWords(
  parameters: readonly string[],
  terminal: Terminal,
): Promise<readonly string[] | undefined> {
  try {
    const { leading, rest } = splitLeadingOptions(parameters, LEADING_OPTIONS);
    const [name, ...more] = rest;
    if (name !== undefined) return [name, ...leading, ...more];
    if (leading.includes('--help')) return ['--help'];
    refuse(terminal, 'a verb is missing', describeVerbs(await loadVerbs()));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    refuse(terminal, error.detail, describeVerbs(await loadVerbs()));
  }
  return undefined;
}

/** Lists what may be an option: every word before `--`. */
function listOptions(parameters: readonly string[]): ReadonlySet<string> {
  const end = parameters.indexOf('--');
  return new Set(end === -1 ? parameters : parameters.slice(0, end));
}

/** Returns the words that name a verb and a command, without options and their values. */
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
  if (name === undefined) return print(terminal, describeVerbs(await loadVerbs()));
  if (name === 'options') return print(terminal, describeCommonOptions());
  const verb = await findVerb(name);
  if (verb === undefined) return refuseUnknown(name, terminal);
  if (command === undefined || commandsOf(verb).length === 0) return print(terminal, describeVerb(verb));
  if (Object.hasOwn(verb.commands, command)) return print(terminal, describeCommand(verb, command));
  const detail = `unknown command ${command}${suggest(command, commandsOf(verb))}`;
  return refuse(terminal, detail, describeVerb(verb));
}

function describeHelp(verb: Verb, [word = '']: readonly string[]): string {
  return describeCommand(verb, Object.hasOwn(verb.commands, word) ? word : '');
}

function commandsOf({ commands }: Verb): readonly string[] {
  return Object.keys(commands).filter((command) => command !== '');
}

function statusOf(error: unknown): number {
  if (error instanceof NotReached) return EXIT.notReached;
  if (error instanceof Refused) return EXIT.refused;
  return error instanceof PartlyFailed ? EXIT.partly : EXIT.failed;
}

async function refuseUnknown(name: string, terminal: Terminal): Promise<number> {
  const verbs = await loadVerbs();
  const detail = name.startsWith('-')
    ? describeUnknownOption(name, LEADING_OPTIONS)
    : `unknown verb ${name}${hintAtVerb(name, verbs)}`;
  return refuse(terminal, detail, describeVerbs(verbs));
}

/** Returns the verb that was probably meant, also for a word that is only a command of verbs. */
function hintAtVerb(name: string, verbs: readonly Verb[]): string {
  const nearest = findNearestKey(
    name,
    verbs.map((verb) => verb.name),
  );
  if (nearest !== undefined) return `; did you mean "${nearest}"?`;
  const calls = verbs.flatMap((verb) =>
    Object.hasOwn(verb.commands, name) ? [`"${verb.name} ${name}"`] : [],
  );
  // The usage with every verb follows.
  return calls.length === 0 ? '' : `; did you mean ${calls.slice(0, MOST_CALLS).join(', ')}?`;
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
  // The reader of the output may close it; the command goes on until it is told to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  return {
    print: (text) => void process.stdout.write(text),
    note: (text) => void process.stderr.write(text),
    stopSignal: stopping.signal,
  };
}
