import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { personalSettings } from '../../live/personal-settings.ts';
import { Notice } from '../../parts/notice.tsx';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { OVERVIEW } from '../../text/overview.ts';
import { SHELL } from '../../text/shell.ts';
import type { AssetHead } from '../assets/use-assets.ts';
import type * as pinnedValues from './pinned-values.tsx';

/** Pinned values of the user; their code is loaded only if there are some. */
export function Pins({
  assets,
}: {
  readonly assets: readonly AssetHead[] | undefined;
}): JSX.Element | undefined {
  const { pins = [] } = personalSettings.value;
  const [loaded, setLoaded] = useState<typeof pinnedValues | undefined>(undefined);
  const [isFailed, setFailed] = useState(false);
  const hasPins = pins.length > 0;
  useEffect(() => {
    if (hasPins) import('./pinned-values.tsx').then(setLoaded, () => setFailed(true));
  }, [hasPins]);
  if (!hasPins) return undefined;
  return (
    <section aria-label={fill(OVERVIEW.pinned)}>
      <h2>{fill(OVERVIEW.pinned)}</h2>
      {isFailed ? <Notice level="attention">{fill(SHELL.pageNotLoaded)}</Notice> : undefined}
      {loaded === undefined || assets === undefined ? (
        <Outline rows={2} />
      ) : (
        <loaded.PinnedValues pins={pins} assets={assets} />
      )}
    </section>
  );
}
