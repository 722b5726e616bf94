import { parseXml } from '../../../base/text/xml-document.ts';
import type { XmlElement } from '../../../base/text/xml-document.ts';
import { MarketplaceError } from '../../package/deployment-error.ts';
import { compareVersions, findVersion } from '../../package/osgi-version.ts';

/** Description of a package by the marketplace, and whether the package is compatible with this gateway. */
export interface PackageDescriptor {
  readonly nodeId: string;
  /** Web page of the package. */
  readonly url: string;
  /** URL of the package file. */
  readonly dpUrl: string;
  /** Empty: no bound. */
  readonly minServiceVersion: string;
  readonly maxServiceVersion: string;
  readonly currentServiceVersion: string;
  readonly isCompatible: boolean;
}

/**
 * Reads the description of a package from a marketplace document: the first `node`, `updateurl` and `versioncompatibility`.
 *
 * A gateway is compatible when its version lies between the bounds, both included. Without any bound, or with a bound that is
 * not a version, it is not compatible.
 *
 * @param xml the document
 * @param currentVersion version of this gateway
 * @throws {MarketplaceError} `MARKETPLACE_ANSWER_INVALID`
 */
export function parseMarketplaceDocument(xml: string, currentVersion: string): PackageDescriptor {
  const root = { name: '', attributes: {}, children: parse(xml), text: '' };
  const node = findElement(root, 'node');
  const dpUrl = findElement(root, 'updateurl')?.text.trim() ?? '';
  if (node === undefined || dpUrl === '') throw invalid('it names no package');
  const bounds = findElement(root, 'versioncompatibility');
  // `Object.fromEntries` keeps the last of each name: reversed, that is the first.
  const children = bounds?.children.toReversed() ?? [];
  const texts: Readonly<Record<string, string>> = Object.fromEntries(
    children.map(({ name, text }) => [name, text.trim()]),
  );
  const { from: minServiceVersion = '', to: maxServiceVersion = '' } = texts;
  return {
    nodeId: node.attributes['id'] ?? '',
    url: node.attributes['url'] ?? '',
    dpUrl,
    minServiceVersion,
    maxServiceVersion,
    currentServiceVersion: currentVersion,
    isCompatible: isBetween(currentVersion, minServiceVersion, maxServiceVersion),
  };
}

function isBetween(current: string, minimum: string, maximum: string): boolean {
  const version = findVersion(current);
  if (version === undefined || (minimum === '' && maximum === '')) return false;
  const floor = findVersion(minimum);
  const ceiling = findVersion(maximum);
  if (minimum !== '' && (floor === undefined || compareVersions(version, floor) < 0)) return false;
  return maximum === '' || (ceiling !== undefined && compareVersions(version, ceiling) <= 0);
}

function parse(xml: string): readonly XmlElement[] {
  try {
    return parseXml(xml);
  } catch (cause) {
    throw invalid('it is not XML without a document type', cause);
  }
}

function findElement({ children }: XmlElement, name: string): XmlElement | undefined {
  for (const child of children) {
    const found = child.name === name ? child : findElement(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function invalid(what: string, cause?: unknown): MarketplaceError {
  const detail = `the response of the marketplace cannot be used: ${what}`;
  return new MarketplaceError({ code: 'MARKETPLACE_ANSWER_INVALID', detail, cause });
}
