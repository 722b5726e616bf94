import { z } from '../base/schema.ts';

// A registry also has the schemas that are built from the declared ones; a query consists of those.
const LISTS = z.registry<Readonly<Record<string, never>>>();
// Notations of list elements in other clients: `name[]` and `name[0]`.
const ELEMENT = /^([^[]+)\[\d{0,5}\]$/;

/**
 * Returns the schema of a list parameter: elements separated by commas. The server also builds that text from a repeated
 * parameter and from `name[]`.
 *
 * @param elements what the list has, such as `asset pids`
 * @param absent what its absence means
 */
export function listParameter(elements: string, absent = 'default: all'): z.ZodOptional<z.ZodString> {
  return z
    .string()
    .min(1, `expected ${elements} separated by commas`)
    .optional()
    .describe(`${elements}, separated by commas; ${absent}`)
    .register(LISTS, {});
}

/** Finds the declared name of a parameter in a query, such as `name` for `name[0]`. */
export function findDeclaredName(shape: z.core.$ZodLooseShape, given: string): string | undefined {
  if (Object.hasOwn(shape, given)) return given;
  const [, list = ''] = ELEMENT.exec(given) ?? [];
  return Object.hasOwn(shape, list) && isList(shape, list) ? list : undefined;
}

/** Returns true if a declared parameter is a list. */
export function isList(shape: z.core.$ZodLooseShape, name: string): boolean {
  return LISTS.has(shape[name] as z.ZodType);
}

/** Returns the schema of a switch: `true` or `false`; absent: `false`. */
export function switchParameter() {
  return z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true');
}

/** Returns the schema of an integer parameter in decimal digits. */
export function integerParameter(minimum: number, maximum: number): z.ZodType<number> {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'expected decimal digits')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum));
}
