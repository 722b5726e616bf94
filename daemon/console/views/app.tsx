import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { loadLaterPagesSoon } from './later-page.tsx';
import { Shell } from './shell.tsx';
import { PasswordChange } from './sign-in/password-change.tsx';
import { SecondFactorEnrolment } from './sign-in/second-factor-enrolment.tsx';
import { SignIn } from './sign-in/sign-in.tsx';

/** The console: who is not signed in signs in first; where a session ended, the page stays below. */
export function App(): JSX.Element {
  const { session } = useConsole();
  const state = session.state.value;
  useEffect(loadLaterPagesSoon, []);
  if (state.kind === 'UNKNOWN') return <></>;
  if (state.kind === 'PASSWORD_CHANGE') return <PasswordChange name={state.name} password={state.password} />;
  if (state.kind === 'ENROLMENT') return <SecondFactorEnrolment password={state.password} />;
  const identity = state.kind === 'SIGNED_IN' ? state.identity : state.former;
  if (identity === undefined) return <SignIn />;
  return (
    <>
      {/* What one identity typed is not shown to another. */}
      <Shell key={identity.name} />
      {state.kind === 'SIGNED_OUT' ? <SignInPanel former={identity.name} /> : undefined}
    </>
  );
}

function SignInPanel({ former }: { readonly former: string }): JSX.Element {
  const panel = useRef<HTMLDialogElement>(null);
  useEffect(() => panel.current?.showModal(), []);
  return (
    <dialog class="sign-in-panel" ref={panel} onCancel={(event) => event.preventDefault()}>
      <SignIn former={former} />
    </dialog>
  );
}
