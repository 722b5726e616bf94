import { readVersion } from '../base/version.ts';
import { GatewayError } from '../base/errors.ts';
import { describeFailure } from './failure-text.ts';
import { EXIT, NotReached, PartlyFailed, Refused, UsageError } from './command-error.ts';
import { suggest } from './suggestion.ts';
import type { Terminal, Verb } from './verb.ts';
import {
  describeCommand,
  describeCommonOptions,
  describeUsage,
  describeVerb,
  describeVerbs,
} from './verb-help.ts';
import { VERBS } from './verbs.ts';

// SIGHUP comes when the terminal is closed.
const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

process.exitCode = await main(process.argv.slice(2));

async function main(parameters: readonly string[]): Promise<number> {
  const options = listOptions(parameters);
  // As the variable does, so that programs that a verb starts show none either.
  if (options.has('--no-colour')) process.env['NO_COLOR'] = '1';
  const [name, ...rest] = parameters.filter((word, index) => index > 0 || word !== '--no-colour');
  const terminal = createTerminal();
  if (name === 'help') return help(rest, terminal);
  if (name === '--help') return print(terminal, describeVerbs(VERBS));
  if (name === '--version') return print(terminal, `penstock ${readVersion()}\n`);
  const verb = VERBS.find((candidate) => candidate.name === name);
  if (verb === undefined) return refuse(terminal, describeUnknown(name), describeVerbs(VERBS));
  if (options.has('--help')) return print(terminal, describeHelp(verb, rest));
  try {
    await verb.run(rest, terminal);
    return EXIT.done;
  } catch (error) {
    if (error instanceof UsageError) return refuse(terminal, error.detail, describeUsage(verb, rest));
    terminal.note(
      `penstock ${verb.name}: ${error instanceof GatewayError ? error.detail : describeFailure(error)}\n`,
    );
    return statusOf(error);
  }
}

/** Lists what may be an option: every word before `--`. */
function listOptions(parameters: readonly string[]): ReadonlySet<string> {
  const end = parameters.indexOf('--');
  return new Set(end === -1 ? parameters : parameters.slice(0, end));
}

function help([name, command]: readonly string[], terminal: Terminal): number {
  if (name === undefined || name === '--help') return print(terminal, describeVerbs(VERBS));
  if (name === 'options') return print(terminal, describeCommonOptions());
  const verb = VERBS.find((candidate) => candidate.name === name);
  if (verb === undefined) return refuse(terminal, describeUnknown(name), describeVerbs(VERBS));
  if (command === undefined) return print(terminal, describeVerb(verb));
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

function describeUnknown(name: string | undefined): string {
  if (name === undefined) return 'a verb is missing';
  if (name.startsWith('-')) return `unknown option ${name}`;
  // All of them follow in the usage.
  return `unknown verb ${name}${suggest(
    name,
    VERBS.map((verb) => verb.name),
  ).replace(/^; expected .*/, '')}`;
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
