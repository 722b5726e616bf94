import type { JsonSchema } from './document-schema.ts';
import { isDocument } from './managed-document.ts';

/** Node of a JSON Schema tree: all schemas that may apply at one position of a document. Cached, because positions repeat. */
export class SchemaNode {
  readonly #schemas: readonly JsonSchema[];
  /** True if a schema marks the content as secret. */
  readonly isSecret: boolean;
  /** True if a schema marks the content as part of a driver's target. */
  readonly isTarget: boolean;
  /** True if no schema covers this position: its name decides. */
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
    // Keys without a schema share one node: their number is unbounded.
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
