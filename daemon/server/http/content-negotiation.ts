import type { IncomingMessage } from 'node:http';

import { HttpRefusal } from './problem.ts';

/**
 * Checks that a body has a type that the endpoint accepts, and no content coding.
 *
 * @throws {HttpRefusal} 415
 */
export function checkContentType(request: IncomingMessage, ...expected: readonly string[]): void {
  const [mediaType = '', ...parameters] = splitContentType(request);
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  const isUtf8 = charset === undefined || /^"?(utf-8|us-ascii)"?$/.test(charset);
  if (!expected.includes(mediaType) || !isUtf8) {
    const detail = `the body must be ${expected.join(' or ')} in UTF-8`;
    throw new HttpRefusal({
      status: 415,
      code: 'CONTENT_TYPE_UNSUPPORTED',
      detail,
      headers: { Accept: expected.join(', ') },
    });
  }
  const coding = request.headers['content-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'identity') {
    const detail = 'content codings are not accepted';
    throw new HttpRefusal({
      status: 415,
      code: 'CONTENT_CODING_UNSUPPORTED',
      detail,
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
}

/** True if a request has neither a body nor headers that describe one (RFC 9112, 6.3). */
export function lacksBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'content-type': type, 'transfer-encoding': coding } = headers;
  return type === undefined && coding === undefined && (length === undefined || Number(length) === 0);
}

/** Returns the media type of a body without its parameters. */
export function readMediaType(request: IncomingMessage): string {
  return splitContentType(request)[0] ?? '';
}

function splitContentType({ headers }: IncomingMessage): readonly string[] {
  return (headers['content-type'] ?? '').split(';').map((part) => part.trim().toLowerCase());
}

/**
 * Checks that the client accepts a media type of the answer.
 *
 * @throws {HttpRefusal} 406
 */
export function checkAccept(request: IncomingMessage, ...offered: readonly string[]): void {
  if (chooseType(request, offered) !== undefined) return;
  const detail = `the response is ${offered.join(' or ')}`;
  throw new HttpRefusal({ status: 406, code: 'NOT_ACCEPTABLE', detail });
}

/** Returns the media type that the client prefers, the first one of equals; undefined if it accepts none. */
export function chooseType(
  { headers: { accept } }: IncomingMessage,
  offered: readonly string[],
): string | undefined {
  const [first] = offered;
  if (accept === undefined || accept === '*/*' || accept === first) return first;
  const weights = new Map(offered.map((type) => [type, weightOf(accept, type)]));
  const highest = Math.max(...weights.values());
  return highest > 0 ? offered.find((type) => weights.get(type) === highest) : undefined;
}

// RFC 9110, 12.5.1: of the ranges that match, the most specific decides; weight 0 refuses. A parameter of a range, such
// as charset, narrows nothing: negotiator 1.1 would answer 406 to clients that send `application/json; charset=utf-8`.
function weightOf(accept: string, offered: string): number {
  const ranges = [offered, `${offered.split('/', 1)[0] ?? ''}/*`, '*/*'];
  let best: { readonly rank: number; readonly weight: number } | undefined;
  for (const element of accept.split(',')) {
    const [range = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
    const rank = ranges.indexOf(range);
    if (rank === -1 || (best !== undefined && best.rank <= rank)) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    best = { rank, weight: weight === undefined ? 1 : Number(weight) };
  }
  // Text that is no number refuses.
  return best === undefined || Number.isNaN(best.weight) ? 0 : best.weight;
}
