import { effect, signal } from '@preact/signals';
import type { JSX } from 'preact';

import { findOtherVersion } from '../api/console-files.ts';
import type { GatewayLink } from '../api/gateway-link.ts';
import type { PageSession } from '../api/session.ts';
import { listDrafts } from '../forms/drafts.ts';
import { hasKeptForms } from '../forms/use-kept.ts';
import { Notice } from '../parts/notice.tsx';
import { fill } from '../text/fill.ts';
import { SHELL } from '../text/shell.ts';

/** Versions that this tab has reloaded for: behind a proxy for two gateways, it would reload forever. */
const STORED = 'penstock.reloaded-for';
const MAXIMUM_STORED = 20;
// A restart between two requests of a page is not noticed.
const EVERY_MS = 60_000;
const RETRY_MS = 10_000;
/** The page is not replaced under the hand of a person. */
const IDLE_MS = 30_000;

/** Version that the gateway serves now, if it is not the one of this page. */
const found = signal<string | undefined>(undefined);

/**
 * Watches for a new version of the console after each loss of the gateway, whenever the tab becomes visible, and every
 * minute. The page reloads, at most once for a version, when nothing is entered or open, and it is not used; until then, it
 * offers to.
 */
export function watchVersion(link: GatewayLink, session: PageSession): void {
  const isUsed = watchUse();
  const look = async (): Promise<void> => {
    found.value = await findOtherVersion();
    attempt();
  };
  const attempt = (): void => {
    const version = found.value;
    const { kind } = session.state.value;
    const isSettled = kind === 'SIGNED_IN' || kind === 'SIGNED_OUT';
    if (version === undefined || !isSettled || !link.state.value.isUp) return;
    if (isUsed() || listDrafts(session.name ?? '').length > 0 || !recordReload(version)) return;
    location.reload();
  };
  let wasUp = true;
  effect(() => {
    const { isUp } = link.state.value;
    if (isUp && !wasUp) void look();
    wasUp = isUp;
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) void look();
  });
  setInterval(() => void look(), EVERY_MS);
  setInterval(attempt, RETRY_MS);
}

/** Offers to load the new version of the console. */
export function NewVersionNotice(): JSX.Element | undefined {
  if (found.value === undefined) return undefined;
  return (
    <Notice
      level="info"
      actions={
        <button type="button" onClick={() => location.reload()}>
          {fill(SHELL.reload)}
        </button>
      }
    >
      {fill(SHELL.newVersion)}
    </Notice>
  );
}

/**
 * @returns function that returns true while a dialog or menu is open, after an entry in a field until another page is opened, and
 *   shortly after each use of a key or the pointer. A restart ends sessions: the sign-in panel does not count.
 */
function watchUse(): () => boolean {
  let hasEntry = false;
  let usedMs = -Infinity;
  for (const kind of ['input', 'change', 'drop', 'paste'] as const) {
    addEventListener(kind, () => (hasEntry = true), { capture: true });
  }
  for (const kind of ['pointerdown', 'keydown', 'wheel'] as const) {
    addEventListener(kind, () => (usedMs = performance.now()), { capture: true, passive: true });
  }
  // What was entered in a page is gone with it, is a draft, or is kept.
  addEventListener('hashchange', () => (hasEntry = false));
  return () =>
    hasEntry ||
    hasKeptForms() ||
    performance.now() - usedMs < IDLE_MS ||
    document.querySelector('dialog[open]:not(.sign-in-panel), :popover-open') !== null;
}

/** Returns false if this tab has reloaded for the version before. */
function recordReload(version: string): boolean {
  const before = sessionStorage.getItem(STORED)?.split('\n') ?? [];
  if (before.includes(version)) return false;
  try {
    sessionStorage.setItem(STORED, [...before, version].slice(-MAXIMUM_STORED).join('\n'));
    return true;
  } catch {
    // The storage is full.
    return false;
  }
}
