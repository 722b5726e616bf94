import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { Notice } from '../parts/notice.tsx';
import { namePermission } from '../parts/permission-words.ts';
import { markTab } from '../parts/tab-mark.ts';
import { route, linkTo } from '../parts/route.ts';
import { fill } from '../text/fill.ts';
import { OVERVIEW } from '../text/overview.ts';
import { SHELL } from '../text/shell.ts';
import { ScanStrip } from './devices/scan-strip.tsx';
import { KeyHelp } from './key-help.tsx';
import { LazyPage } from './lazy-page.tsx';
import { OwnPassword } from './own-password.tsx';
import { NewVersionNotice } from './new-version.tsx';
import { Rail } from './rail.tsx';
import { SearchButton, SearchPanel } from './search-panel.tsx';
import { SessionEnd } from './session-end.tsx';
import { UserButton, UserMenu } from './user-menu.tsx';
import { AttentionProvider, useGatewayAttention, useAttention } from './overview/attention-state.ts';
import { OverviewPage } from './overview/overview-page.tsx';
import { findPage, isOpenTo } from './pages.ts';
import type { Page } from './pages.ts';
import { useFocusAfterLink } from './use-focus-after-link.ts';
import { useFocusOnScreen } from './use-focus-on-screen.ts';
import { usePageKeys } from './use-page-keys.ts';
import { Icon } from '../parts/icon.tsx';
import { useNow } from '../parts/use-now.ts';
import { formatSpan, formatTime } from '../text/format.ts';
import { OutlineWord } from '../parts/outline.tsx';
import { listDrafts } from '../forms/drafts.ts';
import { usePersonalSettings } from '../live/personal-settings.ts';
import { pendingChange, usePendingChanges } from '../live/pending-change.ts';
import { CONFIGURATION } from '../text/configuration.ts';
import { Countdown } from '../forms/change/countdown.tsx';

/** Frame around every page: strip and rail; sets the browser tab to the attention state. */
export function Shell(): JSX.Element {
  const { session } = useConsole();
  usePersonalSettings();
  const attention = useGatewayAttention();
  const page = findPage(route.value.parts);
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  useEffect(() => {
    const title = fill((page ?? { title: SHELL.unknownPage }).title);
    const { tone, count } = attention;
    const isKnown = isSignedIn && tone !== 'loading' && tone !== 'hidden';
    markTab(isKnown ? tone : 'unknown', count, title);
  });
  useEffect(() => () => markTab('none', 0, fill(SHELL.signIn)), []);
  return (
    <AttentionProvider value={attention}>
      <Frame page={page} />
    </AttentionProvider>
  );
}

function Frame({ page }: { readonly page: Page | undefined }): JSX.Element {
  const place = useRef<HTMLElement>(null);
  const [isHelping, setHelping] = useState(false);
  const onHelp = useCallback(() => setHelping(true), []);
  const [isChangingPassword, setChangingPassword] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const onSearch = useCallback(() => setSearching(true), []);
  usePageKeys({ place, onHelp, onSearch });
  useFocusAfterLink(place);
  useFocusOnScreen(place);
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
      <Strip onSearch={onSearch} />
      <Rail current={page?.name} />
      <UserMenu onHelp={onHelp} onPassword={() => setChangingPassword(true)} />
      <main class="page" id="page" tabIndex={-1} ref={place}>
        <SessionEnd />
        <NewVersionNotice />
        {page === undefined ? (
          <>
            <header>
              <h1>{fill(SHELL.noPage)}</h1>
            </header>
            <Notice level="info">{fill(SHELL.unknownPage)}</Notice>
          </>
        ) : (
          <PageView page={page} />
        )}
      </main>
      {isChangingPassword ? <OwnPassword onClose={() => setChangingPassword(false)} /> : undefined}
      {isSearching ? (
        <SearchPanel onClose={() => setSearching(false)} onOpen={() => place.current?.focus()} />
      ) : undefined}
      {isHelping ? <KeyHelp page={page} onClose={() => setHelping(false)} /> : undefined}
    </div>
  );
}

