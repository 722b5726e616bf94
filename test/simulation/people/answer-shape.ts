import type { Answer } from '../http/answer-parser.ts';

// What no client may see: where the program lies, and how it is made.
const INTERNALS =
  /node_modules|file:\/\/|\/(?:work|tmp|home|usr|var|daemon|drivers)\/|\.[cm]?[jt]s:\d|\n\s+at /;

/** Returns what of an answer is not as docs/reference/rest-api.md says; undefined: nothing. */
export function findShapeFault(answer: Answer, requestId: string | undefined): string | undefined {
  const { status, headers, body } = answer;
  if (requestId !== undefined && headers['x-request-id'] !== requestId) {
    return `X-Request-Id is ${headers['x-request-id']}`;
  }
  if (status === 500) return `500 ${body}`;
  if (headers['cache-control'] !== 'no-store') return `Cache-Control is ${headers['cache-control']}`;
  if (status < 400) return findContentFault(answer);
  return findRefusalFault(answer);
}

function findContentFault({ status, headers, body }: Answer): string | undefined {
  if (status === 204 || headers['content-length'] === '0') return undefined;
  if (headers['content-type'] !== 'application/json')
    return `Content-Type of ${status} is ${headers['content-type']}`;
  return parse(body) === undefined ? `${status} without JSON: ${body.slice(0, 80)}` : undefined;
}

function findRefusalFault({ status, headers, body }: Answer): string | undefined {
  if (headers['content-type'] !== 'application/json')
    return `Content-Type of ${status} is ${headers['content-type']}`;
  const report = parse(body);
  if (typeof report !== 'object' || report === null) return `${status} without a report: ${body}`;
  const { message, faults: _faults, secondFactorNeeded, ...others } = report as Record<string, unknown>;
  if (secondFactorNeeded !== undefined && (secondFactorNeeded !== true || status !== 401))
    return `${status} asks for a second factor: ${body}`;
  if (typeof message !== 'string' || message === '' || Object.keys(others).length > 0)
    return `${status} with another report: ${body}`;
  if (INTERNALS.test(message)) return `${status} shows what is inside: ${message}`;
  if ((status === 429 || status === 503) && !/^\d+$/.test(headers['retry-after'] ?? ''))
    return `${status} with Retry-After ${headers['retry-after']}`;
  if (status === 405 && headers['allow'] === undefined) return '405 without Allow';
  if (status !== 401 && headers['www-authenticate'] !== undefined) return `${status} with WWW-Authenticate`;
  return undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
