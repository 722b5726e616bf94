import type { IncomingMessage } from 'node:http';

import type { Answer } from './answer.ts';
import type { ContentCoding, StaticFile } from './static-site.ts';

// A year, the longest time that caches are expected to respect.
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** Kept, and asked for again each time. */
const REVALIDATED = 'no-cache';

/**
 * Answers with a file in the shortest form that the client accepts; 304 when the client has that form already (RFC 9110,
 * 13.1.2).
 */
export function answerFile({ headers }: Pick<IncomingMessage, 'headers'>, file: StaticFile): Answer {
  const coding = chooseCoding(headers['accept-encoding'], file);
  // Each form has a tag of its own: the tag names bytes, not what they mean (RFC 9110, 8.8.3.3).
  const tag = `"${file.digest}${coding === undefined ? '' : `-${coding}`}"`;
  const kept = {
    'Cache-Control': file.isImmutable ? IMMUTABLE : REVALIDATED,
    ETag: tag,
    ...(file.coded.size === 0 ? {} : { Vary: 'Accept-Encoding' }),
  };
  if (isNamed(headers['if-none-match'], tag)) return { status: 304, headers: kept, file: {} };
  const coded = coding === undefined ? undefined : file.coded.get(coding);
  return {
    status: 200,
    headers: coding === undefined ? kept : { ...kept, 'Content-Encoding': coding },
    file: { type: file.type, bytes: coded ?? file.plain },
  };
}

// Browsers accept Brotli over TLS alone, so that the client's list is all that has to be looked at.
function chooseCoding(accepted: string | undefined, { coded }: StaticFile): ContentCoding | undefined {
  const weights = new Map(
    (accepted ?? '').split(',').map((element) => {
      const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return [name, weight === undefined ? 1 : Number(weight)] as const;
    }),
  );
  return [...coded.keys()].find((coding) => (weights.get(coding) ?? weights.get('*') ?? 0) > 0);
}

function isNamed(list: string | undefined, tag: string): boolean {
  if (list === undefined) return false;
  // A weak comparison (RFC 9110, 13.1.2): a proxy that recompresses marks the tag as weak.
  return list.split(',').some((element) => ['*', tag].includes(element.trim().replace(/^W\//, '')));
}
