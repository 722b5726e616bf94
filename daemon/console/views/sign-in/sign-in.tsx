import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { RestFailure } from '../../api/rest-failure.ts';
import { useConsole } from '../../api/console-context.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { useNow } from '../../parts/use-now.ts';
import { useResource } from '../../parts/use-resource.ts';
import { fill } from '../../text/fill.ts';
import { formatSpan } from '../../text/format.ts';
import { SIGN_IN } from '../../text/sign-in.ts';

interface SignInProps {
  /** Previous identity; the page below keeps its input. */
  readonly former?: string | undefined;
  /** Explanation of the form; absent: the session of the former identity has ended. */
  readonly words?: string | undefined;
}

/** Sign-in form: by password or by the client certificate of the connection. */
export function SignIn({ former, words }: SignInProps): JSX.Element {
  const { session } = useConsole();
  const methods = useResource('methods', () => session.methods());
  const [name, setName] = useState(former ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const [waitUntilMs, setWaitUntilMs] = useState(0);
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const waitMs = waitUntilMs - useNow();
  const codeField = useRef<HTMLInputElement>(null);
  useEffect(() => codeField.current?.focus(), [needsCode]);

  const attempt = async (act: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await act();
    } catch (thrown) {
      // The password was right: the form continues, nothing has failed yet.
      const isNextStep = thrown instanceof RestFailure && thrown.isCodeNeeded && !needsCode;
      if (isNextStep) setNeedsCode(true);
      else setError(thrown);
      if (thrown instanceof RestFailure && thrown.retryAfterSeconds !== undefined)
        setWaitUntilMs(Date.now() + 1000 * thrown.retryAfterSeconds);
    } finally {
      setBusy(false);
    }
  };
  const {
    passwordAuthenticationEnabled,
    certificateAuthenticationEnabled,
    certificateAuthenticationPorts,
    message,
  } = methods.value ?? { passwordAuthenticationEnabled: true, certificateAuthenticationEnabled: false };
  const hasNone =
    methods.value !== undefined && !passwordAuthenticationEnabled && !certificateAuthenticationEnabled;

  return (
    <form
      class="sign-in"
      aria-label={fill(SIGN_IN.title)}
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(() => session.signIn(name, password, needsCode && code !== '' ? code : undefined));
      }}
    >
      <h1>Penstock</h1>
      {message === undefined ? undefined : <p class="banner">{message}</p>}
      {former === undefined && words === undefined ? undefined : (
        <Notice level="info">{words ?? fill(SIGN_IN.ended)}</Notice>
      )}
      {error === undefined || waitMs > 0 ? undefined : <FailureNotice error={error} />}
      {waitMs > 0 ? (
        <Notice level="attention">{fill(SIGN_IN.wait, { span: formatSpan(waitMs) })}</Notice>
      ) : undefined}
      {hasNone ? <Notice level="attention">{fill(SIGN_IN.noMethod)}</Notice> : undefined}
      {passwordAuthenticationEnabled ? (
        <>
          <label class="field">
            <span>{fill(SIGN_IN.name)}</span>
            <input
              name="username"
              autocomplete="username"
              autofocus={former === undefined}
              required
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          </label>
          <label class="field">
            <span>{fill(SIGN_IN.password)}</span>
            <input
              name="password"
              type="password"
              autocomplete="current-password"
              autofocus={former !== undefined}
              required
              value={password}
              onInput={({ currentTarget }) => setPassword(currentTarget.value)}
            />
          </label>
          {needsCode ? (
            <label class="field">
              <span>{fill(SIGN_IN.code)}</span>
              <input
                name="code"
                autocomplete="one-time-code"
                inputmode="numeric"
                ref={codeField}
                value={code}
                onInput={({ currentTarget }) => setCode(currentTarget.value)}
              />
              <span>{fill(SIGN_IN.codeHint)}</span>
            </label>
          ) : undefined}
          <button class="main" type="submit" disabled={isBusy || waitMs > 0}>
            {fill(SIGN_IN.submit)}
          </button>
        </>
      ) : undefined}
      {certificateAuthenticationEnabled ? (
        <CertificateSignIn
          ports={certificateAuthenticationPorts ?? []}
          isBusy={isBusy}
          onSignIn={() => void attempt(() => session.signInByCertificate())}
        />
      ) : undefined}
    </form>
  );
}

function CertificateSignIn({
  ports,
  isBusy,
  onSignIn,
}: Readonly<{ ports: readonly number[]; isBusy: boolean; onSignIn: () => void }>): JSX.Element {
  const current = Number(location.port === '' ? 443 : location.port);
  if (ports.length === 0 || ports.includes(current)) {
    return (
      <button type="button" disabled={isBusy} onClick={onSignIn}>
        {fill(SIGN_IN.certificate)}
      </button>
    );
  }
  return (
    <p class="soft">
      {fill(SIGN_IN.certificatePorts, { ports: ports.join(', ') })}{' '}
      {ports.map((port) => (
        <a key={port} href={`https://${location.hostname}:${port}/${location.hash}`}>
          {fill(SIGN_IN.openPort, { port })}
        </a>
      ))}
    </p>
  );
}
