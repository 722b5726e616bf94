// A bundle has taken its own rights to a directory, or made directories below one another until their path is too long.
const CODES: ReadonlySet<unknown> = new Set(['EACCES', 'ENAMETOOLONG']);

/**
 * Returns the code of a system error that a bundle causes by the state of its own files; undefined for any other, of which the
 * bundle is not the cause, such as a lack of descriptors.
 */
export function findUnusablePath(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && CODES.has(code) ? code : undefined;
}
