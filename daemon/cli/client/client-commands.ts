import { CLIENT_OPTIONS, COMMON_OPTIONS, createClient, LEADING_OPTIONS } from './client-options.ts';
import type { RestClient } from './rest-client.ts';
import { UsageError } from '../command-error.ts';
import { checkWords, describeUnknownOption, parseCommand, splitLeadingOptions } from '../command-line.ts';
import type { OptionValue, SettingOption } from '../command-line.ts';
import { suggest } from '../terminal/suggestion.ts';
import type { CommandDescription, Options, Terminal, CommandGroup } from '../command-group.ts';

/** Arguments of a command that needs no gateway. */
export interface LocalInvocation {
  /** Words after the subcommand, checked against its parameters. */
  readonly words: readonly string[];
  /** Command and subcommand, as recorded in the audit log. */
  readonly command: string;
  /** Options of the command itself. */
  readonly options: Readonly<Record<string, OptionValue>>;
  readonly terminal: Terminal;
  /** True with `--json`. */
  readonly isJson: boolean;
  /** Prints the value: as JSON with `--json`, otherwise as text. */
  readonly show: <T>(value: T, toText: (value: T) => string) => void;
}

/** Arguments of a command that connects to a gateway. */
export interface Invocation extends LocalInvocation {
  readonly client: RestClient;
  /** Settings given as options, if the command accepts them. */
  readonly settings: readonly SettingOption[];
}

type Described = Omit<CommandDescription, 'isForGateway'>;

/** Command that connects to a gateway. */
export interface ClientCommand extends Described {
  run(invocation: Invocation): Promise<void>;
}

/** Command that runs without a gateway. */
export interface LocalCommand extends Described {
  runHere(invocation: LocalInvocation): Promise<void>;
}

type Command = ClientCommand | LocalCommand;

/** Creates a command group from its subcommands; an empty name marks a command without subcommands. */
export function createCommandGroup(
  name: string,
  summary: string,
  commands: Readonly<Record<string, Command>>,
): CommandGroup {
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
      if (word === '') throw new UsageError('subcommand missing');
      if (word.startsWith('-')) throw new UsageError(describeUnknownOption(word, LEADING_OPTIONS));
      throw new UsageError(`unknown subcommand "${word}"${suggest(word, Object.keys(commands))}`);
    },
  };
}

/** Returns all options of a command, including the shared ones. */
export function listOptions({ options = {}, isForGateway }: CommandDescription): Options {
  // A command may redefine a shared option.
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
