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
    return { faults: values.faults.map(({ path, message }) => ({ path: ['parameters', ...path], message })) };
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
interface Place {
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

  #expandItems(items: readonly TemplateItem[], values: TemplateValues, place: Place): void {
    for (const [index, item] of items.entries()) {
      this.#expandItem(item, values, { ...place, path: [...place.path, index] });
    }
  }

  #expandItem(item: TemplateItem, values: TemplateValues, place: Place): void {
    this.#countStep(place);
    if (item.kind === 'GROUP') return this.#expandGroup(item, values, place);
    if (item.kind === 'INCLUDE') return this.#include(item, values, place);
    if (this.channels.length === MAXIMUM_CHANNELS) {
      throw refuse(place, `this makes more than ${MAXIMUM_CHANNELS} channels`);
    }
    const channel = this.#resolve(item.channel, values, place) as ExpandedChannel['channel'];
    this.channels.push({ channel, place: describe(place) });
  }

  #expandGroup(
    { repeat, items }: Extract<TemplateItem, { readonly kind: 'GROUP' }>,
    values: TemplateValues,
    place: Place,
  ): void {
    const inner = { ...place, path: [...place.path, 'channels'] };
    for (const turn of this.#listTurns(repeat, values, { ...place, path: [...place.path, 'repeat'] })) {
      for (const name of Object.keys(turn)) {
        if (values.has(name)) throw refuse(place, `"${name}" has a meaning here already; use another name`);
      }
      this.#countStep(place);
      this.#expandItems(items, new Map([...values, ...Object.entries(turn)]), inner);
    }
  }

  #listTurns(
    repeat: Repeat,
    values: TemplateValues,
    place: Place,
  ): readonly Readonly<Record<string, TemplateValue>>[] {
    if ('each' in repeat) return repeat.each;
    const from = this.#resolveCount(repeat.from, values, { ...place, path: [...place.path, 'from'] });
    const to = this.#resolveCount(repeat.to, values, { ...place, path: [...place.path, 'to'] });
    const count = Math.max(0, to - from + 1);
    if (count > MAXIMUM_CHANNELS)
      throw refuse(place, `expected at most ${MAXIMUM_CHANNELS} turns, and not ${count}`);
    return Array.from({ length: count }, (_, turn) => ({ [repeat.index]: from + turn }));
  }

  #resolveCount(count: string | number, values: TemplateValues, place: Place): number {
    const resolved = this.#resolve(count, values, place);
    if (typeof resolved === 'number' && Number.isSafeInteger(resolved)) return resolved;
    throw refuse(place, 'expected a whole number');
  }

  #include(
    { template: name, parameters }: Extract<TemplateItem, { readonly kind: 'INCLUDE' }>,
    values: TemplateValues,
    place: Place,
  ): void {
    const chain = [...place.outer, place.template.name];
    if (chain.includes(name))
      throw refuse(place, `the template takes itself over: ${[...chain, name].join(' > ')}`);
    if (chain.length > MAXIMUM_INCLUDES) {
      throw refuse(place, `expected at most ${MAXIMUM_INCLUDES} templates inside each other`);
    }
    const template = this.#templates.get(name);
    if (template === undefined) throw refuse(place, describeUnknown(name, [...this.#templates.keys()]));
    if (template.driver !== place.template.driver) {
      throw refuse(place, `template "${name}" is for drivers of kind ${template.driver}`);
    }
    const given = resolveParameters(template.parameters, this.#resolve(parameters, values, place));
    const [fault] = given.faults ?? [];
    if (given.value === undefined) {
      throw refuse(
        { ...place, path: [...place.path, 'parameters', ...(fault?.path ?? [])] },
        fault?.message ?? '',
      );
    }
    this.expandAll(template, given.value, chain);
  }

  /** Resolves every text in a value. */
  #resolve(value: unknown, values: TemplateValues, place: Place): unknown {
    if (typeof value === 'string') return this.#resolveText(value, values, place);
    if (Array.isArray(value)) {
      return (value as readonly unknown[]).map((inner, index) =>
        this.#resolve(inner, values, { ...place, path: [...place.path, index] }),
      );
    }
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        this.#countCharacters(key.length, place);
        return [key, this.#resolve(inner, values, { ...place, path: [...place.path, key] })];
      }),
    );
  }

  #resolveText(text: string, values: TemplateValues, place: Place): TemplateValue {
    try {
      const resolved = resolveText(text, values);
      this.#countCharacters(typeof resolved === 'string' ? resolved.length : 1, place);
      return resolved;
    } catch (error) {
      if (error instanceof TemplateTextError) throw refuse(place, error.message);
      throw error;
    }
  }

  #countStep(place: Place): void {
    this.#steps += 1;
    if (this.#steps > MAXIMUM_STEPS) throw refuse(place, `this repeats more than ${MAXIMUM_STEPS} times`);
  }

  #countCharacters(count: number, place: Place): void {
    this.#characters += count;
    if (this.#characters > MAXIMUM_CHARACTERS) {
      throw refuse(place, `the channels have more than ${MAXIMUM_CHARACTERS} characters together`);
    }
  }
}

function refuse(place: Place, message: string): ExpansionError {
  return new ExpansionError(`${describe(place)}: ${message}`);
}

function describe({ template, path }: Place): string {
  return `template "${template.name}", ${formatPath(path)}`;
}

/** Describes an unknown template name, with a suggestion. */
export function describeUnknown(name: string, known: readonly string[]): string {
  const nearest = findNearestKey(name, known);
  const hint =
    nearest === undefined
      ? '; "penstock template list" shows those that there are'
      : `; did you mean "${nearest}"?`;
  return `there is no template "${name.slice(0, MAXIMUM_SHOWN)}"${hint}`;
}
