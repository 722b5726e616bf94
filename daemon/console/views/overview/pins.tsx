import type { JSX } from 'preact';

import { personalSettings } from '../../live/personal-settings.ts';
import type { Pin } from '../../live/personal-settings.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { OVERVIEW } from '../../text/overview.ts';
import type { AssetHead } from '../assets/use-assets.ts';
import { MissingCode, useLazyCode } from '../lazy-code.tsx';
import { SMALL_PARTS } from '../lazy-parts.ts';

interface PinsProps {
  readonly assets: readonly AssetHead[] | undefined;
}

/** Pinned values of the user; their code is loaded only if there are some. */
export function Pins({ assets }: PinsProps): JSX.Element | undefined {
  const { pins = [] } = personalSettings.value;
  return pins.length === 0 ? undefined : <PinSection pins={pins} assets={assets} />;
}

function PinSection({ pins, assets }: PinsProps & { readonly pins: readonly Pin[] }): JSX.Element {
  const { value: parts, isMissing } = useLazyCode(SMALL_PARTS);
  return (
    <section aria-label={fill(OVERVIEW.pinned)}>
      <h2>{fill(OVERVIEW.pinned)}</h2>
      {isMissing ? <MissingCode /> : undefined}
      {parts === undefined || assets === undefined ? (
        <Outline rows={2} />
      ) : (
        <parts.PinnedValues pins={pins} assets={assets} />
      )}
    </section>
  );
}
