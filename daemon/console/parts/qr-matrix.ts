import { encode } from 'uqr';

/** Modules of light around the code (ISO/IEC 18004, 6.3.8). */
const QUIET_ZONE = 4;

/** A QR code as one path of squares of length one. */
interface QrMatrix {
  /** Modules of one side, the quiet zone included. */
  readonly size: number;
  /** What is dark, as the path of an SVG. */
  readonly path: string;
}

/** Encodes a text, so that a seventh of it may be hidden by a reflection. */
export function createQrMatrix(text: string): QrMatrix {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_ZONE });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size, path: squares.join('') };
}
