import { encode } from 'uqr';

/** Quiet zone in modules (ISO/IEC 18004, 6.3.8). */
const QUIET_ZONE = 4;

/** QR code as one path of unit squares. */
interface QrMatrix {
  /** Modules per side, including the quiet zone. */
  readonly size: number;
  /** Dark modules, as SVG path data. */
  readonly path: string;
}

/** Encodes a text with error correction M: a seventh of it may be hidden, for example by a reflection. */
export function createQrMatrix(text: string): QrMatrix {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size, path: squares.join('') };
}
