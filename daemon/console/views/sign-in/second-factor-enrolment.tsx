import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { fill } from '../../text/fill.ts';
import { SIGN_IN } from '../../text/sign-in.ts';

interface SecondFactorEnrolmentProps {
  /** Current password, from the sign-in. */
  readonly password: string;
}

/** Form for a second factor required by the gateway. */
export function SecondFactorEnrolment({ password }: SecondFactorEnrolmentProps): JSX.Element {
  const { session } = useConsole();
  const secret = useResource('secret', () => session.beginSecondFactor(password));
  const [code, setCode] = useState('');
  const [recoveryCodes, setRecoveryCodes] = useState<readonly string[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);

  const confirm = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      setRecoveryCodes(await session.confirmSecondFactor(code));
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };

  if (recoveryCodes !== undefined) {
    return (
      <div class="sign-in">
        <h1>{fill(SIGN_IN.factorTitle)}</h1>
        <p>{fill(SIGN_IN.recovery)}</p>
        <ul class="code">
          {recoveryCodes.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
        <button class="main" type="button" onClick={() => session.restart()}>
          {fill(SIGN_IN.kept)}
        </button>
      </div>
    );
  }
  return (
    <form
      class="sign-in"
      aria-label={fill(SIGN_IN.factorTitle)}
      onSubmit={(event) => {
        event.preventDefault();
        void confirm();
      }}
    >
      <h1>{fill(SIGN_IN.factorTitle)}</h1>
      <p>{fill(SIGN_IN.factorWhy)}</p>
      {secret.error === undefined ? undefined : (
        <FailureNotice error={secret.error} onRetry={secret.reload} />
      )}
      {secret.value === undefined ? undefined : (
        <>
          <QrCode text={secret.value.uri} label={fill(SIGN_IN.qrCode)} />
          <p>
            <span class="code secret">{secret.value.secret}</span>{' '}
            <a href={secret.value.uri}>{fill(SIGN_IN.openApp)}</a>
          </p>
        </>
      )}
      {error === undefined ? undefined : <FailureNotice error={error} />}
      <label class="field">
        <span>{fill(SIGN_IN.firstCode)}</span>
        <input
          name="code"
          autocomplete="one-time-code"
          inputmode="numeric"
          required
          value={code}
          onInput={({ currentTarget }) => setCode(currentTarget.value)}
        />
      </label>
      <button class="main" type="submit" disabled={isBusy || secret.value === undefined}>
        {fill(SIGN_IN.factorConfirm)}
      </button>
    </form>
  );
}
