import { CLIENT_OPTIONS, COMMON_OPTIONS } from '../daemon/cli/client-options.ts';
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

/** Gives the verbs of the command line with commands, options and examples, from the table that their help comes from. */
export function formatVerbsManual(): string {
  return VERBS.map((verb) => {
    const commands = Object.entries(verb.commands).map(([name, command]) =>
      formatCommand(verb, name, command),
    );
    return `.SS ${escape(verb.name)}\n${escape(verb.summary)}\n${commands.join('')}`;
  }).join('');
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
