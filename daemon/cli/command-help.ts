import { CLIENT_OPTIONS, COMMON_OPTIONS } from './client/client-options.ts';
import { wrapText } from './terminal/table.ts';
import type { CommandDescription, Options, CommandGroup } from './command-group.ts';

const COLUMNS = 80;
const OPTION_COLUMNS = 27;
const INDENTATION = ' '.repeat(6);

/** Returns the overview: one line for each command. */
export function describeCommandGroups(groups: readonly CommandGroup[]): string {
  const width = Math.max(...groups.map(({ name }) => name.length));
  const rows = groups.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `Usage: penstock COMMAND [SUBCOMMAND] [ARGUMENT...] [OPTION...]

${rows.join('')}
  penstock help COMMAND [SUBCOMMAND]   show the help of a command
  penstock help options                show the options of every command
  penstock --version                   show the version

Exit status: 0 success, or stopped by the user; 1 failed; 2 usage error;
3 gateway not reached; 4 not authenticated or not permitted; 5 partially
completed (see the output).
`;
}

/** Returns the help on the options that commands share. */
export function describeCommonOptions(): string {
  return `Options of every command:
${formatOptions(COMMON_OPTIONS)}
Options of every command that connects to a gateway (default: the gateway on
this machine):
${formatOptions(CLIENT_OPTIONS)}`;
}

/** Returns the help on a command: two lines for each subcommand. */
export function describeCommandGroup(group: CommandGroup): string {
  const itself = group.commands[''];
  if (itself !== undefined) return describeCommand(group, '');
  const rows = Object.entries(group.commands).map(
    ([name, command]) =>
      `  ${callOf(group, name, command)}\n${indent(wrapText(command.summary, COLUMNS - INDENTATION.length))}`,
  );
  return `Usage: penstock ${group.name} SUBCOMMAND [ARGUMENT...] [OPTION...]

${rows.join('')}
"penstock help ${group.name} SUBCOMMAND" shows the options of a subcommand.
`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, INDENTATION);
}

/** Returns the help on one subcommand. */
export function describeCommand(group: CommandGroup, name: string): string {
  const command = group.commands[name];
  if (command === undefined) return describeCommandGroup(group);
  const { summary, options = {}, text, examples = [], settings, isForGateway } = command;
  const hasOptions = Object.keys(options).length > 0 || settings !== undefined;
  const call = `${callOf(group, name, command)}${hasOptions ? ' [OPTION...]' : ''}`;
  const parts = [
    `Usage: ${call}\n`,
    wrapText(toSentence(summary), COLUMNS),
    ...(text === undefined ? [] : text.split('\n\n').map((paragraph) => wrapText(paragraph, COLUMNS))),
    ...(settings === undefined ? [] : [wrapText(SETTINGS[settings], COLUMNS)]),
    ...(Object.keys(options).length === 0 ? [] : [`Options:\n${formatOptions(options)}`]),
    ...(examples.length === 0 ? [] : [`Examples:\n${examples.map((line) => `  ${line}\n`).join('')}`]),
    isForGateway
      ? '"penstock help options" shows how to connect to another gateway.\n'
      : '"penstock help options" shows the options of every command.\n',
  ];
  return parts.join('\n');
}

/**
 * Returns the help for a usage error: the usage of the subcommand, or of the command if the parameters name none.
 *
 * @param parameters words after the command
 */
export function describeUsage(group: CommandGroup, [word = '']: readonly string[]): string {
  const name = Object.hasOwn(group.commands, word) ? word : '';
  const command = group.commands[name];
  if (command === undefined) return describeCommandGroup(group);
  const topic = ['penstock help', group.name, name].filter((part) => part !== '').join(' ');
  return `Usage: ${callOf(group, name, command)} [OPTION...]\n\n"${topic}" shows its options.\n`;
}

/** Explanation of the options that come from settings. */
export const SETTINGS = {
  driver:
    'Every setting of the driver is an option, for example --host or --rs485.enabled. "penstock driver settings TYPE" lists them, including those of drivers from packages. Secrets are not accepted on the command line: "-" prompts for one, @FILE reads it from a file.',
  asset: 'Every setting of the asset is an option, for example --displayName or --scaleOnWrite.',
  channel:
    'Every setting of the channel is an option, including those of its address: --unit, --address.unitId or, shorter, --unitId. "penstock channel settings ASSET" lists them.',
  recorder:
    'Samples are taken every --intervalMs milliseconds, or with --onChange for each change: of more than --deadband, if given, and at most once in --minimumIntervalMs (default: 1000).',
} as const;

/** Returns a summary as a sentence. */
export function toSentence(summary: string): string {
  return `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`;
}

/** Returns the command line of a subcommand without options. */
export function callOf(
  { name: group }: CommandGroup,
  name: string,
  { parameters }: CommandDescription,
): string {
  return ['penstock', group, name, parameters].filter((word) => word !== '').join(' ');
}

/** Returns the notation of an option, `--name VALUE`. */
export function writeOption(name: string, { value }: Options[string]): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

/** Returns the description of an option with its default. */
export function explainOption({ help, default: preset, isRepeated = false }: Options[string]): string {
  const notes = [
    ...(isRepeated ? ['repeatable'] : []),
    ...(preset === undefined ? [] : [`default: ${preset}`]),
  ];
  return notes.length === 0 ? help : `${help} (${notes.join('; ')})`;
}

/** Formats options with their descriptions, in lines of up to 80 columns. */
export function formatOptions(options: Options): string {
  return Object.entries(options)
    .map(([name, option]) => {
      const head = `  ${writeOption(name, option)}`;
      const lines = wrapText(explainOption(option), COLUMNS - OPTION_COLUMNS)
        .trimEnd()
        .split('\n');
      const isWide = head.length > OPTION_COLUMNS - 2;
      const first = isWide ? `${head}\n` : '';
      const [start = '', ...more] = lines;
      const indented = [start, ...more].map((line, index) =>
        index === 0 && !isWide
          ? `${head.padEnd(OPTION_COLUMNS)}${line}`
          : `${' '.repeat(OPTION_COLUMNS)}${line}`,
      );
      return `${first}${indented.join('\n')}\n`;
    })
    .join('');
}
