import { check, formatPath, z } from '../../base/schema.ts';

const words = {
  title: z.string().max(200).optional(),
  description: z.string().max(1000).optional(),
};
const wordsSchema = z.strictObject({
  ...words,
  properties: z.record(z.string(), z.strictObject(words)).default({}),
});

type Words = Readonly<z.infer<typeof wordsSchema>>;
type Declared = Readonly<Record<string, unknown>>;

/** Returns the path of the German words for a schema: `settings.schema.json` has them in `settings.schema.de.json`. */
export function findWordsPath(schemaPath: string): string {
  return schemaPath.replace(/(\.json)?$/, '.de$1');
}

/**
 * Adds German words to a declared schema: `x-de` at the object and at its properties.
 *
 * @param declared a schema that was checked
 * @throws {TypeError} that names the position of what is no word of the schema
 */
export function addGermanWords(declared: Declared, given: unknown): Declared {
  const checked = check(wordsSchema, given);
  if (checked.faults !== undefined) {
    const [fault] = checked.faults;
    throw new TypeError(`${formatPath(fault?.path ?? [])}: ${fault?.message ?? ''}`);
  }
  const { properties: german, ...own }: Words = checked.value;
  const { properties = {} } = declared as { readonly properties?: Readonly<Record<string, Declared>> };
  const unknown = Object.keys(german).find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined) throw new TypeError(`properties.${unknown}: is not a setting`);
  const translated = Object.entries(properties).map(([name, property]): [string, Declared] =>
    Object.hasOwn(german, name) ? [name, withWords(property, german[name])] : [name, property],
  );
  return { ...withWords(declared, own), properties: Object.fromEntries(translated) };
}

function withWords(part: Declared, german: object | undefined): Declared {
  return { ...part, 'x-de': german };
}
