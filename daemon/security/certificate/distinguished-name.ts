import { InvalidRequest } from '../../base/errors.ts';
import { DER_TAG } from '../../base/text/der.ts';
import { writeElement, writeObjectIdentifier } from '../../base/text/der-writer.ts';

const UTF8_STRING = 0x0c;
const PRINTABLE_STRING = 0x13;
const IA5_STRING = 0x16;
const SET = 0x31;

interface AttributeType {
  readonly identifier: string;
  /** Upper bound in characters (RFC 5280, appendix A.1). */
  readonly maximum: number;
  readonly tag?: number;
}

// Keywords of RFC 4514 and of Java, in upper case.
const TYPES: ReadonlyMap<string, AttributeType> = new Map([
  ['CN', { identifier: '2.5.4.3', maximum: 64 }],
  ['SURNAME', { identifier: '2.5.4.4', maximum: 64 }],
  ['SERIALNUMBER', { identifier: '2.5.4.5', maximum: 64, tag: PRINTABLE_STRING }],
  ['C', { identifier: '2.5.4.6', maximum: 2, tag: PRINTABLE_STRING }],
  ['L', { identifier: '2.5.4.7', maximum: 128 }],
  ['ST', { identifier: '2.5.4.8', maximum: 128 }],
  ['S', { identifier: '2.5.4.8', maximum: 128 }],
  ['STREET', { identifier: '2.5.4.9', maximum: 128 }],
  ['O', { identifier: '2.5.4.10', maximum: 64 }],
  ['OU', { identifier: '2.5.4.11', maximum: 64 }],
  ['T', { identifier: '2.5.4.12', maximum: 64 }],
  ['GIVENNAME', { identifier: '2.5.4.42', maximum: 64 }],
  ['UID', { identifier: '0.9.2342.19200300.100.1.1', maximum: 255 }],
  ['DC', { identifier: '0.9.2342.19200300.100.1.25', maximum: 63, tag: IA5_STRING }],
  ['EMAILADDRESS', { identifier: '1.2.840.113549.1.9.1', maximum: 255, tag: IA5_STRING }],
  ['E', { identifier: '1.2.840.113549.1.9.1', maximum: 255, tag: IA5_STRING }],
]);

const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;
// A value in double quotes, as RFC 2253 permits, or with escaped characters; the separator follows.
const PART =
  /\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(?:"((?:[^"\\]|\\[^])*)"|((?:[^,;+"\\]|\\[^])*?))\s*(,|;|\+|$)/y;

/**
 * Encodes a distinguished name given as text (RFC 4514), for example `CN=gateway, O=Plant, C=DE`. The text starts with the most
 * specific part and the encoding ends with it.
 *
 * @returns DER
 * @throws {InvalidRequest} `BODY_INVALID` with the part that is wrong; parts of several attributes are not supported
 */
export function encodeDistinguishedName(text: string): Buffer {
  const parts: Buffer[] = [];
  PART.lastIndex = 0;
  for (let start = 0; start < text.length;) {
    const [whole, keyword = '', quoted, plain = '', separator = ''] = PART.exec(text) ?? [];
    if (whole === undefined || separator === '+')
      throw refuse(`expected TYPE=value at ${quote(text.slice(start))}`);
    start = PART.lastIndex;
    if (separator !== '' && start === text.length) throw refuse('nothing follows the last separator');
    parts.unshift(encodePart(keyword, unescape(quoted ?? plain)));
  }
  if (parts.length === 0) throw refuse('expected at least one part, such as CN=gateway');
  return writeElement(DER_TAG.sequence, ...parts);
}

function encodePart(keyword: string, value: string): Buffer {
  const type = TYPES.get(keyword.toUpperCase());
  if (type === undefined) throw refuse(`unknown type ${quote(keyword)}`);
  const { identifier, maximum, tag = UTF8_STRING } = type;
  if (value === '' || value.length > maximum) {
    throw refuse(`${keyword} must have 1 to ${maximum} characters`);
  }
  if (keyword.toUpperCase() === 'C' && !/^[A-Za-z]{2}$/.test(value)) {
    throw refuse('C must be two letters, as DE');
  }
  const isPossible = tag === UTF8_STRING || (tag === IA5_STRING ? /^[\x20-\x7e]*$/ : PRINTABLE).test(value);
  if (!isPossible || /\p{Cc}/u.test(value)) {
    throw refuse(`${keyword} has a character that is not allowed there`);
  }
  const attribute = writeElement(
    DER_TAG.sequence,
    writeObjectIdentifier(identifier),
    writeElement(tag, Buffer.from(value)),
  );
  return writeElement(SET, attribute);
}

/** Resolves escaped characters and octets (RFC 4514, 3); octets are those of UTF-8. */
function unescape(value: string): string {
  const octets = value.replaceAll(/(?:\\[0-9A-Fa-f]{2})+/g, (run) => {
    const decoded = Buffer.from(run.replaceAll('\\', ''), 'hex').toString();
    return decoded.replaceAll('\\', String.raw`\\`);
  });
  return octets.replaceAll(/\\([^])/g, '$1');
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 50));
}

function refuse(detail: string): InvalidRequest {
  return new InvalidRequest({ code: 'BODY_INVALID', detail: `attributes: ${detail}` });
}
