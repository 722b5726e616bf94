import path from 'node:path';

import { listTemplates, readTemplate } from '../interface/plant/templates.ts';
import type { TemplateList, Template, TemplateParameter } from '../interface/plant/templates.ts';
import { createCommandGroup } from './client/client-commands.ts';
import { formatTable, toPrintable } from './terminal/table.ts';
import { YamlReader } from '../settings/yaml-reader.ts';
import { checkTemplate } from '../plant/template/check-template.ts';
import { TemplateLibrary, SHIPPED_TEMPLATES } from '../plant/template/template-library.ts';
import { readTemplateFile } from '../plant/template/template-file.ts';
import type { LocalInvocation } from './client/client-commands.ts';
import { CommandError, PartlyFailed } from './command-error.ts';

/** Shows the device templates of a gateway and checks new ones. */
export const template = createCommandGroup('template', 'show and check device templates', {
  list: {
    parameters: '',
    summary: 'list the available templates',
    run: async ({ client, show }) => {
      show(await client.call(listTemplates), formatListing);
    },
  },
  show: {
    parameters: 'NAME',
    names: ['template'],
    summary: 'show the parameters and channels of a template',
    run: async ({ client, words: [name = ''], show }) => {
      show(await client.call(readTemplate, { name }), formatTemplate);
    },
  },
  check: {
    parameters: 'FILE [FILE...]',
    names: ['file'],
    summary: 'check template files without a gateway',
    runHere: checkFiles,
  },
  schema: {
    parameters: '',
    summary: 'print the JSON Schema of template files, for editors',
    runHere: async ({ terminal }) => {
      const { describeTemplateFile } = await import('../plant/template/template-schema.ts');
      terminal.print(`${JSON.stringify(describeTemplateFile(), null, 2)}\n`);
    },
  },
});

function formatListing({ templates, unusable }: TemplateList): string {
  const table = formatTable<TemplateList['templates'][number]>(
    [
      { title: 'TEMPLATE', show: ({ name }) => name },
      { title: 'DRIVER', show: ({ driver }) => driver },
      { title: 'TITLE', show: ({ title }) => title },
    ],
    templates,
  );
  if (unusable.length === 0) return table;
  const files = formatTable<TemplateList['unusable'][number]>(
    [
      { title: 'UNUSABLE FILE', show: ({ file }) => file },
      { title: 'REASON', show: ({ faults }) => faults.join('; ') },
    ],
    unusable,
  );
  return `${table}\n${files}`;
}

/** Result of checking one file; the note names what was not checked. */
type CheckedFile = Readonly<{ file: string; channels: number; faults: readonly string[]; note?: string }>;

/** Checks template files, including inherited templates of the same directory or of the gateway. */
async function checkFiles({ words, show }: LocalInvocation): Promise<void> {
  const checked: CheckedFile[] = [];
  for (const file of words) checked.push(await checkFile(file));
  show(checked, (all) => all.map(formatChecked).join(''));
  const failed = checked.filter(({ faults }) => faults.length > 0);
  if (failed.length === 0) return;
  const detail = `${failed.length} of ${checked.length} files cannot be used`;
  const options = { code: 'TEMPLATE_INVALID', detail } as const;
  throw failed.length < checked.length ? new PartlyFailed(options) : new CommandError(options);
}

async function checkFile(file: string): Promise<CheckedFile> {
  const yaml = new YamlReader();
  const read = await readTemplateFile(file, yaml);
  if (read.template === undefined)
    return { file, channels: 0, faults: read.faults.map(({ message }) => message) };
  const { template: parsed } = read;
  const library = new TemplateLibrary({
    directories: [path.dirname(path.resolve(file)), ...SHIPPED_TEMPLATES],
    listPackagedFiles: () => Promise.resolve([]),
    yaml,
  });
  const loaded = await library.load([parsed.name], {});
  // Lazy: no other command needs the drivers.
  const { createDriverFactories } = await import('../../drivers/index.ts');
  const { faults, channels, isDriverKnown } = checkTemplate(parsed, loaded, createDriverFactories());
  const note = `addresses not checked: the driver ${parsed.driver} is not part of the gateway`;
  return { file, channels: channels.length, faults, ...(isDriverKnown ? {} : { note }) };
}

function formatChecked({ file, channels, faults, note }: CheckedFile): string {
  if (faults.length > 0) return faults.map((fault) => `${file}: ${toPrintable(fault)}\n`).join('');
  return `${file}: ${channels} channels with the default parameters${note === undefined ? '' : `; ${note}`}\n`;
}

/** Formats a template: origin, parameters and channels. */
function formatTemplate(shown: Template): string {
  const { name, title, manufacturer, model, source, driver, parameters, channels, faults = [] } = shown;
  const settings = Object.entries(shown.driverSettings ?? {}).flatMap(([key, value]) =>
    typeof value === 'object'
      ? Object.entries(value).map(([part, inner]) => `${key}.${part}: ${String(inner)}`)
      : [`${key}: ${String(value)}`],
  );
  const facts = {
    Template: name,
    Title: title,
    Vendor: manufacturer,
    Models: model,
    Source: source,
    Driver: driver,
    ...(settings.length === 0 ? {} : { Settings: settings.join(', ') }),
  };
  const head = Object.entries(facts).map(([key, value]) => `${`${key}:`.padEnd(10)}${toPrintable(value)}\n`);
  return [
    head.join(''),
    ...(Object.keys(parameters).length === 0 ? [] : [formatParameters(parameters)]),
    faults.length === 0
      ? formatChannels(channels)
      : faults.map((fault) => `${toPrintable(fault)}\n`).join(''),
  ].join('\n');
}

function formatParameters(parameters: Template['parameters']): string {
  return formatTable<readonly [string, TemplateParameter]>(
    [
      { title: 'PARAMETER', show: ([name]) => name },
      { title: 'TYPE', show: ([, { type }]) => type },
      { title: 'DEFAULT', show: ([, parameter]) => parameter.default ?? 'required' },
      { title: 'RANGE', show: ([, parameter]) => formatRange(parameter), isOptional: true },
      { title: 'MEANING', show: ([, { description }]) => description },
    ],
    Object.entries(parameters),
  );
}

function formatRange({ minimum, maximum }: TemplateParameter): string {
  return minimum === undefined && maximum === undefined ? '' : `${minimum ?? ''}..${maximum ?? ''}`;
}

function formatChannels(channels: Template['channels']): string {
  return formatTable<Template['channels'][number]>(
    [
      { title: 'CHANNEL', show: ({ name }) => toText(name) },
      { title: 'TYPE', show: ({ type }) => toText(type) },
      { title: 'VALUE', show: ({ valueType }) => toText(valueType) },
      { title: 'UNIT', show: ({ unit }) => toText(unit), isOptional: true },
      {
        title: 'MEANING',
        show: ({ displayName, description }) => toText(displayName ?? description),
        isOptional: true,
      },
    ],
    channels,
  );
}

function toText(field: unknown): string {
  if (field === undefined) return '';
  return typeof field === 'string' ? field : JSON.stringify(field);
}
