import type { Setting } from './setting.ts';
import { describeExpected } from './setting-value.ts';
import type { Option } from './verb.ts';
import { formatOptions } from './verb-help.ts';

/** Formats settings as the options that they are: what each may be, and what it does. */
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

// The placeholders of the longer ones would not fit in a line.
const MOST_CHOICES = 50;

function toOption(setting: Setting): Option {
  const { description, default: preset, isRequired, choices } = setting;
  const listed = choices.join(', ');
  const isLong = listed.length > MOST_CHOICES;
  const help = isLong ? `${description}; one of ${listed}` : description;
  return {
    value: isLong ? 'CHOICE' : writePlaceholder(setting),
    help: isRequired ? `${help} (needed)` : help,
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
