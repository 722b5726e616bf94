import { z } from '../base/schema.ts';

type Json = Readonly<Record<string, unknown>>;

/** Describes schemas in JSON Schema; those with a name are kept apart and referred to. */
export class NamedSchemas {
  readonly #byName = new Map<string, Json>();

  /**
   * Describes what a schema takes or gives.
   *
   * @throws when another schema has the same name, or the same one is not described alike in both directions
   */
  describe(schema: z.ZodType, io: 'input' | 'output'): Json {
    const described = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    const { $schema: _dialect, $defs = {}, ...root } = toReferences(described);
    for (const [name, definition] of Object.entries($defs as Readonly<Record<string, Json>>)) {
      this.#keep(name, definition);
    }
    return root;
  }

  /** Returns every schema with a name, sorted by it. */
  all(): Readonly<Record<string, Json>> {
    return Object.fromEntries([...this.#byName].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  #keep(name: string, definition: Json): void {
    const known = this.#byName.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`two schemas have the name ${name}`);
    }
    this.#byName.set(name, definition);
  }
}

// OpenAPI 3.1 keeps them in another place than JSON Schema does.
function toReferences(described: unknown): Json {
  return JSON.parse(JSON.stringify(described).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json;
}
