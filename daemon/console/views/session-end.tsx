import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import type { readOwnIdentity, readOwnSession } from '../../interface/security/session.ts';
import { Notice } from '../parts/notice.tsx';
import { useNow } from '../parts/use-now.ts';
import { useResource } from '../parts/use-resource.ts';
import { fill } from '../text/fill.ts';
import { formatSpan } from '../text/format.ts';
import { SHELL } from '../text/shell.ts';

const PATH = '/services/session/v1/_own';
// Any request extends the session; this one has no other effect.
const USED = '/services/session/v1/currentIdentity';
const EVERY_MS = 20_000;
const WARNED_MS = 120_000;

/** Warns before the session expires, and extends it on request. */
export function SessionEnd(): JSX.Element | undefined {
  const { rest, session } = useConsole();
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  // This poll does not extend the session.
  const { value: endMs, reload } = useResource(
    isSignedIn ? `end ${session.name ?? ''}` : undefined,
    async (abort) => {
      const { sessionSecondsLeft } = await rest.call<typeof readOwnSession>('GET', PATH, { abort });
      return sessionSecondsLeft === undefined ? Infinity : Date.now() + sessionSecondsLeft * 1000;
    },
    { everyMs: EVERY_MS },
  );
  const nowMs = useNow();
  const longestMs = useRef(0);
  const leftMs = endMs === undefined ? Infinity : Math.max(0, endMs - nowMs);
  if (Number.isFinite(leftMs)) longestMs.current = Math.max(longestMs.current, leftMs);
  // For a short session, its second half.
  if (!isSignedIn || leftMs > Math.min(WARNED_MS, longestMs.current / 2)) return undefined;
  return (
    <Notice
      level="attention"
      actions={
        <button
          type="button"
          onClick={() => {
            // Failures are reported elsewhere.
            void rest.call<typeof readOwnIdentity>('GET', USED).then(reload, () => undefined);
          }}
        >
          {fill(SHELL.stay)}
        </button>
      }
    >
      {fill(SHELL.sessionEnds, { span: formatSpan(leftMs) })}
    </Notice>
  );
}
