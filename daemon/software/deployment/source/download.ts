import { request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';

import { createCheckedLookup } from '../../../base/network/checked-lookup.ts';
import type { Clock } from '../../../base/clock.ts';
import { describeConnectFailure } from '../../../base/network/connect-failure.ts';
import { DeploymentError } from '../../package/deployment-error.ts';
import { parsePackageUrl } from './package-url.ts';
import { createBlockList, isListed, isMetadataAddress } from '../../../base/network/metadata-address.ts';

/** Content of a package from its source. */
export interface IncomingContent {
  /** Each is valid until the next one is requested. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Undefined if the source does not report it. */
  readonly sizeBytes: number | undefined;
}

// Networks without package servers, in addition to the metadata services: link-local (RFC 3927, RFC 4291), "this network"
// (RFC 1122), multicast and broadcast.
const REFUSED = createBlockList([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  '::',
  'fe80::/10',
  'ff00::/8',
]);

/** Maximum number of redirects. */
export const MAXIMUM_REDIRECTS = 5;
/** Time limit of a download, from the first request. */
export const DOWNLOAD_LIMIT_MS = 600_000;
/** Time without a byte after which the connection is closed. */
const IDLE_LIMIT_MS = 30_000;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAXIMUM_HEADER_BYTES = 16_384;

/**
 * Starts a download. Server certificates are always verified. A name is resolved once, and its addresses are checked. A redirect
 * must satisfy every rule of the first URL, and cannot lead from HTTPS to HTTP.
 *
 * @param limitMs time limit of the whole download, content included
 * @throws {DeploymentError} `OTHER_ERROR`, also while the content is read; `TIMEOUT` when it takes too long
 */
export async function openDownload(
  url: URL,
  clock: Clock,
  signal: AbortSignal,
  limitMs = DOWNLOAD_LIMIT_MS,
): Promise<IncomingContent> {
  const late = new AbortController();
  const cancel = clock.schedule(limitMs, () =>
    late.abort(new DeploymentError('TIMEOUT', `the download did not end within ${limitMs / 1000} s`)),
  );
  const both = AbortSignal.any([signal, late.signal]);
  try {
    const response = await follow(url, both);
    const length = Number(response.headers['content-length']);
    return {
      chunks: readContent(response, { signal: both, cancel, url }),
      sizeBytes: Number.isSafeInteger(length) && length > 0 ? length : undefined,
    };
  } catch (error) {
    cancel();
    throw toDownloadError(error, both, url);
  }
}

async function follow(first: URL, signal: AbortSignal): Promise<IncomingMessage> {
  let url = first;
  for (let redirects = 0; redirects <= MAXIMUM_REDIRECTS; redirects += 1) {
    const response = await sendRequest(url, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return response;
    response.destroy();
    if (!REDIRECTS.has(statusCode) || headers.location === undefined) {
      throw new DeploymentError('OTHER_ERROR', `the server responded with status ${statusCode}`);
    }
    url = toNextUrl(headers.location, url);
  }
  throw new DeploymentError('OTHER_ERROR', `the server redirects more than ${MAXIMUM_REDIRECTS} times`);
}

function toNextUrl(location: string, current: URL): URL {
  const next = URL.parse(location, current.href);
  const isDowngrade = current.protocol === 'https:' && next?.protocol !== 'https:';
  if (next === null || next.protocol === 'file:' || isDowngrade) {
    throw new DeploymentError('OTHER_ERROR', 'the server redirects to a URL that is not allowed');
  }
  return parsePackageUrl(next.href);
}

function sendRequest(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const host = url.hostname.replaceAll(/^\[|\]$/g, '');
  // `lookup` is not called for a host that is an address.
  if (isIP(host) !== 0) checkAddress(host);
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      signal,
      agent: false,
      lookup: lookupAllowed,
      timeout: IDLE_LIMIT_MS,
      maxHeaderSize: MAXIMUM_HEADER_BYTES,
      headers: { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': 'penstock' },
    });
    request.once('response', resolve);
    request.once('error', reject);
    request.once('timeout', () =>
      request.destroy(
        new DeploymentError('TIMEOUT', `the server sent nothing for ${IDLE_LIMIT_MS / 1000} s`),
      ),
    );
    request.end();
  });
}

const lookupAllowed = createCheckedLookup({ isAllowed: isAllowedAddress, createError: refuseAddress });

function checkAddress(address: string): void {
  if (!isAllowedAddress(address)) throw refuseAddress();
}

function refuseAddress(): DeploymentError {
  return new DeploymentError('OTHER_ERROR', 'the address of the server is not allowed');
}

async function* readContent(
  response: IncomingMessage,
  { signal, cancel, url }: { readonly signal: AbortSignal; readonly cancel: () => void; readonly url: URL },
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) yield chunk;
    if (!response.complete) throw new Error('the response ended early');
  } catch (error) {
    throw toDownloadError(error, signal, url);
  } finally {
    cancel();
    response.destroy();
  }
}

function toDownloadError(error: unknown, signal: AbortSignal, { hostname }: URL): unknown {
  const thrown: unknown = signal.aborted ? signal.reason : error;
  if (thrown instanceof DeploymentError) return thrown;
  const what = describeConnectFailure(thrown, hostname);
  return new DeploymentError('OTHER_ERROR', `the download from ${hostname} failed: ${what}`, thrown);
}

/**
 * Returns true if a download may connect to an address. Private and loopback addresses are allowed: package servers run there.
 *
 * @param address resolved address, without brackets
 */
export function isAllowedAddress(address: string): boolean {
  return isIP(address) !== 0 && !isListed(REFUSED, address) && !isMetadataAddress(address);
}
