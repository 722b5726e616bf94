import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { Notice } from '../parts/notice.tsx';
import { markTab } from '../parts/tab-mark.ts';
import { route } from '../parts/route.ts';
import { fill } from '../text/fill.ts';
import { SHELL } from '../text/shell.ts';
import { LinkWord } from './link-word.tsx';
import { ScanStrip } from './commission/scan-strip.tsx';
import { PendingStrip } from './configuration/pending-strip.tsx';
import { KeyHelp } from './key-help.tsx';
import { OwnPassword } from './own-password.tsx';
import { OwnSettings } from './own-settings.tsx';
import { Rail } from './rail.tsx';
import { SessionEnd } from './session-end.tsx';
import { NeedsProvider, useNeedsOfGateway } from './overview/needs.ts';
import { PAGES } from './pages.ts';
import type { Page } from './pages.ts';
import { usePageKeys } from './use-page-keys.ts';

/** The frame around every page: the strip on top, and the rail of pages; its tab says what needs somebody. */
export function Shell(): JSX.Element {
  const { session } = useConsole();
  const needs = useNeedsOfGateway();
  const page = findPage();
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  useEffect(() => {
    const title = fill((page ?? { title: SHELL.unknownPage }).title);
    markTab(isSignedIn && needs.tone !== 'loading' ? needs.tone : 'unknown', needs.count, title);
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
  const [isHelping, setHelping] = useState(false);
  const onHelp = useCallback(() => setHelping(true), []);
  const [isChangingPassword, setChangingPassword] = useState(false);
  const own = { onHelp, onPassword: () => setChangingPassword(true) };
  usePageKeys({ place, onHelp });
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
      <Strip {...own} />
      <Rail current={page?.name} {...own} />
      <main class="page" id="page" tabIndex={-1} ref={place}>
        <SessionEnd />
        {page === undefined ? (
          <Notice level="info">{fill(SHELL.unknownPage)}</Notice>
        ) : (
          <PageView page={page} />
        )}
      </main>
      {isChangingPassword ? <OwnPassword onClose={() => setChangingPassword(false)} /> : undefined}
      {isHelping ? <KeyHelp page={page} onClose={() => setHelping(false)} /> : undefined}
    </div>
  );
}

function PageView({ page }: { readonly page: Page }): JSX.Element {
  const { session } = useConsole();
  const { View, isOpenTo, permission = '' } = page;
  if (isOpenTo(session)) return <View />;
  return <Notice level="info">{fill(SHELL.notPermitted, { permission, name: session.name ?? '' })}</Notice>;
}

function Strip(own: Parameters<typeof OwnSettings>[0]): JSX.Element {
  return (
    <header class="strip">
      <span class="name">{location.hostname}</span>
      <LinkWord />
      <PendingStrip />
      <ScanStrip />
      <span class="grow" />
      <span class="own wide">
        <OwnSettings {...own} />
      </span>
    </header>
  );
}
