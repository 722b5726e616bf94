import { InvalidRequest } from '../../base/errors.ts';
import { check, formatPath, z } from '../../base/schema.ts';

const MAXIMUM_PROPERTIES = 100;
// A chain of certificates, as PEM.
const MAXIMUM_TEXT_LENGTH = 65_536;
const MAXIMUM_ITEMS = 1000;

const titles = {
  title: z.string().max(200).optional(),
  description: z.string().max(1000).optional(),
  /** The same in German. */
  'x-de': z
    .strictObject({ title: z.string().max(200).optional(), description: z.string().max(1000).optional() })
    .optional(),
};
const annotations = {
  ...titles,
  /** Determines the target of the connection: a change requires the secrets again. */
  'x-target': z.boolean().optional(),
};
const texts = {
  ...annotations,
  type: z.literal('string'),
  enum: z.array(z.string().max(200)).min(1).max(100).optional(),
  minLength: z.int().min(0).max(MAXIMUM_TEXT_LENGTH).optional(),
  maxLength: z.int().min(0).max(MAXIMUM_TEXT_LENGTH).optional(),
  default: z.string().max(MAXIMUM_TEXT_LENGTH).optional(),
  /** A secret: accepted, and never shown. */
  writeOnly: z.boolean().optional(),
};
const numbers = {
  ...annotations,
  type: z.enum(['number', 'integer']),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.number().optional(),
};
const booleans = { ...annotations, type: z.literal('boolean'), default: z.boolean().optional() };
const scalarSchema = z.discriminatedUnion('type', [
  z.strictObject(texts),
  z.strictObject(numbers),
  z.strictObject(booleans),
]);
const propertySchema = z.discriminatedUnion('type', [
  z.strictObject(texts),
  z.strictObject(numbers),
  z.strictObject(booleans),
  z.strictObject({
    ...annotations,
    type: z.literal('array'),
    items: scalarSchema,
    maxItems: z.int().min(0).max(MAXIMUM_ITEMS).optional(),
  }),
]);
const objectSchema = z.strictObject({
  ...titles,
  $schema: z.string().max(200).optional(),
  type: z.literal('object'),
  properties: z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/), propertySchema).default({}),
  required: z.array(z.string()).max(MAXIMUM_PROPERTIES).default([]),
  additionalProperties: z.literal(false).optional(),
});

const NO_NAMES: ReadonlySet<string> = new Set();

type Scalar = z.infer<typeof scalarSchema>;
type Property = z.infer<typeof propertySchema>;

/**
 * Converts a JSON Schema that a bundle declares to a schema of this process.
 *
 * Only a subset of JSON Schema is supported: an object whose properties are strings, numbers, booleans and arrays of these.
 * Patterns, references, combinations and nesting are not supported: checking them can cost more than reading the value.
 *
 * @param what name of the schema, for the error
 * @param reserved names that no property may have
 * @throws {InvalidRequest} `SCHEMA_NOT_SUPPORTED` that names the position
 */
export function parseDeclaredSchema(
  what: string,
  declared: unknown,
  reserved: ReadonlySet<string> = NO_NAMES,
): z.ZodType<Record<string, unknown>> {
  const checked = check(objectSchema, declared);
  if (checked.faults !== undefined) {
    const [fault] = checked.faults;
    throw refusal(what, fault === undefined ? '' : `${formatPath(fault.path)}: ${fault.message}`);
  }
  const { properties, required, title, description, 'x-de': german } = checked.value;
  const names = Object.keys(properties);
  if (names.length > MAXIMUM_PROPERTIES) throw refusal(what, `more than ${MAXIMUM_PROPERTIES} properties`);
  const taken = names.find((name) => reserved.has(name));
  if (taken !== undefined) throw refusal(what, `"${taken}" is a setting of every driver`);
  const missing = required.find((name) => !Object.hasOwn(properties, name));
  if (missing !== undefined) throw refusal(what, `"${missing}" is required but has no property`);
  const shape = Object.entries(properties).map(
    ([name, property]) => [name, toField(property, required.includes(name))] as const,
  );
  return annotate(z.strictObject(Object.fromEntries(shape)), { title, description, 'x-de': german });
}

function toField(property: Property, isRequired: boolean): z.ZodType {
  const type = toType(property);
  const { title, description, 'x-de': german, 'x-target': isTarget } = property;
  const { writeOnly } = 'writeOnly' in property ? property : {};
  const annotated = annotate(type, {
    title,
    description,
    'x-de': german,
    writeOnly,
    'x-target': isTarget,
  });
  if ('default' in property && property.default !== undefined) return annotated.default(property.default);
  return isRequired ? annotated : annotated.optional();
}

function toType(property: Property): z.ZodType {
  if (property.type !== 'array') return toScalar(property);
  return z.array(toScalar(property.items)).max(property.maxItems ?? MAXIMUM_ITEMS);
}

function toScalar(scalar: Scalar): z.ZodType {
  if (scalar.type === 'boolean') return z.boolean();
  if (scalar.type === 'string') {
    if (scalar.enum !== undefined) return z.enum(scalar.enum);
    return z
      .string()
      .min(scalar.minLength ?? 0)
      .max(scalar.maxLength ?? MAXIMUM_TEXT_LENGTH);
  }
  const number = scalar.type === 'integer' ? z.int() : z.number();
  return number.min(scalar.minimum ?? -Number.MAX_VALUE).max(scalar.maximum ?? Number.MAX_VALUE);
}

function annotate<T extends z.ZodType>(type: T, annotation: Readonly<Record<string, unknown>>): T {
  const present = Object.entries(annotation).filter(([, value]) => value !== undefined);
  return present.length === 0 ? type : type.meta(Object.fromEntries(present));
}

function refusal(what: string, detail: string): InvalidRequest {
  return new InvalidRequest({ code: 'SCHEMA_NOT_SUPPORTED', detail: `${what}: ${detail}` });
}
