import { createFault, createReason, placeFault } from '../../base/fault-reason.ts';
import type { FaultReason, ReasonedFault } from '../../base/fault-reason.ts';
import { BASE_FAULTS } from '../../base/fault-sentences.ts';
import { CHANNEL_FAULTS } from '../../channel/fault-sentences.ts';
import { TEMPLATE_FAULTS } from './fault-sentences.ts';
import { findNearestKey } from '../../base/key/key-hint.ts';
import { formatPath } from '../../base/schema.ts';
import type { Fault } from '../../base/schema.ts';
import type { Repeat, Template, TemplateItem } from './template.ts';
import { MAXIMUM_CHANNELS } from './template-outline.ts';
import { resolveParameters } from './template-parameters.ts';
import type { TemplateValue, TemplateValues } from './template-parameters.ts';
import { resolveText, TemplateTextError } from './template-text.ts';

/** Location in a template, with keys and indices from the top of the template. */
export interface TemplatePlace {
  /** Name of the template. */
  readonly template: string;
  readonly path: Fault['path'];
}

/** One channel expanded from a template. */
export interface ExpandedChannel {
  /** The channel record, unchecked. */
  readonly channel: Readonly<Record<string, unknown>>;
  readonly place: TemplatePlace;
}

/** Input of the expansion of a template. */
export interface Expansion {
  readonly template: Template;
  /** Values of its parameters by name, unchecked. */
  readonly parameters: unknown;
  /** Templates that it may include, by name. */
  readonly templates: ReadonlyMap<string, Template>;
}

// Far more than a device has; the characters are the total of all channels.
const MAXIMUM_STEPS = 4 * MAXIMUM_CHANNELS;
const MAXIMUM_CHARACTERS = 8_000_000;
const MAXIMUM_INCLUDES = 8;

// A name in a message; template names are shorter.
const MAXIMUM_SHOWN = 64;

/** The template cannot be expanded; the fault names it and the location. */
class ExpansionError extends Error {
  readonly fault: ReasonedFault;

  constructor(fault: ReasonedFault) {
    super(fault.message);
    this.fault = fault;
  }
}

/**
 * Expands a template to channels: a pure function that always terminates.
 *
 * @returns the channels in the order of the template; or errors, whose paths begin with `parameters` if the provided ones
 *   are invalid, and are empty if the template is
 */
export function expandTemplate({
  template,
  parameters,
  templates,
}: Expansion):
  | { readonly value: readonly ExpandedChannel[]; readonly faults?: undefined }
  | { readonly value?: undefined; readonly faults: readonly ReasonedFault[] } {
  const values = resolveParameters(template.parameters, parameters);
  if (values.faults !== undefined) {
    return { faults: values.faults.map((fault) => placeFault(['parameters'], fault)) };
  }
  try {
    const run = new Run(templates);
    run.expandAll(template, values.value, []);
    return { value: run.channels };
  } catch (error) {
    if (error instanceof ExpansionError) return { faults: [error.fault] };
    throw error;
  }
}

/** Location of an entry: its template, and the chain of includes to it. */
interface Location {
  readonly template: Template;
  readonly path: Fault['path'];
  /** Names of the including templates, outermost first. */
  readonly outer: readonly string[];
}

/** One expansion, with the resources used so far. */
class Run {
  readonly channels: ExpandedChannel[] = [];
  readonly #templates: ReadonlyMap<string, Template>;
  #steps = 0;
  #characters = 0;

  constructor(templates: ReadonlyMap<string, Template>) {
    this.#templates = templates;
  }

  expandAll(template: Template, values: TemplateValues, outer: readonly string[]): void {
    this.#expandItems(template.items, values, { template, path: ['channels'], outer });
  }

