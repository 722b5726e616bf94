import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { endedChange, pendingChange } from '../../live/pending-change.ts';
import { Notice } from '../../parts/notice.tsx';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';

/** Tells how a pending change ended while the page was open, whoever ended it. */
export function EndedNote(): JSX.Element | undefined {
  const ended = endedChange.value;
  const [before] = useState(ended);
  if (ended === undefined || ended === before) return undefined;
  const { snapshot, instead } = ended;
  const words =
    instead === undefined
      ? fill(CONFIGURATION.kept, { snapshot })
      : fill(CONFIGURATION.tookBack, { snapshot: instead });
  const isOther = pendingChange.value !== undefined;
  return (
    <Notice level={isOther ? 'attention' : 'info'}>
      {words} {isOther ? fill(CONFIGURATION.otherChange) : undefined}
    </Notice>
  );
}
