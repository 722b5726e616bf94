import { CLIENT_OPTIONS, COMMON_OPTIONS } from '../daemon/cli/client/client-options.ts';
import type { CommandDescription, Options, CommandGroup } from '../daemon/cli/command-group.ts';
import { callOf, explainOption, SETTINGS, toSentence, writeOption } from '../daemon/cli/command-help.ts';
import { COMMAND_GROUPS } from '../daemon/cli/command-groups.ts';
import { listSettings } from './example-configuration.ts';

/** Formats the settings as entries of a manual page (man(7)), from the schema that checks them. */
export function formatSettingsManual(): string {
  return listSettings()
    .map(({ path, node }) => {
      const value = node.default === undefined ? '' : ` (default: ${JSON.stringify(node.default)})`;
      return `.TP\n.B ${escape(path)}\n${escape(`${node.description ?? ''}${value}`)}\n`;
    })
    .join('');
}

/** Formats the list of commands, each with its manual page. */
export function formatCommandsManual(): string {
  return COMMAND_GROUPS.map(
    ({ name, summary }) => `.TP\n.BR ${escape(pageOf(name))} (1)\n${escape(summary)}\n`,
  ).join('');
}

/** Returns the manual page of a command, with subcommands, options and examples as in its help; the name has no section. */
export function formatCommandPage(
  group: CommandGroup,
  { version, date }: { readonly version: string; readonly date: string },
): { readonly name: string; readonly text: string } {
  const name = pageOf(group.name);
  const commands = Object.entries(group.commands);
  const calls = commands.map(([word, command]) => `.B ${escape(callOf(group, word, command))}\n`);
  const entries = commands.map(([word, command]) => formatCommand(group, word, command));
  const text = [
    `.TH ${escape(name.toUpperCase())} 1 "${date}" "Penstock ${version}" "User commands"\n`,
    `.SH NAME\n${escape(name)} \\- ${escape(group.summary)}\n`,
    `.SH SYNOPSIS\n${calls.join('.br\n')}`,
    `.SH DESCRIPTION\n${entries.join('')}`,
    '.SH OPTIONS\nThe options of every command, including those for the connection, are in\n.BR penstock (1).\n',
    '.SH SEE ALSO\n.BR penstock (1),\n.BR penstockd (8)\n',
  ];
  return { name, text: text.join('') };
}

function pageOf(group: string): string {
  return `penstock-${group}`;
}

/** Formats the options that commands share. */
export function formatOptionsManual(): string {
  return `${formatOptions(COMMON_OPTIONS)}.PP\nOptions of commands that connect to a gateway:\n${formatOptions(CLIENT_OPTIONS)}`;
}

function formatCommand(group: CommandGroup, name: string, command: CommandDescription): string {
  const { summary, text, options = {}, settings, examples = [] } = command;
  const paragraphs = [
    toSentence(summary),
    ...(text?.split('\n\n') ?? []),
    ...(settings === undefined ? [] : [SETTINGS[settings]]),
  ];
  return [
    `.TP\n.B ${escape(callOf(group, name, command))}\n`,
    paragraphs.map((paragraph) => `${escape(paragraph)}\n`).join('.IP\n'),
    Object.keys(options).length === 0 ? '' : `.RS\n${formatOptions(options)}.RE\n`,
    ...examples.map((line) => `.RS\n.PP\n.nf\n${line.split('\n').map(escape).join('\n')}\n.fi\n.RE\n`),
  ].join('');
}

function formatOptions(options: Options): string {
  return Object.entries(options)
    .map(
      ([name, option]) => `.TP\n.B ${escape(writeOption(name, option))}\n${escape(explainOption(option))}\n`,
    )
    .join('');
}

function escape(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replace(/^([.'])/, '\\&$1');
}
