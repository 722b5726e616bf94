import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { NewPasswordFields } from '../../parts/password-field.tsx';
import type { TypedPassword } from '../../parts/password-field.tsx';
import { fill } from '../../text/fill.ts';
import { SIGN_IN } from '../../text/sign-in.ts';

interface PasswordChangeProps {
  readonly name: string;
  /** Current password, from the sign-in. */
  readonly password: string;
}

/** Form for a new password required by the gateway. */
export function PasswordChange({ name, password }: PasswordChangeProps): JSX.Element {
  const { session } = useConsole();
  const [typed, setTyped] = useState<TypedPassword>({ chosen: '', repeated: '' });
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const { chosen, repeated } = typed;
  const isDifferent = repeated !== '' && chosen !== repeated;

  const change = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await session.changePassword(name, password, chosen);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      class="sign-in"
      aria-label={fill(SIGN_IN.changeTitle)}
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen === repeated) void change();
      }}
    >
      <h1>{fill(SIGN_IN.changeTitle)}</h1>
      <p>{fill(SIGN_IN.changeWhy, { name })}</p>
      {error === undefined ? undefined : <FailureNotice error={error} />}
      <input class="hidden" name="username" autocomplete="username" value={name} readOnly tabIndex={-1} />
      <NewPasswordFields
        typed={typed}
        isFirst
        faults={isDifferent ? { repeated: fill(SIGN_IN.different) } : {}}
        onChange={setTyped}
      />
      <button class="main" type="submit" disabled={isBusy || isDifferent}>
        {fill(SIGN_IN.change)}
      </button>
    </form>
  );
}
