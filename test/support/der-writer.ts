import { DER_TAG } from '../../daemon/base/text/der.ts';

/** Writes an element in DER (ITU-T X.690, 8.1) around its content. */
export function writeElement(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag, ...writeLength(bytes.length)), bytes]);
}

/** Writes a SEQUENCE. */
export function writeSequence(...elements: readonly Uint8Array[]): Buffer {
  return writeElement(DER_TAG.sequence, ...elements);
}

/** Writes an INTEGER that is not negative, of octets or of a number below 128. */
export function writeInteger(value: Uint8Array | number): Buffer {
  const octets = typeof value === 'number' ? Buffer.of(value) : value;
  // A first bit would be the sign.
  return writeElement(DER_TAG.integer, (octets[0] ?? 0) >= 0x80 ? Buffer.of(0) : Buffer.of(), octets);
}

/** Writes a BIT STRING whose last octet has some unused bits. */
export function writeBitString(octets: Uint8Array, unusedBits = 0): Buffer {
  return writeElement(DER_TAG.bitString, Buffer.of(unusedBits), octets);
}

/** Writes an OBJECT IDENTIFIER of its dotted form (8.19). */
export function writeObjectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const octets = [first * 40 + second, ...rest].flatMap((arc) => {
    const septets = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      septets.unshift((left & 0x7f) | 0x80);
    return septets;
  });
  return writeElement(DER_TAG.objectIdentifier, Buffer.from(octets));
}

/**
 * Writes a time as RFC 5280, 4.1.2.5 wants it.
 *
 * @param time as GeneralizedTime, for example `20250101000000Z`
 */
export function writeTime(time: string): Buffer {
  return time < '2050'
    ? writeElement(DER_TAG.utcTime, Buffer.from(time.slice(2)))
    : writeElement(DER_TAG.generalizedTime, Buffer.from(time));
}

function writeLength(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const octets: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) octets.unshift(left & 0xff);
  return [0x80 | octets.length, ...octets];
}
