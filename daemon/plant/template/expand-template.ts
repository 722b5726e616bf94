import { placeFault } from '../../base/fault-reason.ts';
import { findNearestKey } from '../../base/key/key-hint.ts';
import { formatPath } from '../../base/schema.ts';
import type { Checked, Fault } from '../../base/schema.ts';
import type { Repeat, Template, TemplateItem } from './template.ts';
import { MAXIMUM_CHANNELS } from './template-outline.ts';
import { resolveParameters } from './template-parameters.ts';
import type { TemplateValue, TemplateValues } from './template-parameters.ts';
import { resolveText, TemplateTextError } from './template-text.ts';

/** One channel expanded from a template. */
export interface ExpandedChannel {
  /** The channel record, unchecked. */
  readonly channel: Readonly<Record<string, unknown>>;
  /** Location in the template: `template "example", channels[2]`. */
  readonly place: string;
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

/** The template cannot be expanded; `message` names it and the location. */
class ExpansionError extends Error {}

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
}: Expansion): Checked<readonly ExpandedChannel[]> {
  const values = resolveParameters(template.parameters, parameters);
  if (values.faults !== undefined) {
    return { faults: values.faults.map((fault) => placeFault(['parameters'], fault)) };
  }
  try {
    const run = new Run(templates);
    run.expandAll(template, values.value, []);
    return { value: run.channels };
  } catch (error) {
    if (error instanceof ExpansionError) return { faults: [{ path: [], message: error.message }] };
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
      throw refuse(location, `more than ${MAXIMUM_CHANNELS} channels`);
    }
    const channel = this.#resolve(item.channel, values, location) as ExpandedChannel['channel'];
    this.channels.push({ channel, place: describe(location) });
  }

  #expandGroup(
    { repeat, items }: Extract<TemplateItem, { readonly kind: 'GROUP' }>,
    values: TemplateValues,
    location: Location,
  ): void {
    const inner = { ...location, path: [...location.path, 'channels'] };
    for (const turn of this.#listTurns(repeat, values, { ...location, path: [...location.path, 'repeat'] })) {
      for (const name of Object.keys(turn)) {
        if (values.has(name)) throw refuse(location, `"${name}" is already defined; use another name`);
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
    if (count > MAXIMUM_CHANNELS)
      throw refuse(location, `expected at most ${MAXIMUM_CHANNELS} repetitions, found ${count}`);
    return Array.from({ length: count }, (_, turn) => ({ [repeat.index]: from + turn }));
  }

  #resolveCount(count: string | number, values: TemplateValues, location: Location): number {
    const resolved = this.#resolve(count, values, location);
    if (typeof resolved === 'number' && Number.isSafeInteger(resolved)) return resolved;
    throw refuse(location, 'expected a whole number');
  }

  #include(
    { template: name, parameters }: Extract<TemplateItem, { readonly kind: 'INCLUDE' }>,
    values: TemplateValues,
    location: Location,
  ): void {
    const chain = [...location.outer, location.template.name];
    if (chain.includes(name))
      throw refuse(location, `the template includes itself: ${[...chain, name].join(' > ')}`);
    if (chain.length > MAXIMUM_INCLUDES) {
      throw refuse(location, `expected at most ${MAXIMUM_INCLUDES} nested templates`);
    }
    const template = this.#templates.get(name);
    if (template === undefined) throw refuse(location, describeUnknown(name, [...this.#templates.keys()]));
    if (template.driver !== location.template.driver) {
      throw refuse(location, `template "${name}" requires driver type ${template.driver}`);
    }
    const given = resolveParameters(template.parameters, this.#resolve(parameters, values, location));
    const [fault] = given.faults ?? [];
    if (given.value === undefined) {
      throw refuse(
        { ...location, path: [...location.path, 'parameters', ...(fault?.path ?? [])] },
        fault?.message ?? '',
      );
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
      if (error instanceof TemplateTextError) throw refuse(location, error.message);
      throw error;
    }
  }

  #countStep(location: Location): void {
    this.#steps += 1;
    if (this.#steps > MAXIMUM_STEPS) throw refuse(location, `more than ${MAXIMUM_STEPS} repetitions`);
  }

  #countCharacters(count: number, location: Location): void {
    this.#characters += count;
    if (this.#characters > MAXIMUM_CHARACTERS) {
      throw refuse(location, `the channels have more than ${MAXIMUM_CHARACTERS} characters in total`);
    }
  }
}

function refuse(location: Location, message: string): ExpansionError {
  return new ExpansionError(`${describe(location)}: ${message}`);
}

function describe({ template, path }: Location): string {
  return `template "${template.name}", ${formatPath(path)}`;
}

/** Describes an unknown template name, with a suggestion. */
export function describeUnknown(name: string, known: readonly string[]): string {
  const nearest = findNearestKey(name, known);
  const hint =
    nearest === undefined ? '; "penstock template list" shows all' : `; did you mean "${nearest}"?`;
  return `unknown template "${name.slice(0, MAXIMUM_SHOWN)}"${hint}`;
}