function PageView({ page }: { readonly page: Page }): JSX.Element {
  const { session } = useConsole();
  const { name, permission = '' } = page;
  const title = fill(page.title);
  if (isOpenTo(page, session)) {
    // A different key per page, so that no state of the previous page stays.
    return name === 'overview' ? (
      <OverviewPage title={title} />
    ) : (
      <LazyPage key={name} name={name} title={title} />
    );
  }
  return (
    <>
      <header>
        <h1>{title}</h1>
      </header>
      <Notice level="info">
        {fill(SHELL.notPermitted, { permission: namePermission(permission), name: session.name ?? '' })}
      </Notice>
    </>
  );
}

function Strip({ onSearch }: { readonly onSearch: () => void }): JSX.Element {
  return (
    <header class="strip">
      <span class="name" title={location.hostname}>
        {location.hostname}
      </span>
      <LinkWord />
      <PendingStrip />
      <ScanStrip />
      <span class="grow" />
      <SearchButton onSearch={onSearch} />
      <UserButton class="user-button" />
    </header>
  );
}

/** Attention indicator while the gateway responds; otherwise the time of the loss and of the next attempt. */
function LinkWord(): JSX.Element {
  const { rest } = useConsole();
  const { isUp, sinceMs } = rest.link.state.value;
  if (isUp) return <AttentionIndicator />;
  return (
    <span class="state attention link-word">
      <Icon name="attention" />
      <span role="alert">{fill(SHELL.noAnswer, { time: formatTime(sinceMs) })}</span>
      <NextTry />
      <button class="plain" type="button" onClick={() => void rest.link.tryNow()}>
        {fill(SHELL.tryNow)}
      </button>
    </span>
  );
}

function NextTry(): JSX.Element {
  const { rest } = useConsole();
  const { nextTryMs } = rest.link.state.value;
  const leftMs = (nextTryMs ?? 0) - useNow();
  // Rounded to seconds: none is left.
  const words = leftMs < 500 ? fill(SHELL.trying) : fill(SHELL.nextTry, { span: formatSpan(leftMs) });
  return <span class="next-try">{words}</span>;
}

/** Number of items that need attention, as a link to the overview; “Live” if there are none. */
function AttentionIndicator(): JSX.Element | undefined {
  const { tone, count } = useAttention();
  if (tone === 'hidden') return undefined;
  if (tone === 'loading') return <OutlineWord />;
  if (tone === 'none') return <span class="state good">{fill(SHELL.live)}</span>;
  if (tone === 'unknown') {
    return (
      <span class="state attention">
        <Icon name="unknown" />
        {fill(SHELL.notKnown)}
      </span>
    );
  }
  return (
    <a class={`attention-indicator ${tone}`} href={linkTo(['overview'])}>
      <Icon name={tone} />
      {count} <span>{fill(count === 1 ? SHELL.attentionOne : SHELL.attentionMany)}</span>
    </a>
  );
}

/** Shows the pending change and the drafts on every page. */
function PendingStrip(): JSX.Element | undefined {
  const { rest, session } = useConsole();
  const isPermitted = session.may('rest.configuration');
  const isAsked = session.state.value.kind === 'SIGNED_IN' && rest.link.state.value.isUp;
  usePendingChanges(rest, isPermitted && isAsked);
  const pending = pendingChange.value;
  if (!isPermitted) return undefined;
  const [first, ...others] = listDrafts(session.name ?? '');
  return (
    <>
      {pending === undefined ? undefined : (
        <a class="state attention pending" href={linkTo(['configuration'])}>
          <Icon name="attention" />
          <span class="hidden">{fill(OVERVIEW.pending, { snapshot: pending.snapshot })}</span>
          <Countdown pending={pending} />
        </a>
      )}
      {first === undefined ? undefined : (
        <a class="wide" href={`#/configuration/${first}`}>
          {others.length === 0
            ? fill(CONFIGURATION.oneDraft)
            : fill(CONFIGURATION.draftCount, { count: others.length + 1 })}
        </a>
      )}
    </>
  );
}
