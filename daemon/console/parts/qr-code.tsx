import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type * as QrMatrix from './qr-matrix.ts';

interface QrCodeProps {
  readonly text: string;
  /** What it is, for those who do not see it. */
  readonly label: string;
}

/** Whole pixels, so that no edge is blurred. */
const PIXELS_A_MODULE = 4;

/**
 * Shows a text as a QR code, dark on light in any colours of the page: many cameras read no other. What draws it is loaded when
 * it is needed; without it, the text beside has to do.
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
