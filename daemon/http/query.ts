import type { IncomingMessage } from 'node:http';

import { InvalidRequest } from '../base/errors.ts';
import { check, formatPath, z } from '../base/schema.ts';

/**
 * Reads the parameters that an endpoint declares from a query; each may be given once.
 *
 * @throws {InvalidRequest} `QUERY_INVALID` that names the invalid parameters
 */
export function readQuery<Shape extends z.core.$ZodLooseShape>(
  { url = '' }: IncomingMessage,
  schema: z.ZodObject<Shape>,
): z.output<z.ZodObject<Shape>> {
  const pairs = [...parseParameters(url)].filter(([name]) => Object.hasOwn(schema.shape, name));
  refuseDoubled(pairs.map(([name]) => name));
  const { value, faults } = check(schema, Object.fromEntries(pairs));
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

function refuseDoubled(names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw createQueryRefusal(`${quoteParameter(name)} is given more than once`);
    seen.add(name);
  }
}

/** Returns the name of a parameter as a message shows it. */
export function quoteParameter(name: string): string {
  return JSON.stringify(name.slice(0, 40));
}
