import type { IncomingMessage } from 'node:http';

import { InvalidRequest } from '../../base/errors.ts';
import { check, formatPath } from '../../base/schema.ts';
import type { z } from '../../base/schema.ts';
import { findDeclaredName, isList } from '../../interface/query-parameter.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * Parses the declared query parameters; only lists may be repeated.
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

/**
 * Creates a reader of the parameters that an endpoint declares, as `readQuery` is one. Most requests have no query: the
 * values of that are found once, and shared.
 */
export function createQueryReader<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodObject<Shape>,
): (request: IncomingMessage) => z.output<z.ZodObject<Shape>> {
  let defaults: z.output<z.ZodObject<Shape>> | undefined;
  return (request) => {
    if (request.url?.includes('?') === true) return readQuery(request, schema);
    if (defaults === undefined) {
      defaults = readQuery(request, schema);
      Object.freeze(defaults);
    }
    return defaults;
  };
}

/**
 * Returns the elements of a parameter that is a list; undefined when it is absent.
 *
 * @param element of what kind they are: `a name`
 * @throws {InvalidRequest} `QUERY_INVALID` when one of them is empty
 */
export function splitList(
  parameter: string,
  list: string | undefined,
  element: string,
): readonly string[] | undefined {
  const parts = list?.split(',');
  if (parts?.includes('') === true) throw createQueryRefusal(`"${parameter}": ${element} is empty`);
  return parts;
}

/** True if the query has `dryRun=true`; never throws. */
export function isTrial({ url = '' }: Pick<IncomingMessage, 'url'>): boolean {
  return parseParameters(url).get('dryRun') === 'true';
}

/** Returns a 400 for a query that only the operation can check. */
export function createQueryRefusal(detail: string): InvalidRequest {
  return new InvalidRequest({ code: 'QUERY_INVALID', detail });
}

function parseParameters(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}

/** Quotes a parameter name for a message. */
export function quoteParameter(name: string): string {
  return JSON.stringify(name.slice(0, 40));
}

/**
 * Returns the names of the parameters that an endpoint does not declare, each once, in their order.
 * Endpoints of the specification refuse only those that are a declared one but for case: `dryrun` must not write.
 *
 * @param url target of the request line
 */
export function listUnknownParameters(
  { query, isOfSpecification = false }: Pick<Endpoint, 'query' | 'isOfSpecification'>,
  url: string,
): readonly string[] {
  const start = url.indexOf('?');
  if (start < 0) return [];
  const shape = query?.shape ?? {};
  const given = new Set(new URLSearchParams(url.slice(start + 1)).keys());
  const unknown = [...given].filter((name) => findDeclaredName(shape, name) === undefined);
  if (!isOfSpecification) return unknown;
  const folded = new Set(Object.keys(shape).map((name) => name.toLowerCase()));
  return unknown.filter((name) => folded.has(name.toLowerCase().replace(/\[.*$/, '')));
}
