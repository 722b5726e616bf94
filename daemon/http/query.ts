import type { IncomingMessage } from 'node:http';

import { InvalidRequest } from '../base/errors.ts';
import { check, formatPath, z } from '../base/schema.ts';

/** Parameters whose values are lists. */
const LISTS = new WeakSet<z.ZodType>();
// As clients of other makes write the elements of a list: `name[]` and `name[0]`.
const ELEMENT = /^([^[]+)\[\d{0,5}\]$/;

/**
 * Returns the schema of a parameter that is a list: a text with commas between its elements. `readQuery` makes that text of
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

function isList(shape: z.core.$ZodLooseShape, name: string): boolean {
  return LISTS.has(shape[name] as z.ZodType);
}

/**
 * Reads the parameters that an endpoint declares from a query; each but lists may be given once.
 *
 * @throws {InvalidRequest} `QUERY_INVALID` that names the invalid parameters
 */
export function readQuery<Shape extends z.core.$ZodLooseShape>(
  { url = '' }: IncomingMessage,
  schema: z.ZodObject<Shape>,
): z.output<z.ZodObject<Shape>> {
  const given = new Map<string, string>();
  for (const [name, text] of parseParameters(url)) {
    const declared = findDeclaredName(schema.shape, name);
    if (declared === undefined) continue;
    const before = given.get(declared);
    if (before !== undefined && !isList(schema.shape, declared)) {
      throw createQueryRefusal(`${quoteParameter(name)} is given more than once`);
    }
    given.set(declared, before === undefined ? text : `${before},${text}`);
  }
  const { value, faults } = check(schema, Object.fromEntries(given));
  if (faults === undefined) return value;
  const texts = faults
    .slice(0, 10)
    .map(({ path, message }) => `${quoteParameter(formatPath(path))}: ${message}`);
  throw createQueryRefusal(texts.join('; '));
}

/** Whether the target of a request has a query, if only an empty one. */
export function hasQuery({ url = '' }: Pick<IncomingMessage, 'url'>): boolean {
  return url.includes('?');
}

/** Whether a request asks with `dryRun=true` what would happen; never throws. */
export function isTrial({ url = '' }: Pick<IncomingMessage, 'url'>): boolean {
  return parseParameters(url).get('dryRun') === 'true';
}

/** Returns the schema of a parameter that is an integer in decimal digits. */
export function integerParameter(minimum: number, maximum: number): z.ZodType<number> {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'expected decimal digits')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum));
}

/** Returns a 400 for what only the operation can check in a query. */
export function createQueryRefusal(detail: string): InvalidRequest {
  return new InvalidRequest({ code: 'QUERY_INVALID', detail });
}

function parseParameters(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}

/** Returns the name of a parameter as a message shows it. */
export function quoteParameter(name: string): string {
  return JSON.stringify(name.slice(0, 40));
}
