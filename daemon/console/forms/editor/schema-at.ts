import type { Schema } from '../schema.ts';

/** Placeholder at the cursor; does not occur in texts (Unicode, private use). */
export const CURSOR = '\uE000';

type Values = Readonly<Record<string, unknown>>;

/**
 * Finds the schema nodes for a path in a document: one for each alternative that the document allows.
 *
 * @param path keys and indexes from the root
 */
export function findSchemas(
  schema: Schema,
  document: unknown,
  path: readonly (string | number)[],
): readonly Schema[] {
  let value = document;
  let schemas = chooseAlternatives([schema], value);
  for (const key of path) {
    value = getChild(value, key);
    const parts = schemas.flatMap((each) => getPart(each, key) ?? []);
    schemas = chooseAlternatives(parts, value);
  }
  return schemas;
}

/** Returns an asset schema restricted to the addresses of one driver type. */
export function narrowAddresses(schema: Schema, driverType: string): Schema {
  // JSON Schema cannot express the dependency on the driver type: the gateway puts it into the title.
  const title = `Address of a driver ${driverType}`;
  const narrow = (part: unknown): unknown => {
    if (Array.isArray(part)) {
      const own = part.filter((each: unknown) => toValues(each)['title'] === title);
      return (own.length === 0 ? part : own).map(narrow);
    }
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, narrow(value)]));
  };
  return narrow(schema) as Schema;
}

function getPart(schema: Schema, key: string | number): Schema | undefined {
  if (typeof key === 'number') return schema.items;
  const { properties = {}, additionalProperties } = schema;
  if (Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function getChild(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined;
  return Object.hasOwn(toValues(value), key) ? toValues(value)[key] : undefined;
}

/** Keeps the alternatives that a value can still match. */
function chooseAlternatives(schemas: readonly Schema[], value: unknown): readonly Schema[] {
  const all = schemas.flatMap(listAlternatives);
  const values = toValues(value);
  // While the discriminator is typed, each alternative is possible, regardless of other keys.
  const isOpen = Object.entries(values).some(
    ([key, part]) =>
      part === CURSOR && all.some(({ properties = {} }) => properties[key]?.const !== undefined),
  );
  const known = new Set(isOpen ? [] : all.flatMap(({ properties = {} }) => Object.keys(properties)));
  const possible = all.filter((schema) => !contradicts(schema, values, known));
  // A missing required key makes an alternative less likely.
  const likely = possible.filter((schema) => hasItsConstants(schema, values));
  return [likely, possible, all].find((each) => each.length > 0) ?? [];
}

function listAlternatives(schema: Schema): readonly Schema[] {
  const { anyOf, oneOf, ...common } = schema;
  const alternatives = anyOf ?? oneOf;
  if (alternatives === undefined) return [schema];
  return alternatives.flatMap((each) => listAlternatives({ ...common, ...each }));
}

function contradicts({ properties = {} }: Schema, values: Values, known: ReadonlySet<string>): boolean {
  return Object.entries(values).some(([key, value]) => {
    if (value === CURSOR) return false;
    const part = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (part === undefined) return known.has(key);
    return part.const !== undefined && part.const !== value;
  });
}

function hasItsConstants({ properties = {}, required = [] }: Schema, values: Values): boolean {
  return required.every((key) => properties[key]?.const === undefined || Object.hasOwn(values, key));
}

function toValues(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {};
}
