import type { Endpoint } from './endpoint.ts';

/**
 * Returns the names of the parameters that an endpoint does not declare, each once, in their order.
 * Endpoints of the specification refuse none.
 *
 * @param url as it stands in the request line
 */
export function listUnknownParameters(
  { query, isOfSpecification = false }: Pick<Endpoint, 'query' | 'isOfSpecification'>,
  url: string,
): readonly string[] {
  const start = url.indexOf('?');
  if (start < 0 || isOfSpecification) return [];
  const known = Object.keys(query?.shape ?? {});
  const given = new Set(new URLSearchParams(url.slice(start + 1)).keys());
  return [...given].filter((name) => !known.includes(name));
}
