/** One tag-length-value in a DER encoding (ITU-T X.690, 8.1). */
export interface DerElement {
  /** Identifier octet: class, constructed bit and number. */
  readonly tag: number;
  /** The whole element, its header included. */
  readonly encoding: Uint8Array;
  readonly content: Uint8Array;
}

/** Identifier octets of the elements that certificates and revocation lists are made of. */
export const DER_TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  context0: 0xa0,
  context3: 0xa3,
} as const;

/**
 * Reads the elements that follow each other in a text.
 *
 * Meant for what OpenSSL has parsed before: it accepts definite lengths and single-octet tags only, and nothing else
 * appears in X.509.
 *
 * @throws {RangeError} when an element does not end within the text
 */
export function readElements(bytes: Uint8Array): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let offset = 0; offset < bytes.length;) {
    const { headerLength, contentLength } = readHeader(bytes, offset);
    const start = offset + headerLength;
    const end = start + contentLength;
    if (end > bytes.length) throw new RangeError('an element ends outside the text');
    elements.push({
      tag: bytes[offset] ?? 0,
      encoding: bytes.subarray(offset, end),
      content: bytes.subarray(start, end),
    });
    offset = end;
  }
  return elements;
}

/**
 * Returns the first element with a tag.
 *
 * @throws {RangeError} when there is none
 */
export function getElement(elements: readonly DerElement[], tag: number): DerElement {
  const found = elements.find((element) => element.tag === tag);
  if (found === undefined) throw new RangeError(`no element with the tag ${tag}`);
  return found;
}

/** Returns the content of an INTEGER in lower-case hexadecimal, without the octets that only carry its sign. */
export function toHex(integer: Uint8Array): string {
  const start = integer.findIndex((octet) => octet !== 0);
  return Buffer.from(start < 0 ? integer.subarray(0, 1) : integer.subarray(start)).toString('hex');
}

/**
 * Reads a UTCTime or GeneralizedTime as RFC 5280, 4.1.2.5 restricts them.
 *
 * @returns milliseconds since the epoch
 * @throws {RangeError} when it is neither
 */
export function readTime({ tag, content }: DerElement): number {
  const text = Buffer.from(content).toString('latin1');
  // Two digits mean 1950 to 2049.
  const century = text < '5' ? '20' : '19';
  const full = tag === DER_TAG.utcTime ? century + text : text;
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full);
  if (match === null) throw new RangeError('not a time in the form of RFC 5280');
  const [, year, month, day, hour, minute, second] = match.map(Number);
  return Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second);
}

function readHeader(
  bytes: Uint8Array,
  offset: number,
): { readonly headerLength: number; readonly contentLength: number } {
  const first = bytes[offset + 1];
  if (first === undefined) throw new RangeError('an element ends within its header');
  if (first < 0x80) return { headerLength: 2, contentLength: first };
  const octets = first & 0x7f;
  // Four octets count four gigabytes; zero octets is the indefinite form, which DER does not have.
  if (octets === 0 || octets > 4 || offset + 2 + octets > bytes.length) {
    throw new RangeError('an element has an impossible length');
  }
  const contentLength = bytes
    .subarray(offset + 2, offset + 2 + octets)
    .reduce((sum, octet) => sum * 256 + octet, 0);
  return { headerLength: 2 + octets, contentLength };
}
