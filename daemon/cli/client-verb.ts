import type { ParseArgsOptionsConfig } from 'node:util';

import { CLIENT_OPTIONS, CLIENT_USAGE, createClient } from './client-options.ts';
import type { ClientValues } from './client-options.ts';
import type { RestClient } from './rest-client.ts';
import { UsageError } from './command-error.ts';
import { parseCommand } from './command-line.ts';
import type { Terminal, Verb } from './verb.ts';

/** What a command that needs no gateway is given. */
export interface LocalInvocation {
  /** Words after the command, as many as its parameters allow. */
  readonly words: readonly string[];
  /** Options of the command itself. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly terminal: Terminal;
  /** Prints JSON with `--json`, otherwise the text of the value. */
  readonly show: <T>(value: T, toText: (value: T) => string) => void;
}

/** What a command that talks to a gateway is given. */
export interface Invocation extends LocalInvocation {
  readonly client: RestClient;
}

interface Command {
  /** As in the help: `PID [CHANNEL...]`; words in brackets are optional, dots mean repetition. */
  readonly parameters: string;
  readonly summary: string;
  readonly options?: ParseArgsOptionsConfig;
  /** Help on the options, indented by two. */
  readonly optionsUsage?: string;
}

/** A command that talks to a gateway. */
interface ClientCommand extends Command {
  run(invocation: Invocation): Promise<void>;
}

/** A command that runs without a gateway; of the common options it accepts only `--json`. */
interface LocalCommand extends Command {
  runHere(invocation: LocalInvocation): Promise<void>;
}

type Commands = Readonly<Record<string, ClientCommand | LocalCommand>>;

const LOCAL_OPTIONS = { json: CLIENT_OPTIONS.json };

/** Creates a verb from commands, most of which talk to a gateway. */
export function createClientVerb(name: string, summary: string, commands: Commands): Verb {
  return {
    name,
    summary,
    usage: describe(name, commands),
    async run(parameters, terminal) {
      const [word = '', ...rest] = parameters;
      const command = commands[word];
      if (command === undefined) {
        throw new UsageError(word === '' ? 'a command is missing' : `unknown command ${word}`);
      }
      const common = 'run' in command ? CLIENT_OPTIONS : LOCAL_OPTIONS;
      const { values, words } = parseCommand(rest, { ...common, ...command.options });
      checkWords(command.parameters, words);
      const options = values as Invocation['options'];
      const isJson = options['json'] === true;
      const invocation: LocalInvocation = {
        words,
        options,
        terminal,
        show: (value, toText) =>
          terminal.print(isJson ? `${JSON.stringify(value, null, 2)}\n` : toText(value)),
      };
      if (!('run' in command)) return command.runHere(invocation);
      const client = await createClient(values as unknown as ClientValues, terminal);
      return command.run({ ...invocation, client });
    },
  };
}

function checkWords(parameters: string, words: readonly string[]): void {
  const names = parameters.split(' ').filter((word) => word !== '');
  const needed = names.filter((word) => !word.startsWith('['));
  if (words.length < needed.length) throw new UsageError(`${needed[words.length] ?? ''} is missing`);
  if (!parameters.includes('...') && words.length > names.length) {
    throw new UsageError(`"${words[names.length] ?? ''}" is an unexpected word`);
  }
}

function describe(name: string, commands: Commands): string {
  const rows = Object.entries(commands).map(([word, { parameters, summary, optionsUsage = '' }]) => {
    const call = `  penstock ${name} ${word} ${parameters}`.trimEnd();
    return `${call}\n      ${summary}\n${optionsUsage.replaceAll(/^/gm, '    ').trimEnd()}`.trimEnd();
  });
  return `Usage:\n${rows.join('\n')}\n\n${CLIENT_USAGE}`;
}
