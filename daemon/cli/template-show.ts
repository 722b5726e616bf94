import type { Template, TemplateParameter } from '../interface/templates.ts';
import { formatTable, toPrintable } from './table.ts';

/** Formats a template for people: its origin, its parameters, its channels. */
export function formatTemplate(shown: Template): string {
  const { name, title, manufacturer, model, source, driver, parameters, channels, faults = [] } = shown;
  const settings = Object.entries(shown.driverSettings ?? {}).map(
    ([key, value]) => `${key}: ${String(value)}`,
  );
  const facts = {
    Template: name,
    Title: title,
    Maker: manufacturer,
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
      { title: 'DEFAULT', show: ([, parameter]) => parameter.default ?? 'needed' },
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
