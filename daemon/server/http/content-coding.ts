/** Content codings in which responses are sent (RFC 9110, 8.4.1), the more effective first. */
export const CONTENT_CODINGS = ['br', 'gzip'] as const;

/** A content coding. */
export type ContentCoding = (typeof CONTENT_CODINGS)[number];

/**
 * Returns the content coding that the client prefers (RFC 9110, 12.5.3), the first one of equals; undefined: the content is sent
 * as it is.
 *
 * @param accepted value of `Accept-Encoding`; browsers offer Brotli over TLS only
 */
export function chooseCoding(
  accepted: string | undefined,
  offered: Iterable<ContentCoding>,
): ContentCoding | undefined {
  if (accepted === undefined) return undefined;
  const weights = new Map(
    accepted.split(',').map((element) => {
      const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return [name, weight === undefined ? 1 : Number(weight)] as const;
    }),
  );
  let best: { readonly coding: ContentCoding; readonly weight: number } | undefined;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0;
    // Text that is no number refuses.
    if (weight > (best?.weight ?? 0)) best = { coding, weight };
  }
  return best?.coding;
}

/**
 * Returns the entity tag of a coded form: a strong tag names bytes, so that each form has its own (RFC 9110, 8.8.3.3).
 *
 * @param tag of the content as it is, in quotes
 */
export function tagOfForm(tag: string, coding: ContentCoding | undefined): string {
  return coding === undefined ? tag : `${tag.slice(0, -1)}-${coding}"`;
}

/** Returns the tag of the content as it is, for the tag of any of its forms. */
export function tagOfContent(tag: string): string {
  return tag.replace(/-(?:br|gzip)"$/, '"');
}

/** True if a list of entity tags contains one, or is `*`: a weak comparison, because a proxy that recompresses weakens tags (RFC 9110, 13.1.2). */
export function isListed(list: string | undefined, tag: string): boolean {
  return findListed(list, [tag]) !== undefined;
}

/** Returns the first of these tags that a list of entity tags contains; the first of all for `*`. */
export function findListed(list: string | undefined, tags: readonly string[]): string | undefined {
  if (list === undefined) return undefined;
  const listed = new Set(list.split(',').map((element) => element.trim().replace(/^W\//, '')));
  return listed.has('*') ? tags[0] : tags.find((tag) => listed.has(tag));
}
