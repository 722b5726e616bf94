import { messageOf } from '../../base/errors.ts';
import { parseYaml } from '../../settings/yaml-document.ts';
import { promptNewSecret } from '../terminal/prompt.ts';
import { UsageError } from '../command-error.ts';
import type { Setting } from './setting.ts';
import { suggest } from '../terminal/suggestion.ts';
import { readSecretFile } from '../terminal/text-file.ts';
import type { Terminal, Option } from '../command-group.ts';
import { formatOptions } from '../command-help.ts';

// Manuals have polynomials and codes in this form.
const HEXADECIMAL = /^0x[\da-f]{1,8}$/i;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/**
 * Parses the typed value of a setting by the types of its schema; the gateway validates it. For a secret, `-` prompts and
 * `@FILE` reads a file.
 *
 * @param name as typed, for messages
 * @throws {UsageError} for a value of the wrong type, and for a typed secret
 * @throws {CommandError} if the secret cannot be read
 */
export async function readSettingValue(
  name: string,
  text: string | undefined,
  { setting, terminal }: { readonly setting: Setting; readonly terminal: Terminal },
): Promise<unknown> {
  if (setting.isSecret) return readSecret(name, text, terminal);
  // A boolean without a value is true.
  if (text === undefined && setting.types.has('boolean')) return true;
  if (text === undefined) throw new UsageError(`${name}: ${describeExpected(setting)} is missing`);
  return parseSettingValue(name, text, setting);
}

async function readSecret(name: string, text: string | undefined, terminal: Terminal): Promise<string> {
  if (text === '-') return promptNewSecret(`Value of ${name}`, terminal);
  if (text?.startsWith('@') === true) return readSecretFile(text.slice(1));
  throw new UsageError(
    `${name} is a secret and not accepted on the command line: "-" prompts for it, @FILE reads it from a file`,
  );
}

function parseSettingValue(name: string, text: string, setting: Setting): unknown {
  const { types, choices } = setting;
  const choice = choices.find((each) => each.toLowerCase() === text.toLowerCase());
  if (choices.length > 0 && choice === undefined && !types.has('object') && !types.has('array')) {
    throw new UsageError(
      `${name} "${text}"${suggest(text, choices) || `; expected one of ${choices.join(', ')}`}`,
    );
  }
  const written = choice ?? text;
  if (types.size === 0) return parseData(name, text);
  if (types.has('null') && written === 'null') return null;
  if ((types.has('number') || types.has('integer')) && NUMBER.test(written)) return Number(written);
  if (types.has('integer') && !types.has('string') && HEXADECIMAL.test(written)) return Number(written);
  if (types.has('boolean') && /^(?:true|false)$/i.test(written)) return written.toLowerCase() === 'true';
  if (types.has('string')) return written;
  if (types.has('array')) return parseList(name, text);
  if (types.has('object')) return parseData(name, text);
  throw new UsageError(`${name} "${text}": expected ${describeExpected(setting)}`);
}

/** `443,4443` is `[443, 4443]`. */
function parseList(name: string, text: string): unknown {
  return parseData(name, text.startsWith('[') ? text : `[${text}]`);
}

function parseData(name: string, text: string): unknown {
  try {
    return parseYaml(Buffer.from(text)).value;
  } catch (error) {
    throw new UsageError(`${name} "${text}": ${messageOf(error)}`);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a text',
};

/** Describes the allowed values of a setting. */
function describeExpected({ types, choices }: Pick<Setting, 'types' | 'choices'>): string {
  if (choices.length > 0) return choices.join(', ');
  return types.size === 0 ? 'a value' : [...types].map((type) => WORDS[type] ?? type).join(' or ');
}

/** Formats settings as options: allowed values and description. */
export function formatSettings(settings: readonly Setting[]): string {
  const options = settings
    .filter(({ path }) => path !== 'pid')
    .map((setting) => [setting.path, toOption(setting)] as const);
  return formatOptions(Object.fromEntries(options));
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  array: 'LIST',
  boolean: 'true|false',
  integer: 'N',
  number: 'NUMBER',
  string: 'TEXT',
};

// Longer placeholders do not fit in a line.
const MAXIMUM_CHOICES_LENGTH = 50;

function toOption(setting: Setting): Option {
  const { description, default: preset, isRequired, choices } = setting;
  const listed = choices.join(', ');
  const isLong = listed.length > MAXIMUM_CHOICES_LENGTH;
  const help = isLong ? `${description}; one of ${listed}` : description;
  return {
    value: isLong ? 'CHOICE' : writePlaceholder(setting),
    help: isRequired ? `${help} (required)` : help,
    ...(preset === undefined || preset === ''
      ? {}
      : { default: typeof preset === 'string' ? preset : JSON.stringify(preset) }),
  };
}

function writePlaceholder({ types, choices, isSecret }: Setting): string {
  if (isSecret) return '-|@FILE';
  if (choices.length > 0) return choices.join('|');
  const type = [...types].find((each) => each !== 'null') ?? '';
  return types.size === 0
    ? 'VALUE'
    : (PLACEHOLDERS[type] ?? describeExpected({ types, choices }).toUpperCase());
}
