import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { fill } from '../../text/fill.ts';
import { SIGN_IN } from '../../text/sign-in.ts';

interface PasswordChangeProps {
  readonly name: string;
  /** The present one, with which somebody just signed in. */
  readonly password: string;
}

/** Asks for a new password where the gateway demands one. */
export function PasswordChange({ name, password }: PasswordChangeProps): JSX.Element {
  const { session } = useConsole();
  const [chosen, setChosen] = useState('');
  const [repeated, setRepeated] = useState('');
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
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
      {isDifferent ? <Notice level="attention">{fill(SIGN_IN.different)}</Notice> : undefined}
      <input class="hidden" name="username" autocomplete="username" value={name} readOnly tabIndex={-1} />
      <label class="field">
        <span>{fill(SIGN_IN.newPassword)}</span>
        <input
          name="new-password"
          type="password"
          autocomplete="new-password"
          autofocus
          required
          value={chosen}
          onInput={({ currentTarget }) => setChosen(currentTarget.value)}
        />
      </label>
      <label class="field">
        <span>{fill(SIGN_IN.repeat)}</span>
        <input
          name="new-password-again"
          type="password"
          autocomplete="new-password"
          required
          aria-invalid={isDifferent}
          value={repeated}
          onInput={({ currentTarget }) => setRepeated(currentTarget.value)}
        />
      </label>
      <button class="main" type="submit" disabled={isBusy || isDifferent}>
        {fill(SIGN_IN.change)}
      </button>
    </form>
  );
}
