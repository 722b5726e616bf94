import { CLIENT_OPTIONS, COMMON_OPTIONS } from './client/client-options.ts';
import { wrapText } from './terminal/table.ts';
import type { CommandDescription, Options, Verb } from './verb.ts';

const COLUMNS = 80;
const OPTION_COLUMNS = 27;
const INDENTATION = ' '.repeat(6);

/** Returns the help on everything: the verbs, each in a line. */
export function describeVerbs(verbs: readonly Verb[]): string {
  const width = Math.max(...verbs.map(({ name }) => name.length));
  const rows = verbs.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `Usage: penstock VERB [COMMAND] [WORD...] [OPTION...]

${rows.join('')}
  penstock help VERB [COMMAND]   prints the help of a verb or a command
  penstock help options          prints the options of every command
  penstock --version             prints the version

Exit status: 0 done, or stopped as asked; 1 failed; 2 wrong usage; 3 no answer
from the gateway; 4 not authenticated or not permitted; 5 done in part, as
printed.
`;
}

/** Returns the help on the options of every command. */
export function describeCommonOptions(): string {
  return `Options of every command:
${formatOptions(COMMON_OPTIONS)}
Options of every command that talks to a gateway; without them it is the one on
this machine:
${formatOptions(CLIENT_OPTIONS)}`;
}

/** Returns the help on a verb: its commands, each in two lines. */
export function describeVerb(verb: Verb): string {
  const itself = verb.commands[''];
  if (itself !== undefined) return describeCommand(verb, '');
  const rows = Object.entries(verb.commands).map(
    ([name, command]) =>
      `  ${callOf(verb, name, command)}\n${indent(wrapText(command.summary, COLUMNS - INDENTATION.length))}`,
  );
  return `Usage: penstock ${verb.name} COMMAND [WORD...] [OPTION...]

${rows.join('')}
"penstock help ${verb.name} COMMAND" tells the options of a command.
`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, INDENTATION);
}

/** Returns the help on one command. */
export function describeCommand(verb: Verb, name: string): string {
  const command = verb.commands[name];
  if (command === undefined) return describeVerb(verb);
  const { summary, options = {}, text, examples = [], settings, isForGateway } = command;
  const hasOptions = Object.keys(options).length > 0 || settings !== undefined;
  const call = `${callOf(verb, name, command)}${hasOptions ? ' [OPTION...]' : ''}`;
  const parts = [
    `Usage: ${call}\n`,
    wrapText(`${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`, COLUMNS),
    ...(text === undefined ? [] : text.split('\n\n').map((paragraph) => wrapText(paragraph, COLUMNS))),
    ...(settings === undefined ? [] : [wrapText(SETTINGS[settings], COLUMNS)]),
    ...(Object.keys(options).length === 0 ? [] : [`Options:\n${formatOptions(options)}`]),
    ...(examples.length === 0 ? [] : [`Examples:\n${examples.map((line) => `  ${line}\n`).join('')}`]),
    isForGateway
      ? '"penstock help options" tells how to reach another gateway.\n'
      : '"penstock help options" tells the options of every command.\n',
  ];
  return parts.join('\n');
}

/**
 * Returns what to show with an error of usage: the usage of the verb, or of its command when the parameters name one.
 *
 * @param parameters the words after the verb
 */
export function describeUsage(verb: Verb, [word = '']: readonly string[]): string {
  const name = Object.hasOwn(verb.commands, word) ? word : '';
  const command = verb.commands[name];
  if (command === undefined) return describeVerb(verb);
  const topic = ['penstock help', verb.name, name].filter((part) => part !== '').join(' ');
  return `Usage: ${callOf(verb, name, command)} [OPTION...]\n\n"${topic}" tells its options.\n`;
}

/** Explains where a command takes its further options from. */
export const SETTINGS = {
  driver:
    'Every setting of the driver is an option: --host, --rs485.enabled. "penstock driver settings TYPE" lists them, also those of drivers that packages bring. Text that is a secret is not taken from the command line: "-" asks for it, @FILE reads it from a file.',
  asset: 'Every setting of the asset is an option: --displayName, --scaleOnWrite.',
  channel:
    'Every setting of the channel is an option, those of its address too: --unit, --address.unitId or in short --unitId. "penstock channel settings ASSET" lists them.',
} as const;

/** Returns how a command is called, without its options. */
export function callOf({ name: verb }: Verb, name: string, { parameters }: CommandDescription): string {
  return ['penstock', verb, name, parameters].filter((word) => word !== '').join(' ');
}

/** Returns an option as it is written, `--name VALUE`. */
export function writeOption(name: string, { value }: Options[string]): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

/** Returns what an option does, with its default. */
export function explainOption({ help, default: preset, isRepeated = false }: Options[string]): string {
  const notes = [
    ...(isRepeated ? ['may be repeated'] : []),
    ...(preset === undefined ? [] : [`default: ${preset}`]),
  ];
  return notes.length === 0 ? help : `${help} (${notes.join('; ')})`;
}

/** Returns options with what each does, in lines of 80 columns. */
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
