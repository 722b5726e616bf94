import { CLIENT_OPTIONS, COMMON_OPTIONS, createClient, LEADING_OPTIONS } from './client-options.ts';
import type { RestClient } from './rest-client.ts';
import { UsageError } from '../command-error.ts';
import { checkWords, describeUnknownOption, parseCommand, splitLeadingOptions } from '../command-line.ts';
import type { OptionValue, SettingOption } from '../command-line.ts';
import { suggest } from '../terminal/suggestion.ts';
import type { CommandDescription, Options, Terminal, Verb } from '../verb.ts';

/** What a command that needs no gateway is given. */
export interface LocalInvocation {
  /** Words after the command, as many as its parameters allow. */
  readonly words: readonly string[];
  /** The command, as the audit names it. */
  readonly command: string;
  /** Options of the command itself. */
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly terminal: Terminal;
  /** Whether JSON is wanted. */
  readonly isJson: boolean;
  /** Prints JSON with `--json`, otherwise the text of the value. */
  readonly show: <T>(value: T, toText: (value: T) => string) => void;
}

/** What a command that talks to a gateway is given. */
export interface Invocation extends LocalInvocation {
  readonly client: RestClient;
  /** Settings that were given as options, where the command takes them. */
  readonly settings: readonly SettingOption[];
}

type Described = Omit<CommandDescription, 'isForGateway'>;

/** A command that talks to a gateway. */
export interface ClientCommand extends Described {
  run(invocation: Invocation): Promise<void>;
}

/** A command that runs without a gateway. */
export interface LocalCommand extends Described {
  runHere(invocation: LocalInvocation): Promise<void>;
}

type Command = ClientCommand | LocalCommand;

/** Creates a verb from commands, most of which talk to a gateway; a command with an empty name is the verb itself. */
export function createClientVerb(
  name: string,
  summary: string,
  commands: Readonly<Record<string, Command>>,
): Verb {
  return {
    name,
    summary,
    commands: Object.fromEntries(
      Object.entries(commands).map(([word, command]) => [
        word,
        { ...command, isForGateway: 'run' in command },
      ]),
    ),
    run(parameters, terminal) {
      const byName = new Map(Object.entries(commands));
      const itself = byName.get('');
      if (itself !== undefined) return runCommand({ command: itself, name }, parameters, terminal);
      const { leading, rest } = splitLeadingOptions(parameters, LEADING_OPTIONS);
      const [word = '', ...more] = rest;
      const command = byName.get(word);
      const given = [...leading, ...more];
      if (command !== undefined) return runCommand({ command, name: `${name} ${word}` }, given, terminal);
      if (word === '') throw new UsageError('a command is missing');
      if (word.startsWith('-')) throw new UsageError(describeUnknownOption(word, LEADING_OPTIONS));
      throw new UsageError(`unknown command ${word}${suggest(word, Object.keys(commands))}`);
    },
  };
}

/** Returns every option of a command, those that it shares with others last. */
export function listOptions({ options = {}, isForGateway }: CommandDescription): Options {
  // An option of the command itself counts where both have the name.
  return { ...COMMON_OPTIONS, ...(isForGateway ? CLIENT_OPTIONS : {}), ...options };
}

async function runCommand(
  { command, name }: { readonly command: Command; readonly name: string },
  parameters: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const isForGateway = 'run' in command;
  const { options, words, settings } = parseCommand(
    parameters,
    listOptions({ ...command, isForGateway }),
    command.settings !== undefined,
  );
  checkWords(command.parameters, words);
  const isJson = options['json'] === true;
  const invocation: LocalInvocation = {
    words,
    command: name,
    options,
    terminal,
    isJson,
    show: (value, toText) => terminal.print(isJson ? `${JSON.stringify(value, null, 2)}\n` : toText(value)),
  };
  if (!isForGateway) return command.runHere(invocation);
  return command.run({ ...invocation, settings, client: await createClient(options, terminal, name) });
}
