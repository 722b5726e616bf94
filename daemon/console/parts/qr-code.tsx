import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type * as QrMatrix from './qr-matrix.ts';

interface QrCodeProps {
  readonly text: string;
  /** Accessible name. */
  readonly label: string;
}

/** Whole pixels, so that edges are sharp. */
const PIXELS_A_MODULE = 4;

/**
 * QR code of a text, always dark on light: many cameras read no other. The encoder is loaded on
 * demand; without it, only the text is shown.
 */
export function QrCode({ text, label }: QrCodeProps): JSX.Element | undefined {
  const [module, setModule] = useState<typeof QrMatrix | undefined>(undefined);
  useEffect(() => {
    import('./qr-matrix.ts').then(setModule, () => undefined);
  }, []);
  if (module === undefined) return undefined;
  const { size, path } = module.createQrMatrix(text);
  const side = size * PIXELS_A_MODULE;
  return (
    <svg
      class="qr-code"
      role="img"
      aria-label={label}
      width={side}
      height={side}
      viewBox={`0 0 ${size} ${size}`}
      shape-rendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
