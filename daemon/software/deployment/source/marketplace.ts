import type { Clock } from '../../../base/clock.ts';
import { decodeUtf8 } from '../../../base/text/plain-text.ts';
import { DeploymentError, MarketplaceError, SourceRefused } from '../../package/deployment-error.ts';
import { openDownload } from './download.ts';
import type { PackageDescriptor } from './marketplace-document.ts';

/** Maximum size of the description of a package. */
export const MAXIMUM_DESCRIPTION_BYTES = 1_048_576;
/** Time limit of an answer of the marketplace. */
const MARKETPLACE_LIMIT_MS = 10_000;

const NODE_ID = /^\d{1,19}$/;

interface MarketplaceOptions {
  /** URL of the marketplace, without query. */
  readonly marketplaceUrl: () => string;
  /** Version of this gateway. */
  readonly version: string;
  readonly clock: Clock;
}

/** Queries a marketplace for descriptions of packages. */
export class Marketplace {
  readonly #options: MarketplaceOptions;

  constructor(options: MarketplaceOptions) {
    this.#options = options;
  }

  /**
   * Describes the package that a link of the marketplace installs.
   *
   * @param link `…/marketplace-client-intro?mpc_install=<node id>`
   * @throws {SourceRefused} `MARKETPLACE_URL_INVALID` for any other URL
   * @throws {MarketplaceError} `MARKETPLACE_UNREACHABLE`, `MARKETPLACE_TIMEOUT`, `MARKETPLACE_ANSWER_INVALID`
   */
  async describe(link: string): Promise<PackageDescriptor> {
    const { version, clock } = this.#options;
    const marketplaceUrl = this.#options.marketplaceUrl();
    const nodeId = findNodeId(link, marketplaceUrl);
    if (nodeId === undefined) {
      const detail = 'url: expected a link of the configured marketplace to install a package';
      throw new SourceRefused({ code: 'MARKETPLACE_URL_INVALID', detail });
    }
    const base = marketplaceUrl.replace(/\/+$/, '');
    const xml = await this.#fetch(new URL(`${base}/node/${nodeId}/api/p`), clock);
    // Imported on first use: most gateways need neither the time nor the memory for the parser.
    const { parseMarketplaceDocument } = await import('./marketplace-document.ts');
    return parseMarketplaceDocument(xml, version);
  }

  async #fetch(url: URL, clock: Clock): Promise<string> {
    try {
      const never = new AbortController().signal;
      const { chunks } = await openDownload(url, clock, never, MARKETPLACE_LIMIT_MS);
      return await readText(chunks);
    } catch (cause) {
      if (!(cause instanceof DeploymentError)) throw cause;
      const isLate = cause.reason === 'TIMEOUT';
      const code = isLate ? 'MARKETPLACE_TIMEOUT' : 'MARKETPLACE_UNREACHABLE';
      const detail = isLate ? 'the marketplace did not respond in time' : 'the marketplace cannot be reached';
      throw new MarketplaceError({ code, detail, cause });
    }
  }
}

/** Returns the node that an install link of the marketplace names; undefined for any other link. */
function findNodeId(link: string, marketplaceUrl: string): string | undefined {
  const url = URL.parse(link);
  const isLink =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    url.host === URL.parse(marketplaceUrl)?.host &&
    url.pathname.endsWith('/marketplace-client-intro');
  const ids = isLink ? url.searchParams.getAll('mpc_install') : [];
  const [id = ''] = ids;
  return ids.length === 1 && NODE_ID.test(id) ? id : undefined;
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > MAXIMUM_DESCRIPTION_BYTES) {
      throw new MarketplaceError({
        code: 'MARKETPLACE_ANSWER_INVALID',
        detail: 'the response of the marketplace is too large',
      });
    }
    parts.push(chunk);
  }
  const text = decodeUtf8(Buffer.concat(parts));
  if (text !== undefined) return text;
  const detail = 'the response of the marketplace is not UTF-8';
  throw new MarketplaceError({ code: 'MARKETPLACE_ANSWER_INVALID', detail });
}
