import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import type { PendingChange } from '../../live/pending-change.ts';
import { RangeBar } from '../../parts/range-bar.tsx';
import { useNow } from '../../parts/use-now.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { fill } from '../../text/fill.ts';
import { formatLeft } from '../../text/format.ts';

/** Shows the time until a change reverts, as text and as a bar. */
export function Countdown({ pending }: { readonly pending: PendingChange }): JSX.Element {
  const { rest } = useConsole();
  // Repaint every second.
  useNow();
  const nowMs = rest.gatewayNowMs();
  const leftMs = Math.max(0, pending.revertAt - nowMs);
  const spanMs = pending.revertAt - (pending.madeAt ?? nowMs);
  const time = formatLeft(leftMs);
  const words = fill(CONFIGURATION.takenBackIn, { time });
  return (
    <span class="countdown">
      <span class="values" aria-hidden="true">
        {words}
      </span>
      <RangeBar
        label={fill(CONFIGURATION.takenBackIn, { time: '' }).trim()}
        words={words}
        minimum={0}
        maximum={spanMs}
        value={spanMs - leftMs}
        tone="attention"
      />
    </span>
  );
}
