import type { Fault } from '../base/schema.ts';
import type { JsonSchema } from './document-schema.ts';
import { isDocument } from './managed-document.ts';

/** Replaces a secret in a document that is shown; sent back, it keeps the secret. */
export const SECRET_MARKER = { isSet: true } as const;

// Settings of a driver that is no longer installed have no schema.
const SECRET_NAME = /password|passphrase|secret|token$|privateKey$|apiKey|credential/i;

/** Returns whether a field has the name of a secret: its content is hidden even without a schema. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/**
 * Returns a document that can be shown: each secret is replaced by {@link SECRET_MARKER}.
 *
 * @param schema schema of the document; its secrets are marked `writeOnly`
 */
export function hideSecrets<T>(schema: JsonSchema, document: T): T {
  const hide = (secret: unknown): unknown => (secret === null ? null : SECRET_MARKER);
  return mapSecrets({ schemas: [schema], value: document, former: undefined, path: [] }, hide) as T;
}

/**
 * Replaces each {@link SECRET_MARKER} by the stored secret. Items of lists are matched by their pid or name, and by their
 * index where they have neither.
 *
 * @param former the document in force
 * @returns the document, and an error for each marker without a stored secret
 */
export function keepSecrets(
  schema: JsonSchema,
  document: unknown,
  former: unknown,
): { readonly document: unknown; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const kept = mapSecrets({ schemas: [schema], value: document, former, path: [] }, (secret, place) => {
    if (!isMarker(secret)) return secret;
    if (typeof place.former === 'string') return place.former;
    faults.push({ path: place.path, message: 'there is no secret to keep here; expected the secret itself' });
    return '';
  });
  return { document: kept, faults };
}

/** A value in the document, and what belongs to it. */
interface Place {
  /** Every schema that may apply here. */
  readonly schemas: readonly JsonSchema[];
  readonly value: unknown;
  /** The value at this path in the stored document. */
  readonly former: unknown;
  readonly path: Fault['path'];
}

function mapSecrets(place: Place, replace: (secret: unknown, place: Place) => unknown): unknown {
  const { value, former, path } = place;
  const schemas = place.schemas.flatMap(listBranches);
  if (isSecret(schemas, path)) return replace(value, place);
  if (Array.isArray(value)) {
    const items = schemas.flatMap((schema) => asSchemas(schema['items']));
    return (value as readonly unknown[]).map((item, index) =>
      mapSecrets(
        { schemas: items, value: item, former: findFormer(former, item, index), path: [...path, index] },
        replace,
      ),
    );
  }
  if (!isDocument(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => {
      const formerField = isDocument(former) && Object.hasOwn(former, key) ? former[key] : undefined;
      const fields = schemas.flatMap((schema) => listFieldSchemas(schema, key));
      const inside = { schemas: fields, value: field, former: formerField, path: [...path, key] };
      return [key, mapSecrets(inside, replace)];
    }),
  );
}

const branchesOf = new WeakMap<JsonSchema, readonly JsonSchema[]>();

/** Returns a schema and all alternatives in it. */
export function listBranches(schema: JsonSchema): readonly JsonSchema[] {
  const known = branchesOf.get(schema);
  if (known !== undefined) return known;
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => asSchemas(schema[keyword]));
  const all = [schema, ...branches.flatMap(listBranches)];
  branchesOf.set(schema, all);
  return all;
}

/** Returns the schemas of a field, which a schema of its object has; empty when it has none. */
export function listFieldSchemas(
  { properties, additionalProperties }: JsonSchema,
  key: string,
): readonly JsonSchema[] {
  const known = isDocument(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return asSchemas(known ?? additionalProperties);
}

/** Returns the schemas in a keyword that holds one or several of them. */
export function asSchemas(part: unknown): readonly JsonSchema[] {
  return (Array.isArray(part) ? (part as readonly unknown[]) : [part]).filter(isDocument);
}

/**
 * Returns whether the content of a place is a secret.
 *
 * @param schemas every schema that may apply there; without any, its name decides
 */
export function isSecret(schemas: readonly JsonSchema[], path: Fault['path']): boolean {
  if (schemas.some((schema) => schema['writeOnly'] === true)) return true;
  const name = path.at(-1);
  return schemas.length === 0 && typeof name === 'string' && isSecretName(name);
}

function findFormer(former: unknown, item: unknown, index: number): unknown {
  if (!Array.isArray(former)) return undefined;
  const items = former as readonly unknown[];
  const name = nameOf(item);
  return name === undefined ? items[index] : items.find((candidate) => nameOf(candidate) === name);
}

function nameOf(item: unknown): unknown {
  return isDocument(item) ? (item['pid'] ?? item['name']) : undefined;
}

function isMarker(value: unknown): boolean {
  return isDocument(value) && Object.keys(value).length === 1 && value['isSet'] === true;
}
