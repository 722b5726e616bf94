import type { IncomingMessage } from 'node:http';

import { InvalidRequest } from '../base/errors.ts';
import { check, formatPath, z } from '../base/schema.ts';

/**
 * Reads the query of a request, in which every parameter may be given once.
 *
 * @throws {InvalidRequest} `QUERY_INVALID` with the parameters at fault
 */
export function readQuery<T>({ url = '' }: IncomingMessage, schema: z.ZodType<T>): T {
  const start = url.indexOf('?');
  const pairs = [...new URLSearchParams(start < 0 ? '' : url.slice(start + 1))];
  refuseDoubled(pairs.map(([name]) => name));
  const { value, faults } = check(schema, Object.fromEntries(pairs));
  if (faults === undefined) return value;
  const texts = faults.slice(0, 10).map(({ path, message }) => `${quote(formatPath(path))}: ${message}`);
  throw createQueryRefusal(texts.join('; '));
}

/** A parameter that is a whole number in decimal digits. */
export function integerParameter(minimum: number, maximum: number): z.ZodType<number> {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'expected decimal digits')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum));
}

/** A 400 for what only the operation can see of a query. */
export function createQueryRefusal(detail: string): InvalidRequest {
  return new InvalidRequest({ code: 'QUERY_INVALID', detail });
}

function refuseDoubled(names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw createQueryRefusal(`${quote(name)} is given more than once`);
    seen.add(name);
  }
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 40));
}
