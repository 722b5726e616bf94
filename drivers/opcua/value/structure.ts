import type { NodeId } from 'node-opcua-client';
import { formatElements } from './array-value.ts';
import { formatBuiltIn, toDimensions } from './decode-built-in.ts';
import { BUILT_IN_TYPES, findBuiltInType } from './data-type.ts';
import type { BuiltInType } from './data-type.ts';
import type { FieldStep } from '../opcua-address.ts';
import { ARRAY_TYPES, isVariant, VARIANT_TYPE, VariantFault } from './variant.ts';
import type { VariantLike } from './variant.ts';

/** Number of the built-in type ExtensionObject, which contains structures. */
export const STRUCTURE_TYPE = 22;

interface SchemaLike {
  readonly name: string;
  readonly subType?: string | undefined;
}

/** The part of a field of the library used here. */
interface FieldLike extends SchemaLike {
  /** Name on the server; `name` begins with a lower-case letter. */
  readonly originalName?: string | undefined;
  readonly category: string;
  readonly isArray?: boolean | undefined;
  readonly schema: SchemaLike;
}

interface StructureSchema {
  readonly name: string;
  readonly fields: readonly FieldLike[];
  readonly encodingDefaultBinary?: { readonly namespace: number } | undefined;
  getBaseSchema(): StructureSchema | null;
}

type StructureLike = Readonly<Record<string, unknown>>;

const MAXIMUM_LEVELS = 32;
// Class of the library for an unknown structure: its bytes and the NodeId of its encoding.
const OPAQUE = 'ExtensionObject';

/** True if a structure is not decoded. */
export function isOpaque(value: unknown): value is { readonly nodeId: NodeId } {
  return isObject(value) && schemaOf(value)?.name === OPAQUE && 'nodeId' in value;
}

/**
 * Finds a field of a structure, also in nested structures.
 *
 * @param variant a structure or an array of structures
 */
export function findField(variant: VariantLike, path: readonly FieldStep[]): VariantLike | VariantFault {
  let current = variant;
  for (const [index, step] of path.entries()) {
    const next = typeof step === 'number' ? findElement(current, step) : findNamed(current, step);
    if (next instanceof VariantFault) return next;
    if (next === undefined) {
      const before = index === 0 ? 'the value' : formatPath(path.slice(0, index));
      const message = `${before} has no ${typeof step === 'number' ? `element [${step}]` : `field "${step}"`}`;
      return new VariantFault('OPCUA_FIELD_UNKNOWN', message);
    }
    current = next;
  }
  return current;
}

/** A field in its structure. */
export interface FieldHolder {
  readonly variant: VariantLike;
  /** True if the field contains a Variant. */
  readonly isVariant: boolean;
  /** Replaces the value of the field, in the form of the library. */
  readonly replace: (value: unknown) => void;
}

/** Finds a field for replacement; see `findField`. */
export function findHolder(variant: VariantLike, path: readonly FieldStep[]): FieldHolder | VariantFault {
  const found = findField(variant, path);
  const parent = findField(variant, path.slice(0, -1));
  const step = path.at(-1);
  if (found instanceof VariantFault) return found;
  if (parent instanceof VariantFault) return parent;
  const owner = typeof step === 'number' ? parent.value : onlyOf(parent);
  const key = typeof step === 'string' ? findKey(owner, step) : step;
  if (!isObject(owner) || key === undefined || isUnion(owner)) {
    return new VariantFault('OPCUA_UNSUPPORTED_TYPE', `${formatPath(path)} cannot be written`);
  }
  return {
    variant: found,
    isVariant: isVariant(owner[key]),
    replace: (value) => void Reflect.set(owner, key, value),
  };
}

// The active member of a union is chosen by the device.
function isUnion(structure: StructureLike): boolean {
  const schema: unknown =
    Array.isArray(structure) || ArrayBuffer.isView(structure) ? undefined : findSchema(structure);
  return isObject(schema) && schema['baseType'] === 'Union';
}

function findKey(structure: unknown, name: string): string | undefined {
  const schema = findSchema(structure);
  return schema && listFields(schema).find((each) => nameOf(each, schema) === name)?.name;
}

/** Formats a value of any type as JSON text; a structure is an object with its fields. */
export function formatAny(variant: VariantLike, level = 0): string | VariantFault {
  const { dataType, arrayType, value } = variant;
  if (dataType === 0 || value === null || value === undefined) return 'null';
  if (level > MAXIMUM_LEVELS) return new VariantFault('OPCUA_UNSUPPORTED_TYPE', 'the structure is too deep');
  const type = findBuiltInType(dataType);
  if (type !== undefined) return formatBuiltIn(type, variant);
  if (dataType === VARIANT_TYPE && isVariant(value)) return formatAny(value, level + 1);
  if (dataType !== STRUCTURE_TYPE && dataType !== VARIANT_TYPE) return unsupported();
  if (arrayType === ARRAY_TYPES.scalar) return formatStructure(value, level);
  const elements: string[] = [];
  for (const element of value as readonly unknown[]) {
    const text = formatAny(toScalar(dataType, element), level + 1);
    if (text instanceof VariantFault) return text;
    elements.push(text);
  }
  return formatElements({ elements, dimensions: toDimensions(variant.dimensions, elements.length) });
}

