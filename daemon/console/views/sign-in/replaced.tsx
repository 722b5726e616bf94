import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { Notice } from '../../parts/notice.tsx';
import { fill } from '../../text/fill.ts';
import { SIGN_IN } from '../../text/sign-in.ts';
import { SignIn } from './sign-in.tsx';

interface ReplacedProps {
  /** Who was signed in on this page; undefined: nobody was yet. */
  readonly former: string | undefined;
  /** Who is signed in in this browser now. */
  readonly present: string;
}

/** Says that another tab signed in as somebody else, and lets a person choose who goes on here. */
export function Replaced({ former, present }: ReplacedProps): JSX.Element {
  const { session } = useConsole();
  const [isSigningIn, setSigningIn] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const adopt = (): void => {
    setBusy(true);
    void session.adopt().finally(() => setBusy(false));
  };
  if (isSigningIn) {
    return <SignIn former={former} words={fill(SIGN_IN.endsOther, { present })} />;
  }
  return (
    <section class="sign-in" aria-label={fill(SIGN_IN.replaced, { present })}>
      <h1>Penstock</h1>
      <Notice level="attention">
        {fill(SIGN_IN.replaced, { present })}{' '}
        {former === undefined ? undefined : fill(SIGN_IN.replacedHere, { former })}
      </Notice>
      <button class="main" type="button" disabled={isBusy} autofocus onClick={adopt}>
        {fill(SIGN_IN.adopt, { present })}
      </button>
      <button type="button" disabled={isBusy} onClick={() => setSigningIn(true)}>
        {former === undefined ? fill(SIGN_IN.title) : fill(SIGN_IN.signInAs, { former })}
      </button>
    </section>
  );
}
