import type { JSX, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { Notice } from '../parts/notice.tsx';
import { markTab } from '../parts/tab-mark.ts';
import { goTo, route } from '../parts/route.ts';
import { fill } from '../text/fill.ts';
import { SHELL } from '../text/shell.ts';
import { LinkWord } from './link-word.tsx';
import { ScanStrip } from './commission/scan-strip.tsx';
import { PendingStrip } from './configuration/pending-strip.tsx';
import { OwnSettings } from './own-settings.tsx';
import { Rail } from './rail.tsx';
import { SessionEnd } from './session-end.tsx';
import { NeedsProvider, useNeedsOfGateway } from './overview/needs.ts';
import { PAGES } from './pages.ts';
import type { Page } from './pages.ts';

/** The frame around every page: the strip on top, and the rail of pages; its tab says what needs somebody. */
export function Shell(): JSX.Element {
  const { session } = useConsole();
  const needs = useNeedsOfGateway();
  const page = findPage();
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  useEffect(() => {
    const title = fill((page ?? { title: SHELL.unknownPage }).title);
    markTab(isSignedIn ? needs.tone : 'unknown', needs.count, title);
  });
  useEffect(() => () => markTab('none', 0, fill(SHELL.signIn)), []);
  return (
    <NeedsProvider value={needs}>
      <Frame page={page} />
    </NeedsProvider>
  );
}

function findPage(): Page | undefined {
  const [name = 'overview'] = route.value.parts;
  return PAGES.find((candidate) => candidate.name === name);
}

function Frame({ page }: { readonly page: Page | undefined }): JSX.Element {
  const place = useRef<HTMLElement>(null);
  useJumpKeys(place);
  return (
    <div class="shell">
      <a
        class="skip"
        href="#page"
        onClick={(event) => {
          event.preventDefault();
          place.current?.focus();
        }}
      >
        {fill(SHELL.skip)}
      </a>
      <Strip />
      <Rail current={page?.name} />
      <main class="page" id="page" tabIndex={-1} ref={place}>
        <SessionEnd />
        {page === undefined ? (
          <Notice level="info">{fill(SHELL.unknownPage)}</Notice>
        ) : (
          <PageView page={page} />
        )}
      </main>
    </div>
  );
}

function PageView({ page }: { readonly page: Page }): JSX.Element {
  const { session } = useConsole();
  const { View, isOpenTo, permission = '' } = page;
  if (isOpenTo(session)) return <View />;
  return <Notice level="info">{fill(SHELL.notPermitted, { permission, name: session.name ?? '' })}</Notice>;
}

function Strip(): JSX.Element {
  return (
    <header class="strip">
      <span class="name">{location.hostname}</span>
      <LinkWord />
      <PendingStrip />
      <ScanStrip />
      <span class="grow" />
      <span class="own wide">
        <OwnSettings />
      </span>
    </header>
  );
}

/** `g` and the letter of a page goes there, with the focus at its begin; not while somebody types. */
function useJumpKeys(place: RefObject<HTMLElement>): void {
  useEffect(() => {
    let isJumping = false;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.composedPath()[0])) return;
      const target = isJumping ? PAGES.find(({ key }) => key === event.key) : undefined;
      isJumping = event.key === 'g';
      if (target === undefined) return;
      goTo([target.name]);
      place.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [place]);
}

// What lies in a shadow root, such as the editor of the configuration, is only on the path of the event.
function isTyping(target: EventTarget | undefined): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, select, textarea, [contenteditable]') !== null
  );
}
