import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { fill } from '../text/fill.ts';
import { SIGN_IN } from '../text/sign-in.ts';
import { loadLaterPagesSoon } from './later-page.tsx';
import { Shell } from './shell.tsx';
import { PasswordChange } from './sign-in/password-change.tsx';
import { SecondFactorEnrolment } from './sign-in/second-factor-enrolment.tsx';
import { Replaced } from './sign-in/replaced.tsx';
import { SignIn } from './sign-in/sign-in.tsx';

/** The console: who is not signed in signs in first; where a session ended, the page stays below. */
export function App(): JSX.Element {
  const { session } = useConsole();
  const state = session.state.value;
  useEffect(loadLaterPagesSoon, []);
  if (state.kind === 'UNKNOWN') return <></>;
  if (state.kind === 'PASSWORD_CHANGE') return <PasswordChange name={state.name} password={state.password} />;
  if (state.kind === 'ENROLMENT') return <SecondFactorEnrolment password={state.password} />;
  const { former } = state.kind === 'SIGNED_IN' ? { former: state.identity } : state;
  if (former === undefined && state.kind === 'SIGNED_OUT') return <SignIn />;
  return (
    <>
      {/* What one identity typed is not shown to another. */}
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
          <Replaced former={former?.name} present={state.present.name} />
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
