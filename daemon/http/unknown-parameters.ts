import type { Endpoint } from './endpoint.ts';
import { findDeclaredName } from '../interface/query-parameter.ts';

/**
 * Returns the names of the parameters that an endpoint does not declare, each once, in their order.
 * Endpoints of the specification refuse only those that are a declared one but for case: `dryrun` must not write.
 *
 * @param url as it stands in the request line
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