function formatStructure(value: unknown, level: number): string | VariantFault {
  const schema = findSchema(value);
  if (schema === undefined) return notDescribed();
  const members: string[] = [];
  for (const field of listFields(schema)) {
    const held = valueOf(value, field);
    // An absent optional field, or an inactive union member.
    if (held === undefined) continue;
    const variant = toVariant(field, held);
    const text = variant instanceof VariantFault ? variant : formatAny(variant, level + 1);
    if (text instanceof VariantFault) {
      return new VariantFault(text.code, `field "${nameOf(field, schema)}": ${text.message}`);
    }
    members.push(`${JSON.stringify(nameOf(field, schema))}:${text}`);
  }
  return `{${members.join(',')}}`;
}

function findElement({ dataType, arrayType, value }: VariantLike, index: number): VariantLike | undefined {
  const elements = value as ArrayLike<unknown> | null | undefined;
  if (arrayType === ARRAY_TYPES.scalar || index >= (elements?.length ?? 0)) return undefined;
  const element = elements?.[index];
  return isVariant(element) ? element : toScalar(dataType, element);
}

function findNamed(variant: VariantLike, name: string): VariantLike | VariantFault | undefined {
  const structure = onlyOf(variant);
  const schema = findSchema(structure);
  const field = schema && listFields(schema).find((each) => nameOf(each, schema) === name);
  return field === undefined ? undefined : toVariant(field, valueOf(structure, field));
}

// Some servers send one array element as an array.
function onlyOf({ arrayType, value }: VariantLike): unknown {
  const isOne = arrayType !== ARRAY_TYPES.scalar && (value as ArrayLike<unknown>).length === 1;
  return isOne ? (value as ArrayLike<unknown>)[0] : value;
}

function toVariant(field: FieldLike, value: unknown): VariantLike | VariantFault {
  // A field of any type contains a Variant.
  if (field.schema.name === 'Variant' && isVariant(value)) return value;
  const dataType = field.schema.name === 'Variant' ? VARIANT_TYPE : numberOf(field);
  if (dataType === undefined) return unsupported();
  return field.isArray === true
    ? { dataType, arrayType: ARRAY_TYPES.array, value }
    : toScalar(dataType, value);
}

function numberOf({ category, schema }: FieldLike): number | undefined {
  if (category === 'enumeration') return BUILT_IN_TYPES.Int32;
  if (category === 'complex' || schema.name === 'ExtensionObject') return STRUCTURE_TYPE;
  // Standard types that are aliases of built-in types have their name.
  const names = [schema.name, schema.subType ?? ''];
  const name = names.find((each): each is BuiltInType => Object.hasOwn(BUILT_IN_TYPES, each));
  return name === undefined ? undefined : BUILT_IN_TYPES[name];
}

// The library lower-cases the first letter of standard names.
function nameOf(
  { name, originalName = name }: FieldLike,
  { encodingDefaultBinary }: StructureSchema,
): string {
  return encodingDefaultBinary?.namespace === 0
    ? originalName.slice(0, 1).toUpperCase() + originalName.slice(1)
    : originalName;
}

function listFields(schema: StructureSchema): readonly FieldLike[] {
  const fields: FieldLike[] = [];
  let current: StructureSchema | null = schema;
  for (let level = 0; current !== null && level < MAXIMUM_LEVELS; level += 1) {
    fields.unshift(...current.fields);
    current = current.getBaseSchema() ?? null;
  }
  return fields;
}

function toScalar(dataType: number, value: unknown): VariantLike {
  return { dataType, arrayType: ARRAY_TYPES.scalar, value };
}

function findSchema(value: unknown): StructureSchema | undefined {
  return isObject(value) && !isOpaque(value) ? schemaOf(value) : undefined;
}

// Field names are chosen by the server and may include `schema`, so the schema of the class applies.
function schemaOf(value: StructureLike): StructureSchema | undefined {
  try {
    const schema: unknown = Reflect.get(Object.getPrototypeOf(value) as object, 'schema', value);
    return isObject(schema) && Array.isArray(schema['fields'])
      ? (schema as unknown as StructureSchema)
      : undefined;
  } catch {
    return undefined;
  }
}

function valueOf(structure: unknown, { name }: FieldLike): unknown {
  return isObject(structure) && Object.hasOwn(structure, name) ? structure[name] : undefined;
}

function isObject(value: unknown): value is StructureLike {
  return typeof value === 'object' && value !== null;
}

function formatPath(path: readonly FieldStep[]): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

function notDescribed(): VariantFault {
  return new VariantFault(
    'OPCUA_UNSUPPORTED_TYPE',
    'the value does not match the structure that the server describes',
  );
}

function unsupported(): VariantFault {
  return new VariantFault('OPCUA_UNSUPPORTED_TYPE', 'unsupported type of value');
}
