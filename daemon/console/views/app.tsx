import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { fill } from '../text/fill.ts';
import { hasTexts } from '../text/language.ts';
import { SIGN_IN } from '../text/sign-in.ts';
import { Loading } from './loading.tsx';
import { loadLazyPagesSoon } from './lazy-page.tsx';
import { Shell } from './shell.tsx';
import { PasswordChange } from './sign-in/password-change.tsx';
import { SecondFactorEnrolment } from './sign-in/second-factor-enrolment.tsx';
import { SignIn } from './sign-in/sign-in.tsx';
import { Notice } from '../parts/notice.tsx';

/** Root of the console: sign-in first; after the end of a session, the page stays below the panel. */
export function App(): JSX.Element {
  const { rest, session } = useConsole();
  const state = session.state.value;
  const { isUp } = rest.link.state.value;
  useEffect(() => {
    if (isUp) loadLazyPagesSoon();
  }, [isUp]);
  if (state.kind === 'UNKNOWN' || !hasTexts.value) return <Loading />;
  if (state.kind === 'PASSWORD_CHANGE') {
    return (
      <main>
        <PasswordChange name={state.name} password={state.password} />
      </main>
    );
  }
  if (state.kind === 'ENROLMENT') {
    return (
      <main>
        <SecondFactorEnrolment password={state.password} />
      </main>
    );
  }
  const { former } = state.kind === 'SIGNED_IN' ? { former: state.identity } : state;
  if (former === undefined && state.kind === 'SIGNED_OUT') {
    return (
      <main>
        <SignIn />
      </main>
    );
  }
  return (
    <>
      {/* The input of one identity is not shown to another. */}
      {former === undefined ? undefined : (
        <div key={former.name} hidden={state.kind === 'REPLACED'}>
          <Shell />
        </div>
      )}
      {state.kind === 'SIGNED_OUT' ? (
        <Panel key="signed-out">
          <SignIn
            former={former?.name}
            words={
              state.isPasswordChanged === true
                ? fill(SIGN_IN.passwordChanged, { name: former?.name ?? '' })
                : undefined
            }
          />
        </Panel>
      ) : undefined}
      {state.kind === 'REPLACED' ? (
        <Panel key="replaced">
          <Replaced former={former?.name} current={state.current.name} />
        </Panel>
      ) : undefined}
    </>
  );
}

function Panel({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const panel = useRef<HTMLDialogElement>(null);
  useEffect(() => panel.current?.showModal(), []);
  return (
    <dialog class="sign-in-panel" ref={panel} onCancel={(event) => event.preventDefault()}>
      {children}
    </dialog>
  );
}

interface ReplacedProps {
  /** Identity that was signed in on this page; undefined: none yet. */
  readonly former: string | undefined;
  /** Identity that is now signed in in this browser. */
  readonly current: string;
}

/** Reports a login of another identity in another tab, and lets the user choose the identity of this page. */
function Replaced({ former, current }: ReplacedProps): JSX.Element {
  const { session } = useConsole();
  const [isSigningIn, setSigningIn] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const adopt = (): void => {
    setBusy(true);
    void session.adopt().finally(() => setBusy(false));
  };
  if (isSigningIn) {
    return <SignIn former={former} words={fill(SIGN_IN.endsOther, { current })} />;
  }
  return (
    <section class="sign-in" aria-label={fill(SIGN_IN.replaced, { current })}>
      <h1>Penstock</h1>
      <Notice level="attention">
        {fill(SIGN_IN.replaced, { current })}{' '}
        {former === undefined ? undefined : fill(SIGN_IN.replacedHere, { former })}
      </Notice>
      <button class="main" type="button" disabled={isBusy} autofocus onClick={adopt}>
        {fill(SIGN_IN.adopt, { current })}
      </button>
      <button type="button" disabled={isBusy} onClick={() => setSigningIn(true)}>
        {former === undefined ? fill(SIGN_IN.title) : fill(SIGN_IN.signInAs, { former })}
      </button>
    </section>
  );
}
