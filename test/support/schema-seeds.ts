type Json = Readonly<Record<string, unknown>>;

/** Values that exist on a gateway, by the name of the parameter or field that takes them. */
export type Seeds = Readonly<Record<string, readonly string[]>>;

/**
 * Returns a description in which parameters and fields of text with these names prefer values that exist. What it allows
 * stays the same, so that answers are held against what the gateway says of itself.
 */
export function seedDescription(node: unknown, seeds: Seeds): unknown {
  if (Array.isArray(node)) return node.map((item) => seedDescription(item, seeds));
  if (typeof node !== 'object' || node === null) return node;
  const { name, schema } = node as { readonly name?: unknown; readonly schema?: unknown };
  const inside = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === 'properties' ? seedFields(value as Json, seeds) : seedDescription(value, seeds),
    ]),
  );
  const isParameter = 'in' in node && typeof name === 'string';
  return isParameter ? { ...inside, schema: prefer(schema, seeds[name]) } : inside;
}

function seedFields(fields: Json, seeds: Seeds): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, prefer(seedDescription(field, seeds), seeds[name])]),
  );
}

function prefer(schema: unknown, values: readonly string[] | undefined): unknown {
  const isText = (schema as { readonly type?: unknown } | undefined)?.type === 'string';
  return isText && values !== undefined ? { anyOf: [{ enum: values }, schema] } : schema;
}
