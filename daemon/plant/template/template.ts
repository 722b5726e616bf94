import { createFault, createReason, placeFault } from '../../base/fault-reason.ts';
import { BASE_FAULTS } from '../../base/fault-sentences.ts';
import { TEMPLATE_FAULTS } from './fault-sentences.ts';
import { createHintingCheck } from '../../base/key/key-hint.ts';
import type { Checked, Fault, z } from '../../base/schema.ts';
import { checkParameterDeclarations } from './template-parameters.ts';
import type { TemplateParameter, TemplateValue } from './template-parameters.ts';
import {
  countedRepeatSchema,
  groupSchema,
  includeSchema,
  listedRepeatSchema,
  outlineSchema,
} from './template-outline.ts';

/** Repetitions of a group, with their values. */
export type Repeat = z.infer<typeof countedRepeatSchema> | z.infer<typeof listedRepeatSchema>;

/** One item in the channels of a template. */
export type TemplateItem =
  | { readonly kind: 'CHANNEL'; readonly channel: Readonly<Record<string, unknown>> }
  | { readonly kind: 'GROUP'; readonly repeat: Repeat; readonly items: readonly TemplateItem[] }
  | {
      readonly kind: 'INCLUDE';
      readonly template: string;
      readonly parameters: Readonly<Record<string, TemplateValue>>;
    };

type SettingValue = string | number | boolean;

/** The channels of one device model, with parameters for the differences between its devices. */
export interface Template {
  readonly name: string;
  readonly title: string;
  readonly manufacturer: string;
  readonly model: string;
  /** Document and revision that the addresses are from. */
  readonly source: string;
  /** Discovered devices that the template fits: `SunSpec model 113`. */
  readonly describes?: string | readonly string[] | undefined;
  /** Driver type that serves the channels. */
  readonly driver: string;
  /** Driver settings that the device needs; they are shown, not applied. */
  readonly driverSettings?:
    | Readonly<Record<string, SettingValue | Readonly<Record<string, SettingValue>>>>
    | undefined;
  readonly parameters: Readonly<Record<string, TemplateParameter>>;
  readonly items: readonly TemplateItem[];
}

const checkOutline = createHintingCheck(outlineSchema);
const checkGroup = createHintingCheck(groupSchema);
const checkInclude = createHintingCheck(includeSchema);
const checkCounted = createHintingCheck(countedRepeatSchema);
const checkListed = createHintingCheck(listedRepeatSchema);

// As in a document of the managed configuration.
const MAXIMUM_VALUES_OF_CHANNEL = 500;
const MAXIMUM_GROUP_DEPTH = 8;

/**
 * Parses the content of a template file.
 *
 * @param value plain data; nothing is expanded, and texts with parameters are not checked
 * @returns the template, or all its errors with their paths in the file
 */
export function parseTemplate(value: unknown): Checked<Template> {
  const outline = checkOutline(value);
  if (outline.faults !== undefined) return { faults: outline.faults };
  const { channels, parameters, ...head } = outline.value;
  const faults: Fault[] = [...checkParameterDeclarations(parameters)];
  const items = parseItems(channels, ['channels'], faults);
  return faults.length > 0 ? { faults } : { value: { ...head, parameters, items } };
}

/** Lists the names of the templates that a template includes directly. */
export function listIncluded(items: readonly TemplateItem[]): readonly string[] {
  return items.flatMap((item) => {
    if (item.kind === 'INCLUDE') return [item.template];
    return item.kind === 'GROUP' ? listIncluded(item.items) : [];
  });
}

function parseItems(
  values: readonly unknown[],
  path: Fault['path'],
  faults: Fault[],
): readonly TemplateItem[] {
  return values.flatMap((value, index) => parseItem(value, [...path, index], faults) ?? []);
}

function parseItem(value: unknown, path: Fault['path'], faults: Fault[]): TemplateItem | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    faults.push(createFault(path, createReason(TEMPLATE_FAULTS, 'EXPECTED_ITEM', {})));
    return undefined;
  }
  if ('repeat' in value) return parseGroup(value, path, faults);
  if ('template' in value) {
    const include = take(checkInclude(value), path, faults);
    return include === undefined ? undefined : { kind: 'INCLUDE', ...include };
  }
  const channel = value as Readonly<Record<string, unknown>>;
  if (typeof channel['name'] !== 'string') {
    faults.push(
      createFault([...path, 'name'], createReason(TEMPLATE_FAULTS, 'EXPECTED_NAME_OF_CHANNEL', {})),
    );
    return undefined;
  }
  if (countUpTo(channel, MAXIMUM_VALUES_OF_CHANNEL) > MAXIMUM_VALUES_OF_CHANNEL) {
    const bound = MAXIMUM_VALUES_OF_CHANNEL;
    faults.push(createFault(path, createReason(BASE_FAULTS, 'EXPECTED_AT_MOST_VALUES', { bound })));
    return undefined;
  }
  return { kind: 'CHANNEL', channel };
}

function parseGroup(value: object, path: Fault['path'], faults: Fault[]): TemplateItem | undefined {
  const group = take(checkGroup(value), path, faults);
  if (group === undefined) return undefined;
  if (path.filter((key) => key === 'channels').length > MAXIMUM_GROUP_DEPTH) {
    const bound = MAXIMUM_GROUP_DEPTH;
    faults.push(createFault(path, createReason(TEMPLATE_FAULTS, 'EXPECTED_AT_MOST_GROUPS', { bound })));
    return undefined;
  }
  const isListed = typeof group.repeat === 'object' && group.repeat !== null && 'each' in group.repeat;
  const checked = isListed ? checkListed(group.repeat) : checkCounted(group.repeat);
  const repeat = take<Repeat>(checked, [...path, 'repeat'], faults);
  const items = parseItems(group.channels, [...path, 'channels'], faults);
  return repeat === undefined ? undefined : { kind: 'GROUP', repeat, items };
}

function take<T>(checked: Checked<T>, path: Fault['path'], faults: Fault[]): T | undefined {
  if (checked.faults === undefined) return checked.value;
  faults.push(...checked.faults.map((fault) => placeFault(path, fault)));
  return undefined;
}

function countUpTo(value: unknown, maximum: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const inner of Object.values(value)) {
    count += countUpTo(inner, maximum - count);
    if (count > maximum) break;
  }
  return count;
}
