import { XMLParser } from 'fast-xml-parser';

/** One element of an XML document; its name and those of its attributes are without the prefix of their namespace. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Own text, without that of its children. */
  readonly text: string;
}

/** A text is not an XML document, or uses a refused feature. */
export class XmlError extends Error {}

const MAXIMUM_DEPTH = 32;

// Only the features in use: no entities, no conversion of texts to numbers, no deep trees.
const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  cdataPropName: '#cdata',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  processEntities: false,
  maxNestedTags: MAXIMUM_DEPTH,
});

type Node = Readonly<Record<string, unknown>>;

/**
 * Reads an XML document.
 *
 * The five entities of XML and references to characters are decoded; comments and processing instructions are left out.
 *
 * @returns the elements at the top
 * @throws {XmlError} for a text that is not well-formed, declares a document type or has more than 32 levels
 */
export function parseXml(text: string): readonly XmlElement[] {
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw new XmlError('it declares a document type');
  try {
    return toElements(parser.parse(text, true));
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new XmlError(`it is not XML: ${detail}`, { cause });
  }
}

/** Converts the tree of the parser, in which an element is an object with one key and its attributes. */
function toElements(nodes: unknown): readonly XmlElement[] {
  return listNodes(nodes).flatMap((node) => {
    const name = Object.keys(node).find((key) => key !== ':@' && !key.startsWith('#'));
    if (name === undefined || name.startsWith('?')) return [];
    const attributes = Object.entries((node[':@'] ?? {}) as Node);
    return {
      name: withoutPrefix(name),
      attributes: Object.fromEntries(
        attributes.map(([key, value]) => [withoutPrefix(key), decodeReferences(String(value))]),
      ),
      children: toElements(node[name]),
      text: readText(node[name]),
    };
  });
}

function readText(nodes: unknown): string {
  return listNodes(nodes)
    .map(({ '#text': text, '#cdata': literal }) => {
      if (literal !== undefined)
        return listNodes(literal)
          .map(({ '#text': inner }) => inner)
          .join('');
      return typeof text === 'string' ? decodeReferences(text) : '';
    })
    .join('');
}

function listNodes(nodes: unknown): readonly Node[] {
  return Array.isArray(nodes) ? (nodes as readonly Node[]) : [];
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(
    /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\dA-Fa-f]{1,6}));/g,
    (whole, name?: string, decimal?: string, hexadecimal?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      const code = decimal === undefined ? parseInt(hexadecimal ?? '', 16) : Number(decimal);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
    },
  );
}
