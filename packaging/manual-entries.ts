import { CLIENT_OPTIONS, COMMON_OPTIONS } from '../daemon/cli/client/client-options.ts';
import type { CommandDescription, Options, Verb } from '../daemon/cli/verb.ts';
import { callOf, explainOption, SETTINGS, writeOption } from '../daemon/cli/verb-help.ts';
import { VERBS } from '../daemon/cli/verbs.ts';
import { listSettings } from './example-configuration.ts';

/** Gives the settings as entries of a manual page (man(7)), from the schema that checks them. */
export function formatSettingsManual(): string {
  return listSettings()
    .map(({ path, node }) => {
      const value = node.default === undefined ? '' : ` (default: ${JSON.stringify(node.default)})`;
      return `.TP\n.B ${escape(path)}\n${escape(`${node.description ?? ''}${value}`)}\n`;
    })
    .join('');
}

/** Gives the verbs of the command line, each with the manual page that has its commands. */
export function formatVerbsManual(): string {
  return VERBS.map(({ name, summary }) => `.TP\n.BR ${escape(pageOf(name))} (1)\n${escape(summary)}\n`).join(
    '',
  );
}

/** Returns the manual page of a verb, by its name without section: its commands, options and examples as in its help. */
export function formatVerbPage(
  verb: Verb,
  { version, date }: { readonly version: string; readonly date: string },
): { readonly name: string; readonly text: string } {
  const name = pageOf(verb.name);
  const commands = Object.entries(verb.commands);
  const calls = commands.map(([word, command]) => `.B ${escape(callOf(verb, word, command))}\n`);
  const entries = commands.map(([word, command]) => formatCommand(verb, word, command));
  const text = [
    `.TH ${escape(name.toUpperCase())} 1 "${date}" "Penstock ${version}" "User commands"\n`,
    `.SH NAME\n${escape(name)} \\- ${escape(verb.summary)}\n`,
    `.SH SYNOPSIS\n${calls.join('.br\n')}`,
    `.SH DESCRIPTION\n${entries.join('')}`,
    '.SH OPTIONS\nThose of every command, by which a gateway is reached, are in\n.BR penstock (1).\n',
    '.SH SEE ALSO\n.BR penstock (1),\n.BR penstockd (8)\n',
  ];
  return { name, text: text.join('') };
}

function pageOf(verb: string): string {
  return `penstock-${verb}`;
}

/** Gives the options that commands share. */
export function formatOptionsManual(): string {
  return `${formatOptions(COMMON_OPTIONS)}.PP\nOf commands that talk to a gateway:\n${formatOptions(CLIENT_OPTIONS)}`;
}

function formatCommand(verb: Verb, name: string, command: CommandDescription): string {
  const { summary, text, options = {}, settings, examples = [] } = command;
  const paragraphs = [
    `${summary}.`,
    ...(text?.split('\n\n') ?? []),
    ...(settings === undefined ? [] : [SETTINGS[settings]]),
  ];
  return [
    `.TP\n.B ${escape(callOf(verb, name, command))}\n`,
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
