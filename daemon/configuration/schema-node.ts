import type { JsonSchema } from './document-schema.ts';
import { isDocument } from './managed-document.ts';

/** A place in a document, as every schema that may apply there sees it. A large plant has the same few places again and again. */
export class SchemaNode {
  readonly #schemas: readonly JsonSchema[];
  /** Whether a schema says that the content is secret. */
  readonly isSecret: boolean;
  /** Whether a schema says that the content decides where a driver connects to. */
  readonly isTarget: boolean;
  /** Whether no schema knows the place: its name decides. */
  readonly isUnknown: boolean;
  readonly #fields = new Map<string, SchemaNode>();
  #items: SchemaNode | undefined;
  #others: SchemaNode | undefined;

  constructor(schemas: readonly JsonSchema[]) {
    this.#schemas = schemas.flatMap(listBranches);
    this.isSecret = isMarked(this.#schemas, 'writeOnly');
    this.isTarget = isMarked(this.#schemas, 'x-target');
    this.isUnknown = this.#schemas.length === 0;
  }

  get items(): SchemaNode {
    this.#items ??= new SchemaNode(this.#schemas.flatMap((schema) => asSchemas(schema['items'])));
    return this.#items;
  }

  field(key: string): SchemaNode {
    const known = this.#fields.get(key);
    if (known !== undefined) return known;
    // Keys that no schema names are anything, and as many as there are.
    if (!this.#schemas.some(({ properties }) => isDocument(properties) && Object.hasOwn(properties, key))) {
      this.#others ??= this.#enter(key);
      return this.#others;
    }
    const field = this.#enter(key);
    this.#fields.set(key, field);
    return field;
  }

  #enter(key: string): SchemaNode {
    return new SchemaNode(this.#schemas.flatMap((schema) => listFieldSchemas(schema, key)));
  }
}

const branchesOf = new WeakMap<JsonSchema, readonly JsonSchema[]>();

/** Returns a schema and all alternatives in it. */
function listBranches(schema: JsonSchema): readonly JsonSchema[] {
  const known = branchesOf.get(schema);
  if (known !== undefined) return known;
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => asSchemas(schema[keyword]));
  const all = [schema, ...branches.flatMap(listBranches)];
  branchesOf.set(schema, all);
  return all;
}

/** Returns the schemas of a field, which a schema of its object has; empty when it has none. */
function listFieldSchemas(
  { properties, additionalProperties }: JsonSchema,
  key: string,
): readonly JsonSchema[] {
  const known = isDocument(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return asSchemas(known ?? additionalProperties);
}

/** Returns the schemas in a keyword that holds one or several of them. */
function asSchemas(part: unknown): readonly JsonSchema[] {
  return (Array.isArray(part) ? (part as readonly unknown[]) : [part]).filter(isDocument);
}

function isMarked(schemas: readonly JsonSchema[], keyword: 'writeOnly' | 'x-target'): boolean {
  return schemas.some((schema) => schema[keyword] === true);
}
