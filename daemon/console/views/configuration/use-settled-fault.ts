import { useEffect, useState } from 'preact/hooks';

import type { ReadText } from '../../forms/document-text.ts';

type UnreadableText = Extract<ReadText, { readonly kind: 'WRONG' }>;

const SETTLED_MS = 700;

/** Returns why a text cannot be read, once nobody types: half a key is no mistake. */
export function useSettledFault(read: ReadText): UnreadableText | undefined {
  const [settled, setSettled] = useState<ReadText | undefined>(undefined);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(read), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [read]);
  return settled === read && read.kind === 'WRONG' ? read : undefined;
}