  #expandItems(items: readonly TemplateItem[], values: TemplateValues, location: Location): void {
    for (const [index, item] of items.entries()) {
      this.#expandItem(item, values, { ...location, path: [...location.path, index] });
    }
  }

  #expandItem(item: TemplateItem, values: TemplateValues, location: Location): void {
    this.#countStep(location);
    if (item.kind === 'GROUP') return this.#expandGroup(item, values, location);
    if (item.kind === 'INCLUDE') return this.#include(item, values, location);
    if (this.channels.length === MAXIMUM_CHANNELS) {
      throw refuse(
        location,
        createReason(TEMPLATE_FAULTS, 'TEMPLATE_TOO_LARGE', { bound: MAXIMUM_CHANNELS }),
      );
    }
    const channel = this.#resolve(item.channel, values, location) as ExpandedChannel['channel'];
    this.channels.push({ channel, place: placeOf(location) });
  }

  #expandGroup(
    { repeat, items }: Extract<TemplateItem, { readonly kind: 'GROUP' }>,
    values: TemplateValues,
    location: Location,
  ): void {
    const inner = { ...location, path: [...location.path, 'channels'] };
    for (const turn of this.#listTurns(repeat, values, { ...location, path: [...location.path, 'repeat'] })) {
      for (const name of Object.keys(turn)) {
        if (values.has(name))
          throw refuse(location, createReason(TEMPLATE_FAULTS, 'VARIABLE_REPEATED', { name }));
      }
      this.#countStep(location);
      this.#expandItems(items, new Map([...values, ...Object.entries(turn)]), inner);
    }
  }

  #listTurns(
    repeat: Repeat,
    values: TemplateValues,
    location: Location,
  ): readonly Readonly<Record<string, TemplateValue>>[] {
    if ('each' in repeat) return repeat.each;
    const from = this.#resolveCount(repeat.from, values, { ...location, path: [...location.path, 'from'] });
    const to = this.#resolveCount(repeat.to, values, { ...location, path: [...location.path, 'to'] });
    const count = Math.max(0, to - from + 1);
    if (count > MAXIMUM_CHANNELS) {
      const bound = MAXIMUM_CHANNELS;
      throw refuse(location, createReason(TEMPLATE_FAULTS, 'GROUP_TOO_LARGE', { bound, count }));
    }
    return Array.from({ length: count }, (_, turn) => ({ [repeat.index]: from + turn }));
  }

  #resolveCount(count: string | number, values: TemplateValues, location: Location): number {
    const resolved = this.#resolve(count, values, location);
    if (typeof resolved === 'number' && Number.isSafeInteger(resolved)) return resolved;
    throw refuse(location, createReason(BASE_FAULTS, 'EXPECTED_KIND', { kinds: 'int' }));
  }

  #include(
    { template: name, parameters }: Extract<TemplateItem, { readonly kind: 'INCLUDE' }>,
    values: TemplateValues,
    location: Location,
  ): void {
    const chain = [...location.outer, location.template.name];
    if (chain.includes(name)) {
      const names = [...chain, name].join(' > ');
      throw refuse(location, createReason(TEMPLATE_FAULTS, 'TEMPLATE_IN_ITSELF', { chain: names }));
    }
    if (chain.length > MAXIMUM_INCLUDES) {
      const bound = MAXIMUM_INCLUDES;
      throw refuse(location, createReason(TEMPLATE_FAULTS, 'EXPECTED_AT_MOST_TEMPLATES', { bound }));
    }
    const template = this.#templates.get(name);
    if (template === undefined) throw refuse(location, ...explainUnknown(name, [...this.#templates.keys()]));
    if (template.driver !== location.template.driver) {
      const wanted = { template: name, type: template.driver };
      throw refuse(location, createReason(TEMPLATE_FAULTS, 'INCLUDED_OF_OTHER_TYPE', wanted));
    }
    const given = resolveParameters(template.parameters, this.#resolve(parameters, values, location));
    if (given.faults !== undefined) {
      const [{ path, reasons } = { path: [], reasons: [] }] = given.faults;
      throw refuse({ ...location, path: [...location.path, 'parameters', ...path] }, ...reasons);
    }
    this.expandAll(template, given.value, chain);
  }

  /** Resolves every text in a value. */
  #resolve(value: unknown, values: TemplateValues, location: Location): unknown {
    if (typeof value === 'string') return this.#resolveText(value, values, location);
    if (Array.isArray(value)) {
      return (value as readonly unknown[]).map((inner, index) =>
        this.#resolve(inner, values, { ...location, path: [...location.path, index] }),
      );
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        this.#countCharacters(key.length, location);
        return [key, this.#resolve(inner, values, { ...location, path: [...location.path, key] })];
      }),
    );
  }

  #resolveText(text: string, values: TemplateValues, location: Location): TemplateValue {
    try {
      const resolved = resolveText(text, values);
      this.#countCharacters(typeof resolved === 'string' ? resolved.length : 1, location);
      return resolved;
    } catch (error) {
      if (error instanceof TemplateTextError) throw refuse(location, ...error.reasons);
      throw error;
    }
  }

  #countStep(location: Location): void {
    this.#steps += 1;
    if (this.#steps > MAXIMUM_STEPS)
      throw refuse(location, createReason(TEMPLATE_FAULTS, 'REPETITIONS_TOO_MANY', { bound: MAXIMUM_STEPS }));
  }

  #countCharacters(count: number, location: Location): void {
    this.#characters += count;
    if (this.#characters > MAXIMUM_CHARACTERS) {
      const bound = MAXIMUM_CHARACTERS;
      throw refuse(location, createReason(TEMPLATE_FAULTS, 'CHARACTERS_TOO_MANY', { bound }));
    }
  }
}

function refuse(location: Location, ...reasons: readonly FaultReason[]): ExpansionError {
  return new ExpansionError(createFault([], explainPlace(placeOf(location)), ...reasons));
}

function placeOf({ template, path }: Location): TemplatePlace {
  return { template: template.name, path };
}

/** Returns the sentence that precedes those about a location in a template. */
export function explainPlace({ template, path }: TemplatePlace): FaultReason {
  return createReason(CHANNEL_FAULTS, 'IN_TEMPLATE', { template, place: formatPath(path) });
}

/** Returns the reasons for an unknown template name, with a suggestion. */
export function explainUnknown(name: string, known: readonly string[]): readonly FaultReason[] {
  const nearest = findNearestKey(name, known);
  return [
    createReason(CHANNEL_FAULTS, 'TEMPLATE_NAME_UNKNOWN', { template: name.slice(0, MAXIMUM_SHOWN) }),
    nearest === undefined
      ? createReason(TEMPLATE_FAULTS, 'TEMPLATES_LISTED', {})
      : createReason(BASE_FAULTS, 'KEY_SIMILAR', { key: nearest }),
  ];
}
