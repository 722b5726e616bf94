/**
 * Writes one element in DER (ITU-T X.690, 8.1).
 *
 * @param tag identifier octet, such as those of `DER_TAG`
 * @param parts content, one after the other
 */
export function writeElement(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...writeLength(content.length)]), content]);
}

/** Writes an object identifier in its dotted form, such as `2.5.4.3` (ITU-T X.690, 8.19). */
export function writeObjectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return writeElement(0x06, Buffer.from([first * 40 + second, ...rest].flatMap(toBase128)));
}

function writeLength(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const octets: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) octets.unshift(left % 256);
  return [0x80 | octets.length, ...octets];
}

function toBase128(value: number): readonly number[] {
  const digits = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128)) {
    digits.unshift((left % 128) | 0x80);
  }
  return digits;
}
