import { z } from '../base/schema.ts';

/** Parameters whose values are lists. */
const LISTS = new WeakSet<z.ZodType>();
// As clients of other makes write the elements of a list: `name[]` and `name[0]`.
const ELEMENT = /^([^[]+)\[\d{0,5}\]$/;

/**
 * Returns the schema of a parameter that is a list: a text with commas between its elements. The server makes that text of
 * a parameter that is given several times, or as `name[]`, as well.
 */
export function listParameter(expected: string): z.ZodOptional<z.ZodString> {
  const schema = z.string().min(1, expected).optional();
  LISTS.add(schema);
  return schema;
}

/** Returns the name under which an endpoint declares a parameter, given the name in a query. */
export function findDeclaredName(shape: z.core.$ZodLooseShape, given: string): string | undefined {
  if (Object.hasOwn(shape, given)) return given;
  const [, list = ''] = ELEMENT.exec(given) ?? [];
  return Object.hasOwn(shape, list) && isList(shape, list) ? list : undefined;
}

/** Returns whether a declared parameter is a list. */
export function isList(shape: z.core.$ZodLooseShape, name: string): boolean {
  return LISTS.has(shape[name] as z.ZodType);
}

/** Returns the schema of a parameter that is an integer in decimal digits. */
export function integerParameter(minimum: number, maximum: number): z.ZodType<number> {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'expected decimal digits')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum));
}
