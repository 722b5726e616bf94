import { XMLParser } from 'fast-xml-parser';

import { MarketplaceError } from '../package/deployment-error.ts';
import { compareVersions, findVersion } from '../package/osgi-version.ts';

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

// Only the features in use: no entities, no conversion of texts to numbers, no deep trees.
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
  maxNestedTags: 32,
});

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
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
  const dpUrl = findElement(root, 'updateurl')?.text ?? '';
  if (node === undefined || dpUrl === '') throw invalid('it names no package');
  const bounds = findElement(root, 'versioncompatibility');
  // `Object.fromEntries` keeps the last of each name: reversed, that is the first.
  const children = bounds?.children.toReversed() ?? [];
  const texts: Readonly<Record<string, string>> = Object.fromEntries(
    children.map(({ name, text }) => [name, text]),
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

function parse(xml: string): readonly Element[] {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(xml)) throw invalid('it declares a document type');
  try {
    return toElements(parser.parse(xml, true));
  } catch (cause) {
    throw invalid('it is not XML', cause);
  }
}

/** Converts the tree of the parser, in which an element is an object with one key beside its attributes. */
function toElements(nodes: unknown): readonly Element[] {
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: Readonly<Record<string, unknown>>) => {
    const name = Object.keys(node).find((key) => key !== ':@' && key !== '#text');
    if (name === undefined) return [];
    const attributes = Object.entries((node[':@'] ?? {}) as Readonly<Record<string, unknown>>);
    return {
      name,
      attributes: Object.fromEntries(attributes.map(([key, value]) => [key, decodeEntities(String(value))])),
      children: toElements(node[name]),
      text: decodeEntities(readText(node[name])).trim(),
    };
  });
}

function readText(nodes: unknown): string {
  if (!Array.isArray(nodes)) return '';
  return nodes
    .map((node: Readonly<Record<string, unknown>>) => {
      const text = node['#text'];
      return typeof text === 'string' ? text : '';
    })
    .join('');
}

function findElement({ children }: Element, name: string): Element | undefined {
  for (const child of children) {
    const found = child.name === name ? child : findElement(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntities(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}

function invalid(what: string, cause?: unknown): MarketplaceError {
  const detail = `the answer of the marketplace cannot be used: ${what}`;
  return new MarketplaceError({ code: 'MARKETPLACE_ANSWER_INVALID', detail, cause });
}
